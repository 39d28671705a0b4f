// Package kinds knows which kinds of sweeps there are: it makes an enumeration of
// the text of its rules. It must never know what units find, or where that is kept.
package kinds

import (
	"fmt"
	"strings"

	"github.com/everystate/everystate/sweep"
	"github.com/everystate/everystate/sweep/rushhour"
)

// firstLine begins the rules of Rush Hour.
const firstLine = "sweep: rush-hour"

// Open returns the enumeration whose rules have that text, which stands in a journal
// or a database or has come over the network.
func Open(text string) (sweep.Enumeration, error) {
	first, _, _ := strings.Cut(text, "\n")
	if first != firstLine {
		return nil, fmt.Errorf("rules that begin with %q: they begin with %q", first, firstLine)
	}
	rules, err := rushhour.Parse(text)
	if err != nil {
		return nil, err
	}
	e, err := rushhour.New(rules)
	if err != nil {
		return nil, err
	}
	if e.Rules() != text {
		return nil, fmt.Errorf("rules that say %q", e.Rules())
	}
	return e, nil
}
