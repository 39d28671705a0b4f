// Package kinds lists the kinds of sweeps: it makes an enumeration from the text of
// its rules. It must never know what units find, or where findings are stored.
package kinds

import (
	"fmt"
	"strings"

	"github.com/everystate/everystate/internal/sweep"
	"github.com/everystate/everystate/internal/sweep/blocks"
	"github.com/everystate/everystate/internal/sweep/rushhour"
	"github.com/everystate/everystate/internal/sweep/rushhour/rules"
	"github.com/everystate/everystate/internal/sweep/sokoban"
)

// A Kind holds the vocabulary and abilities of a kind of sweep.
type Kind struct {
	// Name is the value of the first line of the rules.
	Name string
	// Clusters and Pieces are the puzzle's words for the clusters that are counted
	// and the pieces of a record.
	Clusters, Pieces string
	// HasWalls means that records hold the attributes [rushhour.Minimal] and
	// [rushhour.Walls]. Records of other kinds have no attributes.
	HasWalls bool
	// Solvable means that every cluster holds a goal state.
	Solvable bool
	// Reduces means that a sweep can leave out what cannot hold a puzzle.
	Reduces bool
	// Graded means that boards have a grade (package internal/grade).
	Graded bool

	open func(text string) (sweep.Enumeration, error)
}

// kinds lists them all.
var kinds = [...]Kind{
	{"rush-hour", "clusters", "vehicles", true, false, true, true, opener(rules.Parse, rushhour.New)},
	{sokoban.Kind, "goal sets", "boxes", false, true, false, false, opener(sokoban.Parse, sokoban.New)},
	{blocks.Kind, "clusters", "pieces", false, false, false, false, opener(blocks.Parse, blocks.New)},
}

// opener combines a parser of rules with a planner of enumerations.
func opener[R any, E sweep.Enumeration](parse func(string) (R, error), plan func(R) (E, error)) func(string) (sweep.Enumeration, error) {
	return func(text string) (sweep.Enumeration, error) {
		rules, err := parse(text)
		if err != nil {
			return nil, err
		}
		e, err := plan(rules)
		if err != nil {
			return nil, err
		}
		return e, nil
	}
}

// Of returns the kind of sweep that a text of rules names.
func Of(text string) (Kind, error) {
	first, _, _ := strings.Cut(text, "\n")
	var known []string
	for _, k := range kinds {
		line := "sweep: " + k.Name
		if first == line {
			return k, nil
		}
		known = append(known, fmt.Sprintf("%q", line))
	}
	return Kind{}, fmt.Errorf("rules that begin with %q: must begin with %s", first, strings.Join(known, " or "))
}

// Open returns the enumeration of the rules with the given text, which comes from a
// journal, a database or the network.
func Open(text string) (sweep.Enumeration, error) {
	k, err := Of(text)
	if err != nil {
		return nil, err
	}
	e, err := k.open(text)
	if err != nil {
		return nil, err
	}
	if e.Rules() != text {
		return nil, fmt.Errorf("rules that are not in canonical form: must be %q", e.Rules())
	}
	return e, nil
}

// Expected returns how many states an enumeration has in all, 0 if that is unknown
// without enumerating them.
func Expected(e sweep.Enumeration) uint64 {
	if counted, ok := e.(interface{ Expected() uint64 }); ok {
		return counted.Expected()
	}
	return 0
}
