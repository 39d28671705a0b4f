//go:build !linux

// Package processor measures processor time, and tells which processors a process has.
package processor

import "time"

// Thread and Process are nil: the system does not tell what a thread has used.
var Thread, Process func() time.Duration
