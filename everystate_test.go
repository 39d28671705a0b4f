package everystate_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/everystate/everystate"
	"github.com/everystate/everystate/docs/lightsout"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

func read(t *testing.T, text string) puzzle.Board {
	t.Helper()
	board, err := everystate.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	return board
}

func begin(t *testing.T, board puzzle.Board) *everystate.Run {
	t.Helper()
	run, err := everystate.New(board, everystate.Options{Workers: 2, MemoryBytes: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := run.Close(); err != nil {
			t.Error(err)
		}
	})
	return run
}

// TestAgainstPlainSearch compares every answer about every state of a board of each
// family with a search over maps.
func TestAgainstPlainSearch(t *testing.T) {
	t.Parallel()
	for _, f := range families.All() {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			board := read(t, f.Formats[0].Example)
			run := begin(t, board)
			const enough = 3000
			if err := run.Explore(t.Context(), everystate.ExploreOptions{MaxStates: enough}); err != nil {
				t.Fatal(err)
			}
			depths := plainDepths(board.Puzzle, len(run.Layers()))
			if int64(len(depths)) != run.Counts().States {
				t.Fatalf("%d states, a plain search finds %d", run.Counts().States, len(depths))
			}
			seen := 0
			for state, err := range run.States(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				seen++
				if depth, ok := depths[keyOf(state.Key)]; !ok || depth != state.Depth {
					t.Fatalf("%v at depth %d, a plain search says %d, %v", state.Key, state.Depth, depth, ok)
				}
				if seen%97 != 0 {
					continue // each look-up takes a while
				}
				found, err := run.Find(t.Context(), state.Key)
				if err != nil || !reflect.DeepEqual(found, state) {
					t.Fatalf("%+v, found as %+v, %v", state, found, err)
				}
				checkPaths(t, run, state)
			}
			if seen != len(depths) {
				t.Errorf("%d states of %d", seen, len(depths))
			}
		})
	}
}

// checkPaths replays the paths from the start to a state and from there to a goal.
func checkPaths(t *testing.T, run *everystate.Run, state everystate.State) {
	t.Helper()
	p := run.Board().Puzzle
	path, err := run.PathTo(t.Context(), state.Key)
	if err != nil || len(path.Moves) != state.Depth {
		t.Fatalf("a path of %d moves to depth %d, %v", len(path.Moves), state.Depth, err)
	}
	replay(t, p, path)
	path, err = run.PathToGoal(t.Context(), state.Key)
	if state.GoalDistance < 0 {
		if !errors.Is(err, everystate.ErrNoGoal) && !errors.Is(err, everystate.ErrNoGoalDistances) {
			t.Fatalf("%v of a state without a goal distance", err)
		}
		return
	}
	if err != nil || len(path.Moves) != state.GoalDistance {
		t.Fatalf("a path of %d moves to a goal, it is %d away, %v", len(path.Moves), state.GoalDistance, err)
	}
	replay(t, p, path)
	mark := []bool{false}
	if p.Goals(path.States[len(path.States)-1], mark); !mark[0] {
		t.Fatal("a path to a goal ends elsewhere")
	}
}

func replay(t *testing.T, p puzzle.Puzzle, path everystate.Path) {
	t.Helper()
	at := slices.Clone(path.States[0])
	for i, move := range path.Moves {
		if !p.Apply(at, at, move) || !slices.Equal(at, path.States[i+1]) {
			t.Fatalf("move %d of %v does not lead on", i+1, path)
		}
	}
}

func keyOf(key []uint64) [puzzle.WordsMax]uint64 {
	var k [puzzle.WordsMax]uint64
	copy(k[:], key)
	return k
}

// plainDepths returns the depths of all states of so many layers.
func plainDepths(p puzzle.Puzzle, layers int) map[[puzzle.WordsMax]uint64]int {
	words := p.Layout().Words()
	depths := make(map[[puzzle.WordsMax]uint64]int)
	next := p.Starts()
	for depth := range layers {
		var frontier []uint64
		for key := range slices.Chunk(next, words) {
			if _, there := depths[keyOf(key)]; !there {
				depths[keyOf(key)] = depth
				frontier = append(frontier, key...)
			}
		}
		var edges puzzle.Edges
		p.Successors(frontier, &edges)
		next = edges.Keys
	}
	return depths
}

// TestZeroValueIsEverything holds the zero ExploreOptions to no limit at all, on a
// board whose states are known.
func TestZeroValueIsEverything(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("puzzles", "rushhour", "jam-93.txt"))
	if err != nil {
		t.Fatal(err)
	}
	run := begin(t, read(t, string(text)))
	if err := run.Explore(t.Context(), everystate.ExploreOptions{}); err != nil {
		t.Fatal(err)
	}
	const digest = "e0a0a5f58d55e5d12ef4dd9ef31fe706"
	if c := run.Counts(); c.States != 24132 || !run.Complete() || !run.HasGoalDistances() || c.Unsolvable != 0 || run.Digest() != digest {
		t.Errorf("%+v, %v, %v, %s", c, run.Complete(), run.HasGoalDistances(), run.Digest())
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		opts   everystate.ExploreOptions
		states int64
	}{
		{"depth 0", everystate.ExploreOptions{MaxDepth: new(0)}, 1},
		{"depth 2", everystate.ExploreOptions{MaxDepth: new(2)}, 8},
		{"states", everystate.ExploreOptions{MaxStates: 9}, 11},
		{"goal", everystate.ExploreOptions{StopAtGoal: true}, 30},
		{"none", everystate.ExploreOptions{NoGoalDistances: true}, 34},
	} {
		run := begin(t, read(t, small))
		if err := run.Explore(t.Context(), test.opts); err != nil || run.Counts().States != test.states || run.HasGoalDistances() {
			t.Errorf("%s: %d states, %v", test.name, run.Counts().States, err)
		}
	}
	run := begin(t, read(t, small))
	for _, opts := range []everystate.ExploreOptions{{MaxDepth: new(-1)}, {MaxStates: -1}, {ProgressInterval: -1}} {
		if err := run.Explore(t.Context(), opts); err == nil {
			t.Errorf("%+v is taken", opts)
		}
	}
}

// TestErrors holds each error to be told by what documentation says of it.
func TestErrors(t *testing.T) {
	t.Parallel()
	ctx, dir := t.Context(), filepath.Join(t.TempDir(), "run")
	board := read(t, small)
	if _, err := everystate.Read(small + "\n\n---\n" + small); err == nil {
		t.Error("two boards are one")
	}
	if _, err := everystate.Read("1 BB\n2 CC\n"); err == nil {
		t.Error("nonsense is read")
	}
	_, err := everystate.Open(dir, everystate.Options{})
	is(t, err, everystate.ErrNotExist)
	_, err = everystate.Create(dir, puzzle.Board{Puzzle: board.Puzzle}, everystate.Options{})
	is(t, err, everystate.ErrNameless)
	_, err = everystate.New(board, everystate.Options{ReadOnly: true})
	is(t, err, everystate.ErrReadOnly)
	if _, err := everystate.New(board, everystate.Options{Workers: -1, MemoryBytes: 1}); err == nil {
		t.Error("-1 workers are taken")
	}

	run, err := everystate.Create(dir, board, everystate.Options{})
	is(t, err, nil)
	_, err = everystate.Open(dir, everystate.Options{})
	is(t, err, everystate.ErrInUse)
	start := board.Puzzle.Starts()
	_, err = run.Depth(ctx, start)
	is(t, err, everystate.ErrUnreachable) // yet
	_, err = run.FirstGoal(ctx)
	is(t, err, everystate.ErrNoGoal)
	is(t, run.Explore(ctx, everystate.ExploreOptions{NoGoalDistances: true}), nil)
	_, err = run.GoalDistance(ctx, start)
	is(t, err, everystate.ErrNoGoalDistances)
	_, err = run.PathToGoal(ctx, start)
	is(t, err, everystate.ErrNoGoalDistances)
	_, err = run.Hardest(ctx, 1)
	is(t, err, everystate.ErrNoGoalDistances)
	for _, err := range run.AtGoalDistance(ctx, 0) {
		is(t, err, everystate.ErrNoGoalDistances)
	}
	for _, key := range [][]uint64{nil, {0, 0}, {^uint64(0)}} {
		_, err = run.Find(ctx, key)
		is(t, err, everystate.ErrUnreachable)
	}
	is(t, run.Close(), nil)
	is(t, run.Close(), nil)
	checkClosed(t, run, start)

	_, err = everystate.Create(dir, read(t, "3 pegs 4 discs"), everystate.Options{})
	is(t, err, everystate.ErrOtherPuzzle)
	_, err = everystate.Create(filepath.Dir(dir), board, everystate.Options{})
	is(t, err, everystate.ErrForeign)
	run, err = everystate.Open(dir, everystate.Options{ReadOnly: true})
	is(t, err, nil)
	is(t, run.Explore(ctx, everystate.ExploreOptions{}), everystate.ErrReadOnly)
	also, err := everystate.Open(dir, everystate.Options{ReadOnly: true})
	is(t, err, nil)
	is(t, errors.Join(run.Close(), also.Close()), nil)
}

func checkClosed(t *testing.T, run *everystate.Run, start []uint64) {
	t.Helper()
	ctx := t.Context()
	_, find := run.Find(ctx, start)
	_, to := run.PathTo(ctx, start)
	_, goal := run.FirstGoal(ctx)
	_, hardest := run.Hardest(ctx, 1)
	for _, err := range []error{find, to, goal, hardest, run.Explore(ctx, everystate.ExploreOptions{})} {
		is(t, err, everystate.ErrClosed)
	}
	for _, err := range run.States(ctx) {
		is(t, err, everystate.ErrClosed)
	}
	for _, err := range run.AtDepth(ctx, 0) {
		is(t, err, everystate.ErrClosed)
	}
}

func is(t *testing.T, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestDamage changes a byte of a run in the middle of its files.
func TestDamage(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	run, err := everystate.Create(dir, read(t, small), everystate.Options{})
	is(t, err, nil)
	is(t, run.Explore(t.Context(), everystate.ExploreOptions{}), nil)
	is(t, run.Close(), nil)
	damaged := 0
	for _, name := range must(filepath.Glob(filepath.Join(dir, "db", "*.log"))) {
		body := must(os.ReadFile(name))
		if len(body) == 0 {
			continue
		}
		damaged++
		body[len(body)/2] ^= 1
		is(t, os.WriteFile(name, body, 0o600), nil)
	}
	if damaged == 0 {
		t.Fatal("there is no file to damage")
	}
	run, err = everystate.Open(dir, everystate.Options{})
	if err == nil {
		_, err = run.Find(t.Context(), run.Board().Puzzle.Starts())
		_ = run.Close()
	}
	if !everystate.IsCorruption(err) || everystate.IsDiskFull(err) {
		t.Errorf("%v", err)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestCancel stops an exploration and iterations in the middle; what was found stays.
func TestCancel(t *testing.T) {
	t.Parallel()
	board := read(t, "8 6 7\n2 5 4\n3 0 1") // 181,440 states
	run := begin(t, board)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := run.Explore(ctx, everystate.ExploreOptions{ProgressInterval: 1, Progress: func(p everystate.Progress) {
		if p.States > 1000 {
			cancel()
		}
	}})
	is(t, err, context.Canceled)
	is(t, run.Explore(ctx, everystate.ExploreOptions{}), context.Canceled)
	if n := run.Counts().States; n < 100 || run.Complete() {
		t.Errorf("%d states are left, complete %v", n, run.Complete())
	}
	if l := run.GoalLayers(); l != nil {
		t.Errorf("goal distances of a run that is not complete: %v", l)
	}
	is(t, run.Explore(t.Context(), everystate.ExploreOptions{}), nil)
	if c := run.Counts(); c.States != 181440 || len(run.Layers()) != 32 {
		t.Errorf("%+v in %d layers", c, len(run.Layers()))
	}
	var states int64
	for _, l := range run.GoalLayers() {
		states += l.States
	}
	if states != 181440 {
		t.Errorf("goal distances of %d states", states)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	seen, last := 0, error(nil)
	for _, err := range run.States(ctx) {
		if seen++; seen == 10 {
			stop()
		}
		last = err
	}
	is(t, last, context.Canceled)
	if seen > 181440/2 {
		t.Errorf("%d states after they were cancelled", seen)
	}
	_, err = run.Find(ctx, board.Puzzle.Starts())
	is(t, err, context.Canceled)
}

// TestNothingGoesOn leaves iterations in the middle: no goroutine of theirs goes on.
// It is not parallel, as it counts goroutines.
func TestNothingGoesOn(t *testing.T) {
	run := begin(t, read(t, "8 6 7\n2 5 4\n3 0 1"))
	is(t, run.Explore(t.Context(), everystate.ExploreOptions{}), nil)
	before := runtime.NumGoroutine()
	for range 8 {
		for range run.States(t.Context()) { //nolint:errcheck // It is left at once.
			break
		}
		for range run.AtDepth(t.Context(), 20) { //nolint:errcheck // It is left at once.
			break
		}
	}
	// The store's own goroutines come and go.
	after := runtime.NumGoroutine()
	for end := time.Now().Add(10 * time.Second); after > before+2 && time.Now().Before(end); after = runtime.NumGoroutine() {
		select {
		case <-time.After(10 * time.Millisecond):
		case <-t.Context().Done():
		}
	}
	if after > before+2 {
		t.Errorf("%d goroutines are left of %d", after, before)
	}
}

// TestOwnPuzzle explores a puzzle that nobody has registered: in memory without a
// text, and in a directory, where it is opened with its rules again.
func TestOwnPuzzle(t *testing.T) {
	t.Parallel()
	boards := must(lightsout.Read([]byte("*.*.\n.*..\n..*."), puzzle.ReadOptions{}))
	rules := boards[0].Puzzle
	inMemory := begin(t, puzzle.Board{Puzzle: rules})
	is(t, inMemory.Explore(t.Context(), everystate.ExploreOptions{}), nil)
	if inMemory.Counts().States != 1<<12 {
		t.Errorf("%+v", inMemory.Counts())
	}
	dir := filepath.Join(t.TempDir(), "run")
	run := must(everystate.Create(dir, boards[0], everystate.Options{}))
	is(t, run.Explore(t.Context(), everystate.ExploreOptions{MaxDepth: new(3)}), nil)
	is(t, run.Close(), nil)
	if _, err := everystate.Open(dir, everystate.Options{}); err == nil {
		t.Error("a puzzle that nobody knows was opened without its rules")
	}
	run = must(everystate.Create(dir, boards[0], everystate.Options{Workers: 1}))
	is(t, run.Explore(t.Context(), everystate.ExploreOptions{}), nil)
	if run.Digest() != inMemory.Digest() {
		t.Errorf("digest %s in a directory, %s in memory", run.Digest(), inMemory.Digest())
	}
	is(t, run.Close(), nil)
}

// TestQuestionsAtOnce asks from several goroutines.
func TestQuestionsAtOnce(t *testing.T) {
	t.Parallel()
	run := begin(t, read(t, small))
	is(t, run.Explore(t.Context(), everystate.ExploreOptions{}), nil)
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for state, err := range run.States(t.Context()) {
				if err != nil {
					t.Error(err)
					return
				}
				if d, err := run.GoalDistance(t.Context(), state.Key); err != nil || d != state.GoalDistance {
					t.Errorf("%d and %d, %v", d, state.GoalDistance, err)
				}
			}
		})
	}
	wait.Wait()
}

// TestReadme runs the program that README shows and compares what it prints with
// what stands there.
func TestReadme(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds a program")
	}
	_, section, ok := strings.Cut(string(must(os.ReadFile("README.md"))), "\n## As a library\n")
	_, rest, fenced := strings.Cut(section, "```go\n")
	program, rest, closed := strings.Cut(rest, "```\n")
	_, rest, prints := strings.Cut(rest, "```\n")
	printed, _, end := strings.Cut(rest, "```\n")
	if !ok || !fenced || !closed || !prints || !end {
		t.Fatal("README shows no program under \"As a library\", or not what it prints")
	}
	_, body, _ := strings.Cut(program, "func main")
	if n := strings.Count(body, "\n"); n > 20 {
		t.Errorf("the program has %d lines", n)
	}
	file := filepath.Join(t.TempDir(), "main.go")
	is(t, os.WriteFile(file, []byte(program), 0o600), nil)
	var out bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "go", "run", file)
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	if err := cmd.Run(); err != nil || out.String() != printed {
		t.Errorf("it prints, %v:\n%s", err, out.String())
	}
}
