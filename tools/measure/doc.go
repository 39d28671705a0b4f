// Package measure is what the programs that measure whole processes share: what
// machine it was, what a process took, and how a table is written. It must never
// decide what is measured.
package measure
