// Package measure holds what the programs that measure whole processes share: the
// description of the machine, the resources of a process, and the formatting of
// tables. It must never decide what is measured.
package measure
