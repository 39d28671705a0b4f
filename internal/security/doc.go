// Package security determines who may call whom. It makes the credentials of every
// server and client of the cluster from files, authenticates each caller, and lets
// through what the caller's role allows.
//
// A caller is identified by its certificate, whose subject has the role as its
// organizational unit (OU) and a name as its common name (CN), or by a bearer token,
// which stands for a role. If a token is sent, it counts and the certificate does
// not. The table in methods.go lists what each role may call; no one may call
// anything else.
//
// TLS is 1.3 or later. Certificates, keys, authorities and tokens are reread when
// their files change, at the next handshake or call. If the new files are unusable,
// the previous contents remain in force.
//
// The texts of errors are meant for people at a command line, and name its flags. All
// types are safe for concurrent use.
package security
