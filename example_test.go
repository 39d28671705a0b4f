package everystate_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/everystate/everystate"
	"github.com/everystate/everystate/docs/lightsout"
	"github.com/everystate/everystate/puzzle"
)

// small is a board of Rush Hour with 34 states.
const small = `
E.BB
ECCC
AA.F
DD.F`

// A board is read, explored in memory to its end, and asked for its hardest states.
func Example() {
	ctx := context.Background()
	board, err := everystate.Read("E.BB / ECCC / AA.F / DD.F")
	if err != nil {
		log.Fatal(err)
	}
	run, err := everystate.New(board, everystate.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer run.Close()
	if err := run.Explore(ctx, everystate.ExploreOptions{}); err != nil {
		log.Fatal(err)
	}
	hardest, err := run.Hardest(ctx, 1)
	if err != nil {
		log.Fatal(err)
	}
	path, err := run.PathToGoal(ctx, hardest.States[0])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(run.Counts().States, "states; the hardest is solved by", path)
	// Output:
	// 34 states; the hardest is solved by B-1 A+1 D+1 E+1 E+1 C-1 F-1 F-1 A+1
}

// A puzzle of your own needs no more than its rules: it is known to nobody else.
func Example_ownPuzzle() {
	ctx := context.Background()
	boards, err := lightsout.Read([]byte("*.*\n.*.\n..*"), puzzle.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	rules := boards[0].Puzzle // whatever is a puzzle.Puzzle
	run, err := everystate.New(puzzle.Board{Puzzle: rules, Family: "lights-out", Metric: "press"}, everystate.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer run.Close()
	if err := run.Explore(ctx, everystate.ExploreOptions{}); err != nil {
		log.Fatal(err)
	}
	path, err := run.PathToGoal(ctx, rules.Starts())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d states, solved by %v\n", run.Counts().States, path)
	// Output:
	// 512 states, solved by r1c3 r2c1 r2c2 r3c2
}

// What is wrong with a text comes with its place.
func ExampleRead() {
	_, err := everystate.Read("AA.B\n...B\n.C?.\n....")
	var fault *puzzle.InputError
	if errors.As(err, &fault) {
		fmt.Printf("line %d, column %d\n", fault.Line, fault.Column)
	}
	// Output:
	// line 3, column 3
}

// A run in a directory outlives the program: it is stopped here by a limit, and goes
// on as if it had not been.
func ExampleCreate() {
	ctx := context.Background()
	parent, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(parent)
	dir := filepath.Join(parent, "small")

	board, err := everystate.Read(small)
	if err != nil {
		log.Fatal(err)
	}
	run, err := everystate.Create(dir, board, everystate.Options{})
	if err != nil {
		log.Fatal(err)
	}
	err = run.Explore(ctx, everystate.ExploreOptions{MaxDepth: new(5)})
	fmt.Println(run.Counts().States, run.Complete(), err)
	if err := run.Close(); err != nil {
		log.Fatal(err)
	}

	run, err = everystate.Open(dir, everystate.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer run.Close()
	err = run.Explore(ctx, everystate.ExploreOptions{})
	fmt.Println(run.Counts().States, run.Complete(), err)
	// Output:
	// 17 false <nil>
	// 34 true <nil>
}

// explored returns the run of the small board, with everything found.
func explored() *everystate.Run {
	board, err := everystate.Read(small)
	if err != nil {
		log.Fatal(err)
	}
	run, err := everystate.New(board, everystate.Options{})
	if err != nil {
		log.Fatal(err)
	}
	if err := run.Explore(context.Background(), everystate.ExploreOptions{}); err != nil {
		log.Fatal(err)
	}
	return run
}

// Somebody may watch while a run is explored.
func ExampleRun_Explore() {
	board, err := everystate.Read(small)
	if err != nil {
		log.Fatal(err)
	}
	run, err := everystate.New(board, everystate.Options{Workers: 2, MemoryBytes: 64 << 20})
	if err != nil {
		log.Fatal(err)
	}
	defer run.Close()
	var last everystate.Progress
	err = run.Explore(context.Background(), everystate.ExploreOptions{
		NoGoalDistances: true,
		Progress:        func(p everystate.Progress) { last = p },
	})
	fmt.Printf("%d states at depths up to %d, %v\n", last.States, last.Depth-1, err)
	// Output:
	// 34 states at depths up to 11, <nil>
}

func ExampleRun_Counts() {
	run := explored()
	defer run.Close()
	fmt.Printf("%+v\n", run.Counts())
	// Output:
	// {States:34 Generated:118 Duplicates:85 Goals:4 Unsolvable:0}
}

func ExampleRun_Digest() {
	run := explored()
	defer run.Close()
	fmt.Println(run.Digest())
	// Output:
	// 3d164ce1a2c6de0c46b91d9c17317533
}

func ExampleRun_Layers() {
	run := explored()
	defer run.Close()
	for depth, layer := range run.Layers() {
		if layer.Goals > 0 {
			fmt.Printf("depth %d: %d states, %d goals\n", depth, layer.States, layer.Goals)
		}
	}
	// Output:
	// depth 9: 4 states, 1 goals
	// depth 10: 3 states, 2 goals
	// depth 11: 1 states, 1 goals
}

func ExampleRun_Find() {
	run := explored()
	defer run.Close()
	rules := run.Board().Puzzle
	key, err := rules.Parse("E.BB / ECCC / .AAF / DD.F")
	if err != nil {
		log.Fatal(err)
	}
	state, err := run.Find(context.Background(), key)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d from the start, by %s, and %d from a goal\n", state.Depth, rules.FormatMove(state.Move), state.GoalDistance)
	// Output:
	// 1 from the start, by A+1, and 8 from a goal
}

func ExampleRun_GoalDistance() {
	ctx := context.Background()
	run := explored()
	defer run.Close()
	start := run.Board().Puzzle.Starts()
	fmt.Println(run.GoalDistance(ctx, start))
	// Output:
	// 9 <nil>
}

// What an incomplete run has not found yet cannot be told from what can never be
// reached.
func ExampleRun_Depth() {
	ctx := context.Background()
	board, err := everystate.Read(small)
	if err != nil {
		log.Fatal(err)
	}
	run, err := everystate.New(board, everystate.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer run.Close()
	solved, err := board.Puzzle.Parse(".BBF / CCCF / E.AA / EDD.")
	if err != nil {
		log.Fatal(err)
	}
	for _, limit := range []*int{new(8), nil} {
		if err := run.Explore(ctx, everystate.ExploreOptions{MaxDepth: limit}); err != nil {
			log.Fatal(err)
		}
		depth, err := run.Depth(ctx, solved)
		fmt.Println(depth, errors.Is(err, everystate.ErrUnreachable))
	}
	// Output:
	// 0 true
	// 9 false
}

// The path to the first goal is a shortest solution.
func ExampleRun_PathTo() {
	ctx := context.Background()
	run := explored()
	defer run.Close()
	goal, err := run.FirstGoal(ctx)
	if err != nil {
		log.Fatal(err)
	}
	path, err := run.PathTo(ctx, goal)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d moves: %v\n%s\n", len(path.Moves), path, run.Board().Puzzle.Format(goal))
	// Output:
	// 9 moves: A+1 E+1 D+1 E+1 C-1 F-1 B-1 F-1 A+1
	// .BBF
	// CCCF
	// E.AA
	// EDD.
}

func ExampleRun_PathToGoal() {
	ctx := context.Background()
	run := explored()
	defer run.Close()
	path, err := run.PathToGoal(ctx, run.Board().Puzzle.Starts())
	fmt.Println(path, err)
	// Output:
	// B-1 A+1 D+1 E+1 E+1 C-1 F-1 F-1 A+1 <nil>
}

func ExampleRun_Hardest() {
	run := explored()
	defer run.Close()
	hardest, err := run.Hardest(context.Background(), 10)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(hardest.Count, "state is", hardest.Distance, "moves from a goal:")
	for _, key := range hardest.States {
		fmt.Println(run.Board().Puzzle.Format(key))
	}
	// Output:
	// 1 state is 9 moves from a goal:
	// E.BB
	// ECCC
	// AA.F
	// DD.F
}

// All states with all that is known of them; break ends it early.
func ExampleRun_States() {
	run := explored()
	defer run.Close()
	near := 0
	for state, err := range run.States(context.Background()) {
		if err != nil {
			log.Fatal(err)
		}
		if state.GoalDistance <= 3 {
			near++
		}
	}
	fmt.Println(near, "states are at most three moves from a goal")
	// Output:
	// 16 states are at most three moves from a goal
}

func ExampleRun_AtDepth() {
	run := explored()
	defer run.Close()
	for key, err := range run.AtDepth(context.Background(), 11) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(run.Board().Puzzle.Format(key))
	}
	// Output:
	// BB.F
	// CCCF
	// E.AA
	// E.DD
}

func ExampleRun_AtGoalDistance() {
	run := explored()
	defer run.Close()
	n := 0
	for _, err := range run.AtGoalDistance(context.Background(), 0) {
		if err != nil {
			log.Fatal(err)
		}
		n++
	}
	fmt.Println(n, "goals")
	// Output:
	// 4 goals
}
