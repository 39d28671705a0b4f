package runs

import (
	"context"
	"fmt"
	"time"

	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/coordinator/client"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/quantity"
	"github.com/everystate/everystate/internal/terminal/table"
)

// StatusJSON is described in docs/JSON.md.
type StatusJSON struct {
	Run            string       `json:"run"`
	Puzzle         string       `json:"puzzle"`
	Name           string       `json:"name"`
	Metric         string       `json:"metric"`
	State          string       `json:"state"`
	Phase          string       `json:"phase"`
	Depth          int          `json:"depth"`
	Explored       int          `json:"explored_depth"`
	States         int64        `json:"states"`
	ExploredStates int64        `json:"explored_states"`
	Frontier       int64        `json:"frontier"`
	Expanded       int64        `json:"expanded"`
	Written        int64        `json:"written"`
	Complete       bool         `json:"complete"`
	WaitingFor     *string      `json:"waiting_for"`
	Failure        *string      `json:"failure"`
	IdleSeconds    float64      `json:"idle_seconds"`
	Bucket         *string      `json:"bucket"`
	Entries        int          `json:"journal_entries"`
	Durable        int          `json:"durable_entries"`
	Trouble        *string      `json:"bucket_trouble"`
	Units          int          `json:"units,omitempty"` // sweeps only, like the next four fields
	UnitsDone      *int         `json:"units_done,omitempty"`
	UnitsLeased    *int         `json:"units_leased,omitempty"`
	Records        *int64       `json:"records,omitempty"`
	Digest         string       `json:"digest,omitempty"`
	Shares         []shareJSON  `json:"shares,omitempty"`
	Workers        []workerJSON `json:"workers,omitempty"` // status only
}

// shareJSON is what a worker has done of a sweep.
type shareJSON struct {
	Worker string `json:"worker"`
	Units  int    `json:"units_done"`
	States int64  `json:"states_visited"`
	Lost   int    `json:"units_lost"`
}

type workerJSON struct {
	Name          string  `json:"name"`
	Address       string  `json:"address"`
	Present       bool    `json:"present"`
	Draining      bool    `json:"draining"`
	SilentSeconds float64 `json:"silent_seconds"`
	Stage         *string `json:"stage"`
	Partitions    int     `json:"partitions"`
	Weight        uint32  `json:"weight"`
	SentBytes     int64   `json:"sent_bytes"`
	MemoryBytes   int64   `json:"memory_bytes"`
}

// StatusJSONOf describes a run on the coordinator at addr.
func StatusJSONOf(addr string, s *client.Status) StatusJSON {
	out := StatusJSON{
		Run: Remote{addr, s.Run}.String(), Puzzle: s.Spec.Family, Name: s.Spec.Name, Metric: s.Spec.Metric,
		State: s.State.String(), Phase: PhaseName(s.Phase), Depth: s.Depth, Explored: s.Explored, States: s.States, ExploredStates: s.ExploredStates,
		Frontier: s.Frontier, Expanded: s.Expanded, Written: s.Written, Complete: s.Complete,
		WaitingFor: shell.TextOrNil(s.WaitingFor), Failure: shell.TextOrNil(s.Failure), IdleSeconds: s.Idle.Seconds(),
		Bucket: shell.TextOrNil(s.Bucket), Entries: s.Entries, Durable: s.DurableEntries, Trouble: shell.TextOrNil(s.BucketTrouble),
	}
	if s.Spec.Units > 0 {
		out.Units, out.UnitsDone, out.UnitsLeased, out.Records = s.Spec.Units, &s.UnitsDone, &s.UnitsLeased, &s.Records
		out.Digest = s.Digest.String()
		for _, w := range s.Shares {
			out.Shares = append(out.Shares, shareJSON{w.Worker, w.Units, w.States, w.Lost})
		}
	}
	return out
}

// PhaseName returns the name of a phase in JSON.
func PhaseName(p history.Phase) string {
	if p == history.Goal {
		return "goal-distance"
	}
	return "forward"
}

// PrintAll prints the runs and the workers of a coordinator.
func PrintAll(ctx context.Context, env *shell.Env, addr string, asJSON bool) error {
	return WithClient(env, addr, func(c *client.Client) error {
		all, workers, err := c.List(ctx)
		if err != nil {
			return RemoteError(err)
		}
		if asJSON {
			for i := range all {
				if err := env.JSON(StatusJSONOf(addr, &all[i])); err != nil {
					return err
				}
			}
			return nil
		}
		if len(all) == 0 {
			fmt.Fprintf(env.Out, "no runs on %s yet: %s\n", addr, env.Command("submit", "FILE", "--coordinator", addr))
		} else {
			printRuns(env, all)
		}
		fmt.Fprintln(env.Out)
		PrintWorkers(env, workers, false)
		return nil
	})
}

func printRuns(env *shell.Env, all []client.Status) {
	t := table.Table{Columns: []table.Column{
		{Title: "run", Left: true}, {Title: "puzzle", Left: true}, {Title: "metric", Left: true},
		{Title: "states"}, {Title: "depth"}, {Title: "state", Left: true},
	}}
	for i := range all {
		s := &all[i]
		depth := fmt.Sprint(s.Explored)
		if s.Spec.Units > 0 {
			depth = "-" // a sweep has units, not layers
		}
		t.Add(s.Run, s.Spec.Family, s.Spec.Metric, quantity.Count(s.ExploredStates), depth, DescribeStatus(s))
	}
	t.Write(env.Out, env.Paint)
}

// How long a run is idle, or a worker silent, before that is told.
const (
	idleTold   = 2 * time.Second
	silentTold = 4 * time.Second
)

// DescribeStatus returns a brief description of a run's status.
func DescribeStatus(s *client.Status) string {
	text := s.State.String()
	switch {
	case s.State == client.Failed:
		return "failed: " + s.Failure
	case s.State == client.Stopped && s.Complete && s.Phase == history.Goal:
		return "complete, with goal distances"
	case s.State == client.Stopped && s.Complete:
		return "complete"
	case s.State == client.Waiting && s.WaitingFor != "":
		text += " " + s.WaitingFor
	case s.State == client.Running && s.WaitingFor != "" && s.Idle >= idleTold:
		text += ", waiting " + s.WaitingFor
	}
	if s.Phase == history.Goal {
		text += fmt.Sprintf(" (goal distances of %s, layer %d)", quantity.Counted(s.States, "state"), s.Depth)
	}
	if s.Spec.Units > 0 {
		text += fmt.Sprintf(", %s of %s done", quantity.Count(int64(s.UnitsDone)), quantity.Counted(int64(s.Spec.Units), "unit"))
	}
	return text
}

// PrintWorkers prints workers. ofRun adds what they do for a run.
func PrintWorkers(env *shell.Env, workers []client.Worker, ofRun bool) {
	if len(workers) == 0 {
		fmt.Fprintln(env.Out, "no workers")
		return
	}
	t := table.Table{Columns: []table.Column{{Title: "worker", Left: true}, {Title: "address", Left: true}, {Title: "state", Left: true}}}
	if ofRun {
		t.Columns = append(t.Columns, table.Column{Title: "weight"}, table.Column{Title: "partitions"}, table.Column{Title: "stage", Left: true})
	}
	for i := range workers {
		w := &workers[i]
		row := []string{w.Name, w.Address, describeWorker(w)}
		if ofRun {
			row = append(row, fmt.Sprint(w.Weight), fmt.Sprint(w.Partitions), w.Stage)
		}
		t.Add(row...)
	}
	t.Write(env.Out, env.Paint)
}

// PrintShares prints each worker's share of a sweep, and how far it is from an equal one.
func PrintShares(env *shell.Env, shares []client.Share) {
	if len(shares) == 0 {
		return
	}
	all := int64(0)
	for _, s := range shares {
		all += s.States
	}
	t := table.Table{Columns: []table.Column{
		{Title: "worker", Left: true}, {Title: "units done"}, {Title: "states visited"}, {Title: "share"}, {Title: "deviation"}, {Title: "units lost"},
	}}
	for _, s := range shares {
		part, equal := "", ""
		if all > 0 {
			part = fmt.Sprintf("%.1f %%", 100*float64(s.States)/float64(all))
			equal = fmt.Sprintf("%+.1f %%", 100*(float64(s.States)*float64(len(shares))/float64(all)-1))
		}
		t.Add(s.Worker, quantity.Count(int64(s.Units)), quantity.Count(s.States), part, equal, quantity.Count(int64(s.Lost)))
	}
	fmt.Fprintln(env.Out)
	t.Write(env.Out, env.Paint)
}

func describeWorker(w *client.Worker) string {
	switch {
	case !w.Present && w.Draining:
		return "left"
	case !w.Present:
		return fmt.Sprintf("lost, silent for %s", w.Silent.Round(time.Second))
	case w.Draining:
		return "draining"
	case w.Trouble != "":
		return "present, " + w.Trouble
	case w.Silent >= silentTold:
		return fmt.Sprintf("present, silent for %s", w.Silent.Round(time.Second))
	}
	return "present"
}

// WithWorkers adds workers to a status.
func WithWorkers(s StatusJSON, workers []client.Worker) StatusJSON {
	for _, w := range workers {
		s.Workers = append(s.Workers, workerJSON{
			Name: w.Name, Address: w.Address, Present: w.Present, Draining: w.Draining,
			SilentSeconds: w.Silent.Seconds(), Stage: shell.TextOrNil(w.Stage), Partitions: w.Partitions, Weight: w.Weight,
			SentBytes: w.SentBytes, MemoryBytes: w.MemoryBytes,
		})
	}
	return s
}

// PrintStatus prints the status of a run.
func PrintStatus(env *shell.Env, run Remote, s *client.Status) {
	line := func(label, format string, args ...any) {
		fmt.Fprintf(env.Out, "%s  %s\n", env.Paint.Faint(fmt.Sprintf("%-11s", label)), fmt.Sprintf(format, args...))
	}
	line("run", "%s", run)
	line("puzzle", "%s (%s, %s)", s.Spec.Name, s.Spec.Family, s.Spec.Metric)
	line("state", "%s", DescribeStatus(s))
	if s.Spec.Units > 0 {
		if s.State.Over() { // else the state includes how many are done
			line("units", "%s of %s done", quantity.Count(int64(s.UnitsDone)), quantity.Count(int64(s.Spec.Units)))
		} else {
			line("units", "workers are at %s", quantity.Count(int64(s.UnitsLeased)))
		}
		line("states", "%s in clusters found, %s of them kept", quantity.Count(s.States), quantity.Count(s.Records))
		line("digest", "%s", s.Digest)
	} else {
		line("phase", "%s, depth %d", PhaseName(s.Phase), s.Depth)
		line("states", "%s committed", quantity.Count(s.States))
	}
	if s.Frontier > 0 {
		line("frontier", "%s of %s expanded, %s written",
			quantity.Count(s.Expanded), quantity.Counted(s.Frontier, "state"), quantity.Counted(s.Written, "new state"))
	}
	if s.Bucket != "" {
		text := fmt.Sprintf("%s has %d of %d entries", s.Bucket, s.DurableEntries, s.Entries)
		if s.BucketTrouble != "" {
			text += ": " + s.BucketTrouble
		}
		line("bucket", "%s", text)
	}
	if !s.State.Over() && s.State != client.Queued {
		line("idle", "%s since the last progress", quantity.Seconds(s.Idle.Seconds()))
	}
}
