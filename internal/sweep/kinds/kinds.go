// Package kinds knows which kinds of sweeps there are: it makes an enumeration of
// the text of its rules. It must never know what units find, or where that is kept.
package kinds

import (
	"fmt"
	"strings"

	"github.com/everystate/everystate/internal/sweep"
	"github.com/everystate/everystate/internal/sweep/blocks"
	"github.com/everystate/everystate/internal/sweep/rushhour"
	"github.com/everystate/everystate/internal/sweep/sokoban"
)

// A Kind says how the boards of a kind of sweep are spoken of.
type Kind struct {
	// Name is the value of the first line of the rules.
	Name string
	// Clusters and Pieces are the words for what counts and records call clusters and
	// pieces.
	Clusters, Pieces string
	// HasWalls says that records say whether they are minimal, and how many walls there
	// are, in the places of [rushhour.Minimal] and [rushhour.Walls]. Others say nothing.
	HasWalls bool
	// Solvable says that every cluster holds a goal state.
	Solvable bool
	// Reduces says that its sweeps need not visit everything.
	Reduces bool

	open func(text string) (sweep.Enumeration, error)
}

// kinds are all there are.
var kinds = [...]Kind{
	{"rush-hour", "clusters", "vehicles", true, false, true, opener(rushhour.Parse, rushhour.New)},
	{sokoban.Kind, "goal sets", "boxes", false, true, false, opener(sokoban.Parse, sokoban.New)},
	{blocks.Kind, "clusters", "pieces", false, false, false, opener(blocks.Parse, blocks.New)},
}

// opener joins what reads rules and what plans an enumeration.
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

// Of returns the kind of the rules that a text begins with.
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
	return Kind{}, fmt.Errorf("rules that begin with %q: they begin with %s", first, strings.Join(known, " or "))
}

// Open returns the enumeration whose rules have that text, which stands in a journal
// or a database or has come over the network.
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
		return nil, fmt.Errorf("rules that say %q", e.Rules())
	}
	return e, nil
}

// Expected returns how many states an enumeration has in all, if that is known
// without enumerating them, and else 0.
func Expected(e sweep.Enumeration) uint64 {
	if counted, ok := e.(interface{ Expected() uint64 }); ok {
		return counted.Expected()
	}
	return 0
}
