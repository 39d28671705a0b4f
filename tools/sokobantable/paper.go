package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/everystate/everystate/internal/solve"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
	"github.com/everystate/everystate/tools/measure"
)

const paperVersions = 4

// paperRow is what the paper says of a level and a version; nothing is nil.
type paperRow struct {
	Pushes  *int   `json:"pushes"`
	Nodes   *int64 `json:"nodes"`
	Initial *int   `json:"initial_depth"`
	Top     *int64 `json:"top_level_nodes"`
}

// paperLevel has the versions that the paper gives for a level. One that is null was
// not solved.
type paperLevel struct {
	Level  int       `json:"level"`
	First  *paperRow `json:"baby1"`
	Second *paperRow `json:"baby2"`
	Third  *paperRow `json:"baby3"`
	Fourth *paperRow `json:"baby4"`
}

func (p *paperLevel) version(i int) paperRow {
	if row := [paperVersions]*paperRow{p.First, p.Second, p.Third, p.Fourth}[i]; row != nil {
		return *row
	}
	return paperRow{}
}

func readPaper(file string) ([]paperLevel, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var paper struct {
		Levels []paperLevel `json:"levels"`
	}
	if err := json.Unmarshal(text, &paper); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for i, l := range paper.Levels {
		if l.Level != i+1 {
			return nil, fmt.Errorf("%s: found level %d, expected level %d", file, l.Level, i+1)
		}
	}
	return paper.Levels, nil
}

// readCollection returns the levels of a file that is the user's: the first is the
// paper's level 1, and so on. The optimal pushes of those that are known are checked.
func readCollection(file string, known []level) ([]level, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	boards, err := families.ReadLoosely(text, puzzle.ReadOptions{Metric: "push"})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	byName := map[string]level{}
	for _, l := range known {
		byName[l.name()] = l
	}
	levels := make([]level, len(boards))
	for i, b := range boards {
		name := fmt.Sprintf("kids-%03d", i+1)
		_, drawing, _ := strings.Cut(b.Text, "\n\n") // after the headers
		levels[i] = level{ID: name, Input: drawing, SolutionLength: byName[name].SolutionLength}
	}
	return levels, nil
}

// paper puts the numbers of the paper beside ours, level by level. It fails if a level
// that the paper solves is not solved, or takes more nodes in sum.
func (t *table) paper(rows []paperLevel, levels []level) error {
	if len(rows) != len(levels) {
		return fmt.Errorf("the paper has %d levels, the collection %d", len(rows), len(levels))
	}
	fmt.Fprintf(&t.text, "At most %s nodes per level.\n\n", measure.Grouped(t.nodesMax))
	t.head("level", "pushes, paper", "ours", "depth 1, paper", "ours", "top 1, paper", "ours",
		"1, paper", "ours", "2, paper", "ours", "3, paper", "ours", "4, paper", "ours")
	var theirs, ours [paperVersions]int64
	var given, same, solved [paperVersions]int
	for i, l := range levels {
		cells := []string{fmt.Sprintf("Baby-%d", rows[i].Level)}
		var answers [paperVersions]answer
		for v, name := range versionNames()[:paperVersions] {
			var err error
			if answers[v], err = t.solve(&l, name); err != nil {
				return err
			}
			if answers[v].Outcome == solve.Solved {
				solved[v]++
			}
		}
		pushes := rows[i].version(0).Pushes
		if pushes == nil {
			pushes = rows[i].version(2).Pushes
		}
		first := rows[i].version(0)
		cells = append(cells, said(pushes), answers[paperVersions-1].length(),
			said(first.Initial), strconv.Itoa(answers[0].InitialBound), said(first.Top), answers[0].top())
		for v := range answers {
			a, nodes := &answers[v], rows[i].version(v).Nodes
			cells = append(cells, said(nodes), a.generated())
			if nodes == nil {
				continue
			}
			if a.Outcome != solve.Solved {
				return fmt.Errorf("%s: version %d solves it in the paper, but not here", l.name(), v+1)
			}
			given[v]++
			theirs[v] += *nodes
			ours[v] += a.Generated
			if *nodes == a.Generated {
				same[v]++
			}
		}
		t.row(cells...)
	}
	t.text.WriteString("\nOver the levels for which the paper gives nodes:\n\n")
	t.head("version", "levels", "nodes, paper", "ours", "levels with the same number", "solved by ours, of "+strconv.Itoa(len(levels)))
	for v := range theirs {
		t.row(strconv.Itoa(v+1), strconv.Itoa(given[v]), measure.Grouped(theirs[v]), measure.Grouped(ours[v]), strconv.Itoa(same[v]), strconv.Itoa(solved[v]))
		if ours[v] > theirs[v] {
			return fmt.Errorf("version %d: %d nodes in total, %d in the paper", v+1, ours[v], theirs[v])
		}
	}
	t.text.WriteString("\n")
	return nil
}

// said writes a number of the paper, if there is one.
func said[N int | int64](n *N) string {
	if n == nil {
		return ""
	}
	return measure.Grouped(int64(*n))
}

func (a *answer) length() string {
	if a.Outcome != solve.Solved {
		return ""
	}
	return strconv.Itoa(a.pushes)
}

// generated writes how many positions were generated.
func (a *answer) generated() string {
	if a.Outcome != solve.Solved {
		return "> " + measure.Grouped(a.Generated)
	}
	return measure.Grouped(a.Generated)
}

// top is how many were generated in the last iteration.
func (a *answer) top() string {
	if a.Outcome != solve.Solved || len(a.Iterations) == 0 {
		return ""
	}
	return measure.Grouped(a.Iterations[len(a.Iterations)-1].Generated)
}
