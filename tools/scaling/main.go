// Command scaling predicts what a cluster would do that no one has rented yet. It
// runs a model of the engine, fed with measured rates, through the layers of a space
// as described in docs/ARCHITECTURE.md, and adds up what each stage waits for.
// docs/lab/SCALING.md has its tables and lists what it leaves out.
//
//	go run ./tools/scaling                      the tables of the page
//	go run ./tools/scaling -space 'tiles 4x4' -layers -workers 64
//	go run ./tools/scaling -cores 16 -network 25 -price 1.2
//
// The model is a pure function of its flags: it must never measure anything or run
// the engine. The exit code is 2 for bad usage.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

const exitBadUsage = 2

// options define the tables.
type options struct {
	machine    machine
	spaces     []*space
	workers    []int
	partitions int
	local      float64
	squeeze    float64
	layers     bool
	usual      bool // only the page's tables were asked for
}

func main() {
	o, err := parse(os.Args[1:], os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "scaling:", err)
		os.Exit(exitBadUsage)
	}
	fmt.Print(o.text())
}

// pageWorkers returns the sizes of the page's clusters.
func pageWorkers() []int { return []int{1, 2, 4, 16, 64, 256} }

func parse(args []string, errs io.Writer) (options, error) {
	o := options{machine: usual(), spaces: spaces(), workers: pageWorkers(), partitions: pagePartitions, usual: len(args) == 0}
	flags := flag.NewFlagSet("scaling", flag.ContinueOnError)
	flags.SetOutput(errs)
	m := &o.machine
	flags.IntVar(&m.Cores, "cores", m.Cores, "cores of a machine")
	floats := []struct {
		value        *float64
		name, saying string
	}{
		{&m.MemoryGB, "memory", "memory of a worker, `GB`"},
		{&m.NetGbit, "network", "network of a machine each way, `Gbit/s`; 0 without bound"},
		{&m.DiskRead, "disk-read", "`MB/s`; 0 without bound"},
		{&m.DiskWrite, "disk-write", "`MB/s`; 0 without bound"},
		{&m.DiskGB, "disk", "disk of a machine, `GB`"},
		{&m.BucketMB, "bucket", "what a machine uploads, `MB/s`; 0 without a bucket"},
		{&m.LatencyMS, "latency", "from a worker to the coordinator and back, `ms`"},
		{&m.HourPrice, "price", "price of a machine for an hour"},
		{&m.BucketPrice, "bucket-price", "price of a GB in the bucket for a month"},
		{&o.local, "local", "share of the successors that a locality-preserving hash keeps with their worker"},
		{&o.squeeze, "squeeze", "bytes on the wire, of what they are without compression; 0 means 1"},
	}
	for _, f := range floats {
		flags.Float64Var(f.value, f.name, *f.value, f.saying)
	}
	flags.IntVar(&o.partitions, "partitions", o.partitions, "partitions, a power of two")
	workers := flags.String("workers", "", "`numbers` of workers, such as 16,64")
	name := flags.String("space", "", "one space by its `name`")
	flags.BoolVar(&o.layers, "layers", false, "print every layer")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if *workers != "" {
		o.workers = nil
		for word := range strings.SplitSeq(*workers, ",") {
			n, err := strconv.Atoi(word)
			if err != nil || n < 1 || n > workersMax {
				return o, fmt.Errorf("-workers %s: must be numbers from 1 to %d with commas between them", *workers, workersMax)
			}
			o.workers = append(o.workers, n)
		}
	}
	if *name != "" {
		var names []string
		o.spaces = nil
		for _, s := range append(spaces(), large8x8()) {
			names = append(names, s.name)
			if s.name == *name {
				o.spaces = []*space{s}
			}
		}
		if o.spaces == nil {
			return o, fmt.Errorf("-space %q: must be one of %s", *name, strings.Join(names, ", "))
		}
	}
	if p := o.partitions; p < 1 || p > partitionsMax || p&(p-1) != 0 {
		return o, fmt.Errorf("-partitions %d: must be a power of two up to %d", p, partitionsMax)
	}
	if m.Cores < 1 || m.Cores > coresMax || m.MemoryGB <= 0 {
		return o, fmt.Errorf("-cores %d -memory %v: must be from 1 to %d cores, and some memory", m.Cores, m.MemoryGB, coresMax)
	}
	for _, f := range floats {
		if *f.value < 0 {
			return o, fmt.Errorf("-%s %v: must not be negative", f.name, *f.value)
		}
	}
	if o.local > 1 {
		return o, fmt.Errorf("-local %v: must be from 0 to 1", o.local)
	}
	return o, nil
}

const (
	workersMax     = 1024
	coresMax       = 1024
	partitionsMax  = 4096
	pagePartitions = partitionsMax // the most that a cluster accepts
)

// cluster returns the cluster with the given number of workers.
func (o *options) cluster(workers int) cluster {
	c := cluster{
		workers: workers, partitions: o.partitions, machine: o.machine,
		costs: clusterCosts, local: o.local, squeeze: o.squeeze,
	}
	return c
}
