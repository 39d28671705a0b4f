package main

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// text returns all tables: the page's, or those that the flags ask for.
func (o *options) text() string {
	var b strings.Builder
	if o.layers {
		for _, s := range o.spaces {
			for _, w := range o.workers {
				fmt.Fprintf(&b, "%s, %d workers\n%s\n", s.name, w, layerTable(simulate(s, o.cluster(w))))
			}
		}
		return b.String()
	}
	if o.usual {
		fmt.Fprintf(&b, "validation\n%s\n", validationTable())
	}
	for _, s := range o.spaces {
		fmt.Fprintf(&b, "%s: %s states in %d layers (%s)\n%s\n", s.name, grouped(s.states()), len(s.layers), s.note, o.spaceTable(s))
	}
	if o.usual {
		fmt.Fprintf(&b, "partitions\n%s\n", o.partitionTable())
		fmt.Fprintf(&b, "changes: tiles 4x4 on 64 workers\n%s\n", o.changeTable())
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// A measured run is what the engine did, for comparison with the model.
type measured struct {
	space   *space
	cluster cluster
	what    string
	cpu     float64 // seconds of all processes of workers
	disk    float64 // MB
	wire    float64 // MB
}

// validation returns whole runs of this machine. docs/lab/SCALING.md describes how
// they were measured.
func validation() []measured {
	one := cluster{workers: 1, partitions: 64, machine: thisMachine(1, 1.07), costs: localCosts}
	several := func(workers, partitions int) cluster {
		return cluster{workers: workers, partitions: partitions, machine: thisMachine(1, 0.134), costs: clusterCosts}
	}
	t, l, d := tiles3x4(), large8x8(), deep8x8()
	wide := several(2, 64)
	wide.machine.MemoryGB = 0.537
	return []measured{
		{t, one, "1 process", 20.8, 282.9, 0},
		{l, one, "1 process", 1.63, 40.0, 0},
		{d, one, "1 process", 0.69, 15.3, 0},
		{t, wide, "2 workers", 24.8, 0, 0},
		{l, several(1, 64), "1 worker", 1.59, 0, 0},
		{l, several(2, 64), "2 workers", 2.02, 0, 20.1},
		{l, several(4, 64), "4 workers", 2.71, 0, 0},
		{l, several(8, 64), "8 workers", 2.62, 0, 0},
		{l, several(16, 128), "16 workers", 2.91, 0, 0},
		{d, several(1, 64), "1 worker", 0.66, 0, 0},
		{d, several(2, 64), "2 workers", 0.66, 0, 0},
		{d, several(16, 128), "16 workers", 0.75, 0, 0},
	}
}

// validationTable compares the model with measurements.
func validationTable() string {
	return table(func(row func(...any)) {
		row("space", "run", "of", "predicted", "measured", "ratio")
		for _, v := range validation() {
			r := simulate(v.space, v.cluster)
			line := func(of string, predicted, measured float64) {
				if measured > 0 {
					row(v.space.name, v.what, of, number(predicted), number(measured), fmt.Sprintf("%.2f", predicted/measured))
				}
			}
			line("processor s", r.cpuSeconds(), v.cpu)
			line("disk MB", r.stored/mB, v.disk)
			line("wire MB", r.wire/mB, v.wire)
		}
	})
}

// cpuSeconds returns the processor time of all workers.
func (r *result) cpuSeconds() float64 {
	c := r.cluster
	return float64(c.workers)*r.busy[onCPU]*float64(c.machine.Cores) + r.others
}

func (o *options) spaceTable(s *space) string {
	return table(func(row func(...any)) {
		row("workers", "time", "widest layer", "M states/s", "first to saturate", "then", "wire/worker", "disk/worker", "memory", "calls", "journal", "machines", "bucket")
		for _, w := range o.workers {
			r := simulate(s, o.cluster(w))
			first, second := r.saturated()
			machines, bucket := r.cost()
			row(w, duration(r.seconds), duration(r.slowestLayer()), number(float64(s.states())/r.seconds/1e6),
				first, second, size(r.wire/float64(w)), size(r.diskPerMachine)+r.tooMuch(), size(r.memoryPerMachine),
				grouped(int64(r.coordinatorCalls)), size(r.journalBytes), money(machines), money(bucket))
		}
	})
}

// tooMuch marks a run that does not fit on the disks.
func (r *result) tooMuch() string {
	if r.diskPerMachine > r.cluster.machine.DiskGB*gB {
		return " (too much)"
	}
	return ""
}

func (r *result) slowestLayer() (seconds float64) {
	for _, l := range r.layers {
		seconds = max(seconds, l.seconds)
	}
	return seconds
}

// saturated returns the two things that the run waits for longest, with their shares
// of the time.
func (r *result) saturated() (first, second string) {
	a, b := -1, -1
	for i, t := range r.waited {
		switch {
		case a < 0 || t > r.waited[a]:
			a, b = i, a
		case b < 0 || t > r.waited[b]:
			b = i
		}
	}
	name := func(i int) string {
		share := r.waited[i] / r.seconds * 100
		if share < 0.5 {
			return "-"
		}
		return fmt.Sprintf("%s %.0f%%", waitNames[i], share)
	}
	return name(a), name(b)
}

// partitionTable shows the cost of the number of partitions.
func (o *options) partitionTable() string {
	return table(func(row func(...any)) {
		row("space", "workers", "P=256", "P=512", "P=1024", "P=2048", "P=4096")
		for _, s := range o.spaces {
			for _, w := range []int{16, 64, 256} {
				cells := []any{s.name, w}
				for p := 256; p <= partitionsMax; p *= 2 {
					c := o.cluster(w)
					c.partitions = p
					r := simulate(s, c)
					cells = append(cells, fmt.Sprintf("%s (uneven %.0f%%)", duration(r.seconds), r.waited[onSpread]/r.seconds*100))
				}
				row(cells...)
			}
		}
	})
}

// changeTable shows the effect of single changes, the rest being equal.
func (o *options) changeTable() string {
	return table(func(row func(...any)) {
		row("change", "time", "first to saturate", "then", "wire/worker")
		for _, change := range []struct {
			name string
			do   func(*cluster)
		}{
			{"none", func(*cluster) {}},
			{"network 2.5 Gbit/s", func(c *cluster) { c.machine.NetGbit = 2.5 }},
			{"network 1 Gbit/s", func(c *cluster) { c.machine.NetGbit = 1 }},
			{"network 1 Gbit/s, 10 % fewer bytes by compression", func(c *cluster) { c.machine.NetGbit, c.squeeze = 1, 0.9 }},
			{"network 1 Gbit/s, half of the successors stay", func(c *cluster) { c.machine.NetGbit, c.local = 1, 0.5 }},
			{"disk 200 MB/s each way", func(c *cluster) { c.machine.DiskRead, c.machine.DiskWrite = 200, 200 }},
			{"disk 200 MB/s each way, 128 GB of memory", func(c *cluster) {
				c.machine.DiskRead, c.machine.DiskWrite, c.machine.MemoryGB = 200, 200, 128
			}},
			{"bucket 50 MB/s a machine", func(c *cluster) { c.machine.BucketMB = 50 }},
			{"16 cores", func(c *cluster) { c.machine.Cores = 16 }},
			{"32 cores, P=1024", func(c *cluster) { c.machine.Cores, c.partitions = 32, 1024 }},
			{"32 cores", func(c *cluster) { c.machine.Cores = 32 }},
			{"half of the successors stay", func(c *cluster) { c.local = 0.5 }},
		} {
			c := o.cluster(64)
			change.do(&c)
			r := simulate(tiles4x4(), c)
			first, second := r.saturated()
			row(change.name, duration(r.seconds), first, second, size(r.wire/64))
		}
	})
}

// layerTable shows every layer of a run.
func layerTable(r *result) string {
	return table(func(row func(...any)) {
		row("depth", "states", "time", "expand", "write", "waits for", "wire", "spilled", "stored")
		for i, l := range r.layers {
			depth, states := i+1, int64(0)
			if depth < len(r.space.layers) {
				states = r.space.layers[depth]
			}
			what := 0
			for j, t := range l.waited {
				if t > l.waited[what] {
					what = j
				}
			}
			row(depth, grouped(states), duration(l.seconds), duration(l.expand), duration(l.write), waitNames[what],
				size(l.wire), size(l.spilled), size(l.stored))
		}
	})
}

// table formats rows in columns.
func table(fill func(row func(...any))) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fill(func(cells ...any) {
		for i, c := range cells {
			if i > 0 {
				fmt.Fprint(w, "\t")
			}
			fmt.Fprint(w, c)
		}
		fmt.Fprintln(w)
	})
	_ = w.Flush() // into memory
	return b.String()
}

// number writes three significant digits.
func number(x float64) string {
	switch {
	case x >= 100:
		return fmt.Sprintf("%.0f", x)
	case x >= 10:
		return fmt.Sprintf("%.1f", x)
	default:
		return fmt.Sprintf("%.2f", x)
	}
}

func duration(seconds float64) string {
	switch {
	case seconds >= 2*3600:
		return number(seconds/3600) + " h"
	case seconds >= 120:
		return number(seconds/60) + " min"
	case seconds >= 0.1:
		return number(seconds) + " s"
	default:
		return number(seconds*1e3) + " ms"
	}
}

func size(bytes float64) string {
	switch {
	case bytes >= tB:
		return number(bytes/tB) + " TB"
	case bytes >= gB:
		return number(bytes/gB) + " GB"
	default:
		return number(bytes/mB) + " MB"
	}
}

func money(x float64) string {
	if x < 0.005 {
		return "0"
	}
	return number(x)
}

func grouped(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
