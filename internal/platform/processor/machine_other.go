//go:build !linux

package processor

import (
	"os"
	"runtime"
)

// Machine returns the name of this machine and the number of its cores. The name is empty if
// it is unknown.
func Machine() (name string, cores int) {
	name, err := os.Hostname()
	if err != nil || len(name) > 64 {
		return "", runtime.NumCPU()
	}
	return name, runtime.NumCPU()
}
