// Package security says who may call whom. It makes the credentials of every
// server and client of the cluster from files, finds out who makes a call, and
// lets through what the role of the caller allows.
//
// A caller is known by its certificate, whose subject has the role as its
// organizational unit (OU) and a name as its common name (CN), or by a bearer
// token, which stands for a role. A token that is sent counts, and the
// certificate does not. What each role may call is in the table of methods.go,
// and what is not in the table nobody may call.
//
// TLS is 1.3 or later. Certificates, keys, authorities and tokens are read again
// when their files change: at the next handshake, or the next call. Files that
// cannot be used then leave in force what was read before.
//
// The texts of errors are for people at a command line and name its flags. All
// types are safe for concurrent use.
package security
