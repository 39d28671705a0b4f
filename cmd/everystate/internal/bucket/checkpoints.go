package bucket

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/runs"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/coordinator/client"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/quantity"
	"github.com/everystate/everystate/internal/terminal/table"
	"github.com/everystate/everystate/store/bucket"
)

// storedJSON is a run in a bucket. It is described in docs/JSON.md.
type storedJSON struct {
	Run     string     `json:"run"`
	Puzzle  string     `json:"puzzle"`
	Name    string     `json:"name"`
	Metric  string     `json:"metric"`
	States  int64      `json:"states"`
	Depth   int        `json:"depth"`
	Layers  int        `json:"layers"`
	Entries int        `json:"entries"`
	Bytes   int64      `json:"bytes"`
	Objects int        `json:"objects"`
	Changed *time.Time `json:"changed"`
	// Complete is Summary.Complete.
	Complete bool    `json:"complete"`
	By       *string `json:"by"`
	Problem  *string `json:"problem"`
}

// storedLayerJSON is a layer in a bucket. It is described in docs/JSON.md.
type storedLayerJSON struct {
	Phase   string    `json:"phase"`
	Depth   int       `json:"depth"`
	States  int64     `json:"states"`
	Bytes   int64     `json:"bytes"`
	Objects int       `json:"objects"`
	Written time.Time `json:"written"`
	// Missing is how many of the objects do not exist.
	Missing int `json:"missing,omitempty"`
}

// CheckpointsCommand returns `everystate checkpoints`.
func CheckpointsCommand(env *shell.Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "checkpoints URL[/RUN]",
		Short: "List the runs in a bucket, or the layers of a run",
		Long: `Checkpoints lists the runs in a bucket and their progress, or the layers of one
run; restore --at can go back to any of them. For a coordinator, HOST:PORT, it
prints how much of each run is in the coordinator's bucket.`,
		Example: `  everystate checkpoints 's3://states?region=eu-central-1'
  everystate checkpoints file:///mnt/bucket/jam-93 --json
  everystate checkpoints 10.0.0.1:7000`,
		Args: shell.Exactly(1, "URL[/RUN]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			addr, name, _ := strings.Cut(args[0], "/")
			switch {
			case runs.IsBucketURL(args[0]):
				return checkpoints(cmd.Context(), env, args[0], asJSON)
			case runs.IsAddress(addr):
				return checkpointsRemote(cmd.Context(), env, addr, name, asJSON)
			}
			return exit.Usagef(cmd, "%q is neither a bucket, file:///DIR or s3://BUCKET/PREFIX, nor a coordinator, HOST:PORT", args[0])
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object per run or layer (docs/JSON.md)")
	cmd.AddCommand(pruneCommand(env))
	return cmd
}

// inBucket opens what a URL names: a run if there is one of that name, else a
// bucket, and then run is nil.
func inBucket(ctx context.Context, arg string) (bkt *bucket.Bucket, run *bucket.Run, err error) {
	if bucketURL, name, err := bucket.SplitRun(arg); err == nil {
		// The credentials may not extend above the prefix.
		if above, err := runs.OpenExisting(ctx, bucketURL); err == nil {
			run := above.Run(name)
			if _, err := run.Stat(ctx, firstEntry); err == nil {
				return above, run, nil
			}
			if err := above.Close(); err != nil {
				return nil, nil, err
			}
		}
	}
	bkt, err = runs.OpenExisting(ctx, arg)
	return bkt, nil, err
}

// firstEntry is the object whose existence makes a run.
const firstEntry = "log/00000000"

func checkpoints(ctx context.Context, env *shell.Env, arg string, asJSON bool) (err error) {
	bkt, run, err := inBucket(ctx, arg)
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, bkt.Close()) }()
	if run != nil {
		return printLayersOf(ctx, env, run, asJSON)
	}
	names, err := bkt.Runs(ctx)
	if err != nil {
		return err
	}
	if len(names) == 0 && !asJSON {
		fmt.Fprintf(env.Out, "no runs in %s yet: %s\n", bkt.URL(), env.Command("explore", "FILE", "--bucket", bkt.URL()))
		return nil
	}
	t := table.Table{Columns: []table.Column{
		{Title: "run", Left: true}, {Title: "puzzle", Left: true}, {Title: "metric", Left: true},
		{Title: "states"}, {Title: "depth"}, {Title: "size"}, {Title: "objects"}, {Title: "changed", Left: true}, {Title: "state", Left: true},
	}}
	for _, name := range names {
		s, state, err := storedOf(ctx, env, bkt.Run(name))
		if err != nil {
			return err
		}
		if asJSON {
			if err := env.JSON(s); err != nil {
				return err
			}
			continue
		}
		t.Add(name, s.Puzzle, s.Metric, quantity.Count(s.States), fmt.Sprint(s.Depth), quantity.Bytes(s.Bytes), fmt.Sprint(s.Objects), when(*s.Changed), state)
	}
	if !asJSON {
		t.Write(env.Out, env.Paint)
	}
	return nil
}

func when(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") }

// storedOf returns what a bucket has of a run, and a brief description of its
// state.
func storedOf(ctx context.Context, env *shell.Env, run *bucket.Run) (s storedJSON, state string, err error) {
	s.Run = run.URL()
	var changed time.Time
	if s.Objects, s.Bytes, changed, err = run.Usage(ctx); err != nil {
		return s, "", err
	}
	changed = changed.UTC().Truncate(time.Second)
	s.Changed = &changed
	stored, err := engine.ReadStored(ctx, run, env.WarnOfBucket)
	if err != nil {
		if ctx.Err() != nil {
			return s, "", err
		}
		text := shell.OneLine(err)
		s.Problem = &text
		return s, "problem: " + text, nil
	}
	c := stored.Counts()
	s.Puzzle, s.Name, s.Metric = c.Puzzle, c.Name, c.Metric
	s.States, s.Depth, s.Complete = c.States, c.Depth, c.Complete
	s.Layers, s.Entries = len(stored.History.Layers(history.Forward))+len(stored.History.Layers(history.Goal)), len(stored.Entries)
	s.By = shell.TextOrNil(stored.By)
	switch {
	case c.Complete && c.GoalDistanceLayers != nil:
		state = "complete, with goal distances"
	case c.Complete:
		state = "complete"
	case len(stored.History.Layers(history.Goal)) > 0:
		state = "goal distances can be resumed"
	default:
		state = "can be resumed"
	}
	return s, state, nil
}

// printLayersOf prints the layers that a bucket has of a run.
func printLayersOf(ctx context.Context, env *shell.Env, run *bucket.Run, asJSON bool) error {
	stored, err := engine.ReadStored(ctx, run, env.WarnOfBucket)
	if err != nil {
		return err
	}
	objects := make(map[string]bucket.ObjectInfo)
	err = run.Objects(ctx, func(o bucket.ObjectInfo) error {
		objects[o.Name] = o
		return nil
	})
	if err != nil {
		return err
	}
	t := table.Table{Columns: []table.Column{{Title: "phase", Left: true}, {Title: "depth"}, {Title: "states"}, {Title: "size"}, {Title: "objects"}, {Title: "written", Left: true}}}
	missing := 0
	for _, phase := range []history.Phase{history.Forward, history.Goal} {
		for _, l := range stored.History.Layers(phase) {
			row := storedLayerJSON{Phase: runs.PhaseName(phase), Depth: int(l.Depth), States: l.States}
			for _, o := range stored.Objects(l) {
				there, ok := objects[o.Name]
				if !ok {
					row.Missing++
					continue
				}
				row.Objects++
				row.Bytes += there.Bytes
				if w := there.Written.UTC().Truncate(time.Second); w.After(row.Written) {
					row.Written = w
				}
			}
			missing += row.Missing
			if asJSON {
				if err := env.JSON(row); err != nil {
					return err
				}
				continue
			}
			t.Add(row.Phase, fmt.Sprint(row.Depth), quantity.Count(row.States), quantity.Bytes(row.Bytes), fmt.Sprint(row.Objects), when(row.Written))
		}
	}
	if !asJSON {
		t.Write(env.Out, env.Paint)
	}
	if missing > 0 {
		return exit.Errorf(exit.Failed, "%s is damaged: %s of its layers are missing", run.URL(), quantity.Counted(int64(missing), "object"))
	}
	return nil
}

// checkpointsRemote prints how far a coordinator's bucket is.
func checkpointsRemote(ctx context.Context, env *shell.Env, addr, name string, asJSON bool) error {
	return runs.WithClient(env, addr, func(c *client.Client) error {
		all, _, err := c.List(ctx)
		if err != nil {
			return runs.RemoteError(err)
		}
		t := table.Table{Columns: []table.Column{{Title: "run", Left: true}, {Title: "in the bucket", Left: true}, {Title: "entries"}, {Title: "of"}, {Title: "state", Left: true}}}
		found := false
		for i := range all {
			s := &all[i]
			if name != "" && s.Run != name {
				continue
			}
			found = true
			if asJSON {
				row := remoteStoredJSON{Run: runs.Remote{Addr: addr, Name: s.Run}.String(), Bucket: shell.TextOrNil(s.Bucket), Entries: s.DurableEntries, Of: s.Entries, Trouble: shell.TextOrNil(s.BucketTrouble)}
				if err := env.JSON(row); err != nil {
					return err
				}
				continue
			}
			where, state := s.Bucket, "up to date"
			switch {
			case where == "":
				where, state = "-", "not in a bucket"
			case s.BucketTrouble != "":
				state = "waiting for the bucket: " + s.BucketTrouble
			case s.DurableEntries < s.Entries:
				state = "behind"
			}
			t.Add(s.Run, where, strconv.Itoa(s.DurableEntries), strconv.Itoa(s.Entries), state)
		}
		if name != "" && !found {
			return exit.Errorf(exit.Usage, "there is no run %q on %s", name, addr)
		}
		if !asJSON {
			t.Write(env.Out, env.Paint)
		}
		return nil
	})
}

// remoteStoredJSON is described in docs/JSON.md.
type remoteStoredJSON struct {
	Run     string  `json:"run"`
	Bucket  *string `json:"bucket"`
	Entries int     `json:"entries"`
	Of      int     `json:"of"`
	Trouble *string `json:"trouble"`
}

// DeletedJSON is described in docs/JSON.md.
type DeletedJSON struct {
	Run     string `json:"run"`
	Objects int    `json:"objects,omitempty"` // in a bucket only
}

// DeleteStored removes a run from a bucket.
func DeleteStored(env *shell.Env, cmd *cobra.Command, runURL string, yes, asJSON bool) (err error) {
	ctx := cmd.Context()
	r, err := runs.OpenBucketRun(ctx, runURL)
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, r.Close()) }()
	objects, _, _, err := r.Usage(ctx)
	switch {
	case err != nil:
		return err
	case objects == 0:
		_, err := runs.ReadStored(ctx, env, r)
		return err
	}
	if !yes {
		if err := shell.Confirm(env, cmd, r.URL()); err != nil {
			return err
		}
	}
	n, err := r.Delete(ctx)
	if errors.Is(err, context.Canceled) {
		return exit.Errorf(exit.Incomplete, "stopped; the same command removes the rest")
	}
	if err != nil {
		return err
	}
	if asJSON {
		return env.JSON(DeletedJSON{r.URL(), n})
	}
	fmt.Fprintf(env.Out, "deleted %s: %s\n", r.URL(), quantity.Counted(int64(n), "object"))
	return nil
}
