package conformance

import (
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/test/truth"
	"github.com/everystate/everystate/internal/test/truth/found"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

// A budget bounds what is explored: spaces of so many states, and as many of
// those on a cluster as the number of runs has to each worker, which is what a
// layer costs, but one at least. At 0 runs each is explored on every size of
// cluster, with TLS on half of them.
type budget struct {
	statesMax int64
	runs      int
}

func thisBudget() budget {
	switch {
	case os.Getenv("EVERYSTATE_THOROUGH") != "":
		return budget{statesMax: 3_000_000}
	case testing.Short():
		return budget{statesMax: 300, runs: 2}
	default:
		return budget{statesMax: 10_000, runs: 2}
	}
}

// chosen returns the cases that a kind of cluster explores. The choice depends on names
// alone.
func (b budget) chosen(cases []*known, s setting) []*known {
	hash := func(k *known, of any) uint64 {
		h := fnv.New64a()
		fmt.Fprint(h, k.ID, of)
		return h.Sum64() >> 32
	}
	var chosen []*known
	for _, k := range cases {
		if *k.Reachable <= b.statesMax && (b.runs > 0 || hash(k, s.workers)%2 == 0 == s.tls) {
			chosen = append(chosen, k)
		}
	}
	if b.runs == 0 {
		return chosen
	}
	slices.SortFunc(chosen, func(a, b *known) int { return cmp.Compare(hash(a, s), hash(b, s)) })
	return chosen[:min(len(chosen), max(1, b.runs/s.workers))]
}

// outcome is the part of a run's result that must not depend on where it was computed.
type outcome struct {
	Summary engine.Summary
	Layers  [2][]layer // forward and goal
	Digest  string
}

type layer struct {
	States, Represented, Goals, Generated int64
	Digest                                string
}

func outcomeOf(s engine.Summary, h *history.History) outcome {
	s.Seconds, s.StatesPerSecond, s.PeakMemoryBytes, s.DiskBytes, s.Run = 0, 0, 0, 0, ""
	o := outcome{Summary: s, Digest: h.Digest().String()}
	for i, phase := range []history.Phase{history.Forward, history.Goal} {
		for _, l := range h.Layers(phase) {
			o.Layers[i] = append(o.Layers[i], layer{l.States, l.Represented, l.Goals, l.Generated, l.Digest.String()})
		}
	}
	return o
}

// inProcess explores a board with package engine.
func inProcess(t *testing.T, b puzzle.Board) outcome {
	t.Helper()
	r, err := engine.Create("run", b, engine.Options{Workers: 2, Partitions: 4, MemoryBytes: engine.MemoryMin, FS: vfs.NewMem()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}()
	if reason, err := r.Explore(t.Context(), everything(b)); err != nil || reason != history.Exhausted {
		t.Fatalf("reason %v, error %v", reason, err)
	}
	s, err := r.Summary(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return outcomeOf(s, r.History())
}

func inJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// known is a case with the result of exploring it in process.
type known struct {
	truth.Record
	board puzzle.Board

	once sync.Once
	want outcome
}

// outcome explores the case in process when first called.
func (k *known) outcome(t *testing.T) outcome {
	t.Helper()
	k.once.Do(func() {
		k.want = inProcess(t, k.board)
		if err := found.Check(&k.Record, &k.want.Summary, k.AsksDistances() && puzzle.GoesBack(k.board.Puzzle)); err != nil {
			t.Errorf("%s: in process: %v", k.ID, err)
		}
	})
	return k.want
}

const truthFolder = "../../../testdata/truth/"

func readFile(t *testing.T, name string) []truth.Record {
	t.Helper()
	records, err := truth.ReadFile(truthFolder + name)
	if err != nil {
		t.Fatal(err)
	}
	return records
}

// readCases returns the cases of Rush Hour.
func readCases(t *testing.T) []*known {
	t.Helper()
	var cases []*known
	for _, r := range readFile(t, "rush-hour.json") {
		cases = append(cases, caseOf(t, r, r.Input))
	}
	return cases
}

func caseOf(t *testing.T, r truth.Record, text string) *known {
	t.Helper()
	boards, err := families.Read([]byte(text), puzzle.ReadOptions{Metric: r.Metric})
	if err != nil || len(boards) != 1 {
		t.Fatalf("%s: %d boards, %v", r.ID, len(boards), err)
	}
	return &known{Record: r, board: boards[0]}
}

// TestSameEverywhere explores each chosen case in process and on clusters of
// every size and transport.
func TestSameEverywhere(t *testing.T) {
	t.Parallel()
	cases, budget := readCases(t), thisBudget()
	others := budget.others(t)
	for i, s := range settings() {
		t.Run(s.String(), func(t *testing.T) {
			t.Parallel()
			c := startCluster(t, s)
			queued := budget.chosen(cases, s)
			if budget.runs == 0 {
				queued = append(queued, budget.chosen(others, s)...)
			} else {
				for j := i; j < len(others); j += len(settings()) {
					queued = append(queued, others[j])
				}
			}
			if len(queued) < 2 {
				t.Error("nothing waits in the queue")
			}
			for _, k := range queued {
				submit(t, c, runName(k), k.board)
			}
			for _, k := range queued {
				got := collect(t, c, runName(k))
				if want := k.outcome(t); !reflect.DeepEqual(got, want) {
					t.Errorf("%s:\n%s\nin process\n%s", k.ID, inJSON(got), inJSON(want))
				}
			}
			t.Logf("%d runs", len(queued))
		})
	}
}

func runName(k *known) string { return strings.ReplaceAll(k.ID, "/", "-") }
