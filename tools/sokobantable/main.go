// Sokobantable solves the levels of testdata/truth with the Sokoban solvers and
// writes the tables of docs/RESULTS.md: for the children's levels those of a paper of
// 2001, for all levels the optimal lengths, nodes and times.
//
// With -collection it writes the paper's own numbers beside ours instead, for all of
// its levels. They come from a file of the user's, as they are not ours to publish.
//
// Every solution is replayed by the rules before it is counted, and a length that
// differs from the known one ends the program.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/everystate/everystate/internal/solve"
	"github.com/everystate/everystate/internal/solve/sokoban"
	"github.com/everystate/everystate/puzzle"
	puzzles "github.com/everystate/everystate/puzzle/sokoban"
	"github.com/everystate/everystate/tools/measure"
)

// marks are the lines of a document between which tables go.
type marks struct{ begin, end string }

func tableMarks() marks {
	return marks{"<!-- make sokoban-table writes from here -->\n", "<!-- to here -->\n"}
}

func paperMarks() marks {
	return marks{"<!-- make sokoban-paper-table writes from here -->\n", "<!-- to the end of the paper's table -->\n"}
}

// options are the flags.
type options struct {
	truth, only, collection, paper, into string
	nodes                                int64
}

func main() {
	var o options
	flag.StringVar(&o.truth, "truth", "testdata/truth/sokoban.json", "file of known levels")
	flag.Int64Var(&o.nodes, "nodes", 1_000_000, "the most positions expanded for a level")
	flag.StringVar(&o.only, "only", "", "only levels with this in their names")
	flag.StringVar(&o.collection, "collection", "", "file with the paper's 61 levels, to compare with the paper's numbers")
	flag.StringVar(&o.paper, "paper", "tools/sokobantable/paper.json", "file of the paper's numbers")
	flag.StringVar(&o.into, "into", "", "file in which to replace the tables; none prints them")
	flag.Parse()
	if err := run(context.Background(), &o); err != nil {
		fmt.Fprintln(os.Stderr, "sokobantable:", err)
		os.Exit(1)
	}
}

// level is a truth record.
type level struct {
	ID             string `json:"id"`
	Input          string `json:"input"`
	Metric         string `json:"metric"`
	Cells          int    `json:"cells"`
	Boxes          int    `json:"boxes"`
	SolutionLength *int   `json:"solution_length"`
	Published      *struct {
		SolutionLength int `json:"solution_length"`
	} `json:"published"`
}

func (l *level) name() string {
	return strings.TrimSuffix(strings.TrimPrefix(l.ID, "sokoban-"), "/push")
}

// table generates the tables.
type table struct {
	context.Context //nolint:containedctx // It lives as long as the program.

	algorithms map[string]solve.Algorithm
	nodesMax   int64
	text       strings.Builder
}

func run(ctx context.Context, o *options) error {
	text, err := os.ReadFile(o.truth)
	if err != nil {
		return err
	}
	var all, levels []level
	if err := json.Unmarshal(text, &all); err != nil {
		return fmt.Errorf("%s: %w", o.truth, err)
	}
	for _, l := range all {
		if l.Metric == "push" && strings.Contains(l.ID, o.only) {
			levels = append(levels, l)
		}
	}
	t := &table{Context: ctx, nodesMax: o.nodes, algorithms: map[string]solve.Algorithm{}}
	for _, a := range sokoban.Algorithms() {
		t.algorithms[a.Name] = a
	}
	at, write := tableMarks(), t.write
	if o.collection != "" {
		at, write = paperMarks(), func(known []level) error { return t.compare(o, known) }
	}
	if err := write(levels); err != nil {
		return err
	}
	if o.into == "" {
		_, err = fmt.Print(t.text.String())
		return err
	}
	return at.replace(o.into, t.text.String())
}

// write makes the tables of the known levels.
func (t *table) write(levels []level) error {
	fmt.Fprintf(&t.text, "At most %s nodes per level; times are of one processor, in seconds, tables of the level included.\n\n", measure.Grouped(t.nodesMax))
	for _, write := range []func([]level) error{t.versions, t.iterations, t.collections} {
		if err := write(levels); err != nil {
			return err
		}
	}
	return nil
}

// compare makes the table beside the paper's.
func (t *table) compare(o *options, known []level) error {
	rows, err := readPaper(o.paper)
	if err != nil {
		return err
	}
	levels, err := readCollection(o.collection, known)
	if err != nil {
		return err
	}
	return t.paper(rows, levels)
}

// replace replaces the text between the marks of a file.
func (m marks) replace(file, text string) error {
	old, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(old), m.begin)
	_, after, found := strings.Cut(rest, m.end)
	if !ok || !found {
		return fmt.Errorf("%s: the marks around the tables are missing", file)
	}
	return os.WriteFile(file, []byte(before+m.begin+"\n"+text+m.end+after), 0o644)
}

// answer is a result with its resources, and its length checked.
type answer struct {
	solve.Result
	pushes int
	took   time.Duration
}

// solve solves a level and replays the solution.
func (t *table) solve(l *level, name string) (answer, error) {
	boards, err := puzzles.Read([]byte(l.Input), puzzle.ReadOptions{Metric: "push"})
	if err != nil {
		return answer{}, fmt.Errorf("%s: %w", l.ID, err)
	}
	algorithm := t.algorithms[name]
	begin := measure.CPUTime()
	r, err := algorithm.Solve(t, &solve.Problem{Board: boards[0], Limits: solve.Limits{NodesMax: t.nodesMax}})
	if err != nil {
		return answer{}, fmt.Errorf("%s: %s: %w", l.ID, name, err)
	}
	a := answer{Result: r, took: measure.CPUTime() - begin}
	fmt.Fprintf(os.Stderr, "%s %s: %v, %d moves, %d nodes, %v\n", l.name(), name, r.Outcome, len(r.Moves), r.Expanded, a.took)
	switch {
	case r.Outcome == solve.Unsolvable:
		return a, fmt.Errorf("%s: %s: a solvable level is reported as unsolvable", l.ID, name)
	case r.Outcome != solve.Solved:
		return a, nil
	}
	prepared, err := sokoban.NewLevel(boards[0].Puzzle, nil)
	if err != nil {
		return a, err
	}
	s, err := prepared.Solution(r.Moves)
	if err != nil {
		return a, fmt.Errorf("%s: %s: %w", l.ID, name, err)
	}
	if a.pushes, err = sokoban.Check(l.Input, s.Moves); err != nil {
		return a, fmt.Errorf("%s: %s: %w", l.ID, name, err)
	}
	if l.SolutionLength != nil && r.Optimal && a.pushes != *l.SolutionLength {
		return a, fmt.Errorf("%s: %s: %d pushes, but %d are optimal", l.ID, name, a.pushes, *l.SolutionLength)
	}
	return a, nil
}

// nodes returns the number of nodes, "> N" if the limit was reached.
func (a *answer) nodes() string {
	if a.Outcome != solve.Solved {
		return "> " + measure.Grouped(a.Expanded)
	}
	return measure.Grouped(a.Expanded)
}

// last returns the number of nodes of the last iteration.
func (a *answer) last() string {
	if a.Outcome != solve.Solved {
		return "-"
	}
	return measure.Grouped(a.Iterations[len(a.Iterations)-1].Expanded)
}

// row writes the cells of a Markdown table.
func (t *table) row(cells ...string) {
	t.text.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}

func (t *table) head(cells ...string) {
	t.row(cells...)
	t.text.WriteString("| ---" + strings.Repeat(" | ---:", len(cells)-1) + " |\n")
}

func versionNames() []string { return []string{"soko-1", "soko-2", "soko-3", "soko-4", "soko-5"} }

// versions compares the versions on the children's levels.
func (t *table) versions(levels []level) error {
	t.text.WriteString("### Children's levels, by version\n\n")
	t.head("level", "published", "optimal", "depth 1", "depth 2-4", "depth 5", "nodes 1", "nodes 2", "nodes 3", "nodes 4", "top 4", "nodes 5", "top 5", "`soko`")
	solved := make([]int, len(versionNames())+1)
	count := 0
	for _, l := range levels {
		if !strings.Contains(l.ID, "kids") {
			continue
		}
		count++
		var answers []answer
		for i, name := range append(versionNames(), "soko") {
			a, err := t.solve(&l, name)
			if err != nil {
				return err
			}
			if a.Outcome == solve.Solved {
				solved[i]++
			}
			answers = append(answers, a)
		}
		published := ""
		if l.Published != nil {
			published = strconv.Itoa(l.Published.SolutionLength)
		}
		t.row(l.name(), published, strconv.Itoa(*l.SolutionLength),
			strconv.Itoa(answers[0].InitialBound), strconv.Itoa(answers[1].InitialBound), strconv.Itoa(answers[4].InitialBound),
			answers[0].nodes(), answers[1].nodes(), answers[2].nodes(), answers[3].nodes(), answers[3].last(),
			answers[4].nodes(), answers[4].last(), answers[5].nodes())
	}
	fmt.Fprintf(&t.text, "\nSolved of %d:", count)
	for i, name := range append(versionNames(), "soko") {
		fmt.Fprintf(&t.text, " `%s` %d;", name, solved[i])
	}
	t.text.WriteString(" all with the optimal number of pushes.\n\n")
	return nil
}

// iterations writes the nodes of each iteration for the first children's levels.
func (t *table) iterations(levels []level) error {
	const levelsMax = 4
	t.text.WriteString("### Nodes of each iteration\n\n")
	t.head("level", "version", "depth: nodes, for each iteration")
	shown := 0
	for _, l := range levels {
		if !strings.Contains(l.ID, "kids") || shown == levelsMax {
			continue
		}
		shown++
		for _, name := range versionNames() {
			a, err := t.solve(&l, name)
			if err != nil {
				return err
			}
			var parts []string
			for _, i := range a.Iterations {
				parts = append(parts, fmt.Sprintf("%d: %s", i.Bound, measure.Grouped(i.Expanded)))
			}
			t.row(l.name(), name, strings.Join(parts, "; "))
		}
	}
	t.text.WriteString("\n")
	return nil
}

// collections solves all levels with the best solvers.
func (t *table) collections(levels []level) error {
	for _, c := range []struct{ title, part string }{
		{"Microban", "microban"}, {"XSokoban", "xsokoban"}, {"Boxoban", "boxoban"},
	} {
		fmt.Fprintf(&t.text, "### %s\n\n", c.title)
		t.head("level", "boxes", "cells", "pushes", "known", "depth", "`soko` nodes", "time", "`soko-5` nodes", "time", "`soko-astar-fast` pushes", "nodes")
		count, solved, deepened := 0, 0, 0
		for _, l := range levels {
			if !strings.HasPrefix(l.ID, "sokoban-"+c.part) {
				continue
			}
			var answers [3]answer
			for i, name := range []string{"soko", "soko-5", "soko-astar-fast"} {
				a, err := t.solve(&l, name)
				if err != nil {
					return err
				}
				answers[i] = a
			}
			count++
			best, ida, fast := &answers[0], &answers[1], &answers[2]
			length, known := "", ""
			if best.Outcome == solve.Solved {
				solved++
				length = strconv.Itoa(best.pushes)
			}
			if ida.Outcome == solve.Solved {
				deepened++
			}
			if l.SolutionLength != nil {
				known = strconv.Itoa(*l.SolutionLength)
			}
			t.row(l.name(), strconv.Itoa(l.Boxes), strconv.Itoa(l.Cells), length, known, strconv.Itoa(best.InitialBound),
				best.nodes(), measure.Seconds(best.took.Seconds()), ida.nodes(), measure.Seconds(ida.took.Seconds()),
				strconv.Itoa(fast.pushes), fast.nodes())
		}
		fmt.Fprintf(&t.text, "\nSolved with the least pushes, of %d: `soko` %d, `soko-5` %d.\n\n", count, solved, deepened)
	}
	return nil
}
