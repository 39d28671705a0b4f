package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/everystate/everystate/tools/measure"
)

// report is what is printed.
type report struct {
	Machine measure.Machine `json:"machine"`
	Rounds  int             `json:"rounds"`
	Results []*result       `json:"results"`
	Ratios  []ratio         `json:"ratios"`

	Clusters []*clusterResult `json:"clusters"`
}

// A ratio compares two modes of a board that differ in one respect.
type ratio struct {
	What    string  `json:"what"`
	Board   string  `json:"board"`
	Phases  string  `json:"phases"`
	Workers string  `json:"workers"`
	Memory  string  `json:"memory"`
	Median  float64 `json:"median"` // over the rounds
	Least   float64 `json:"least"`
	Most    float64 `json:"most"`
}

// ratioStatesMin is the smallest space worth comparing: smaller ones spend most of
// the time starting a process.
const ratioStatesMin = 1_000_000

// The respects in which modes differ.
const (
	someMemoryOnly = "time with " + someMemory + " / with the default"
	lessMemory     = "time with " + quarterOfIt + " / with " + someMemory
	goalPhase      = "time of the goal phase / of the forward phase"
	twoWorkers     = "speed of 2 workers / of 1"
)

// ratios compares the results that are comparable, grouped by what is compared.
func ratios(results []*result) []ratio {
	var some, memory, goal, workers []ratio
	for _, r := range results {
		if r.States < ratioStatesMin {
			continue
		}
		if r.Memory == "" {
			other := r.mode
			other.Memory = someMemory
			some = compare(some, someMemoryOnly, r, find(results, r.Board, other), "default -> "+someMemory, "",
				func(r, o float64) float64 { return o / r })
		}
		if r.Memory == someMemory {
			other := r.mode
			other.Memory = quarterOfIt
			memory = compare(memory, lessMemory, r, find(results, r.Board, other), someMemory+" -> "+quarterOfIt, "",
				func(r, o float64) float64 { return o / r })
		}
		if !r.GoalDistance {
			other := r.mode
			other.GoalDistance = true
			goal = compare(goal, goalPhase, r, find(results, r.Board, other), "", "",
				func(r, o float64) float64 { return (o - r) / r })
		}
		if r.Workers == 1 {
			other := r.mode
			other.Workers = 2
			workers = compare(workers, twoWorkers, r, find(results, r.Board, other), "", "1 -> 2",
				func(r, o float64) float64 { return r / o })
		}
	}
	return slices.Concat(some, memory, goal, workers)
}

func find(results []*result, board string, m mode) *result {
	i := slices.IndexFunc(results, func(r *result) bool { return r.Board == board && r.mode == m })
	if i < 0 {
		return nil
	}
	return results[i]
}

// compare appends the ratio of two results, from the times of each round. The second
// result may be missing.
func compare(to []ratio, what string, r, other *result, memory, workers string, of func(r, other float64) float64) []ratio {
	if other == nil {
		return to
	}
	var all []float64
	for i, s := range r.Samples {
		all = append(all, of(s.Seconds, other.Samples[i].Seconds))
	}
	q := ratio{
		What: what, Board: r.Board, Phases: r.phases(), Workers: strconv.Itoa(r.Workers), Memory: r.memory(),
		Median: measure.Median(all), Least: slices.Min(all), Most: slices.Max(all),
	}
	if memory != "" {
		q.Memory = memory
	}
	if workers != "" {
		q.Workers = workers
	}
	if what == goalPhase {
		q.Phases = ""
	}
	return append(to, q)
}

// medianOf returns the median over a result's samples.
func (r *result) medianOf(value func(sample) float64) float64 {
	var all []float64
	for _, s := range r.Samples {
		all = append(all, value(s))
	}
	return measure.Median(all)
}

func (r *report) String() string {
	var text strings.Builder
	text.WriteString(r.Machine.String())
	fmt.Fprintf(&text, "rounds   %d; medians\n", r.Rounds)
	if len(r.Results) > 0 {
		r.writeModes(&text)
	}
	if len(r.Clusters) > 0 {
		r.writeClusters(&text)
	}
	return text.String()
}

func (r *report) writeModes(text *strings.Builder) {
	text.WriteString("\n")
	rows := [][]string{{"puzzle", "states", "generated", "mode", "workers", "memory", "seconds", "M states/s", "B/state", "peak MiB"}}
	board := r.boardChanges()
	for _, x := range r.Results {
		if board(x.Board) {
			rows = append(rows, nil)
		}
		seconds := x.medianOf(func(s sample) float64 { return s.Seconds })
		rows = append(rows, []string{
			x.Board, measure.Grouped(x.States), measure.Grouped(x.Generated), x.phases(), strconv.Itoa(x.Workers), x.memory(),
			measure.Seconds(seconds),
			fmt.Sprintf("%.2f", float64(x.States)/seconds/1e6),
			fmt.Sprintf("%.2f", x.medianOf(func(s sample) float64 { return float64(s.DiskBytes) / float64(x.States) })),
			fmt.Sprintf("%.0f", x.medianOf(func(s sample) float64 { return float64(s.PeakBytes) / (1 << 20) })),
		})
	}
	measure.Table(text, rows)

	what := ""
	rows = nil
	for _, q := range r.Ratios {
		if q.What != what {
			measure.Table(text, rows)
			what = q.What
			fmt.Fprintf(text, "\n%s\n", what)
			rows = [][]string{{"puzzle", "mode", "workers", "memory", "median", "least", "most"}}
		}
		rows = append(rows, []string{
			q.Board, q.Phases, q.Workers, q.Memory,
			fmt.Sprintf("%.2f", q.Median), fmt.Sprintf("%.2f", q.Least), fmt.Sprintf("%.2f", q.Most),
		})
	}
	measure.Table(text, rows)
}

// writeClusters writes how fast clusters are compared with one process, and how much
// they send over the wire.
func (r *report) writeClusters(text *strings.Builder) {
	fmt.Fprintf(text, "\ncluster of %d workers, %s each, against one process with %s\n", clusterWorkers, workerMemory, clusterMemory)
	speed := [][]string{{
		"puzzle", "states", "seconds alone", "seconds", "M states/s alone", "M states/s", "speed / alone", "least", "most",
	}}
	wire := [][]string{{
		"puzzle", "generated", "for the other", "sent", "MB on the wire", "B/generated", "B/for the other", "B/sent",
		"coordinator peak MiB", "worker peak MiB",
	}}
	for _, x := range r.Clusters {
		var ratios []float64
		for _, s := range x.Samples {
			ratios = append(ratios, s.AloneSeconds/s.Seconds)
		}
		of := func(value func(clusterSample) float64) float64 {
			var all []float64
			for _, s := range x.Samples {
				all = append(all, value(s))
			}
			return measure.Median(all)
		}
		alone := of(func(s clusterSample) float64 { return s.AloneSeconds })
		seconds := of(func(s clusterSample) float64 { return s.Seconds })
		speed = append(speed, []string{
			x.Board, measure.Grouped(x.States), measure.Seconds(alone), measure.Seconds(seconds),
			fmt.Sprintf("%.2f", float64(x.States)/alone/1e6), fmt.Sprintf("%.2f", float64(x.States)/seconds/1e6),
			fmt.Sprintf("%.2f", measure.Median(ratios)), fmt.Sprintf("%.2f", slices.Min(ratios)), fmt.Sprintf("%.2f", slices.Max(ratios)),
		})
		bytes := of(func(s clusterSample) float64 { return float64(s.WireBytes) })
		candidates := of(func(s clusterSample) float64 { return float64(s.Candidates) })
		sent := of(func(s clusterSample) float64 { return float64(s.Sent) })
		wire = append(wire, []string{
			x.Board, measure.Grouped(x.Generated), measure.Grouped(int64(candidates)), measure.Grouped(int64(sent)), fmt.Sprintf("%.1f", bytes/1e6),
			fmt.Sprintf("%.2f", bytes/float64(x.Generated)), fmt.Sprintf("%.2f", bytes/candidates), fmt.Sprintf("%.2f", bytes/sent),
			fmt.Sprintf("%.0f", of(func(s clusterSample) float64 { return float64(s.CoordinatorPeakBytes) / (1 << 20) })),
			fmt.Sprintf("%.0f", of(func(s clusterSample) float64 { return float64(slices.Max(s.WorkerPeakBytes)) / (1 << 20) })),
		})
	}
	measure.Table(text, speed)
	text.WriteString("\n")
	measure.Table(text, wire)
}

// boardChanges returns a function that reports, for each board in turn, whether it
// differs from the previous one.
func (r *report) boardChanges() func(board string) bool {
	last := ""
	return func(board string) bool {
		changed := last != "" && last != board
		last = board
		return changed
	}
}
