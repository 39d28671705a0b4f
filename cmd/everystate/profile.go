package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"

	"github.com/spf13/pflag"
)

// profile writes profiles for developers of the program.
type profile struct {
	cpuPath, memPath string
	cpu              *os.File
}

func (p *profile) flags(flags *pflag.FlagSet) {
	flags.StringVar(&p.cpuPath, "cpuprofile", "", "write a CPU profile to this file")
	flags.StringVar(&p.memPath, "memprofile", "", "write a memory profile to this file at the end")
	for _, name := range []string{"cpuprofile", "memprofile"} {
		flags.Lookup(name).Hidden = true
	}
}

func (p *profile) start() error {
	if p.cpuPath == "" {
		return nil
	}
	f, err := os.Create(p.cpuPath)
	if err != nil {
		return fmt.Errorf("--cpuprofile: %w", err)
	}
	p.cpu = f
	return pprof.StartCPUProfile(f)
}

func (p *profile) stop() error {
	var errs []error
	if p.cpu != nil {
		pprof.StopCPUProfile()
		errs = append(errs, p.cpu.Close())
	}
	if p.memPath != "" {
		f, err := os.Create(p.memPath)
		if err != nil {
			return fmt.Errorf("--memprofile: %w", err)
		}
		runtime.GC() // the profile shows what is live after a collection
		errs = append(errs, pprof.Lookup("allocs").WriteTo(f, 0), f.Close())
	}
	return errors.Join(errs...)
}
