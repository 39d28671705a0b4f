// Package kinds knows which kinds of sweeps there are: it makes an enumeration of
// the text of its rules. It must never know what units find, or where that is kept.
package kinds

import (
	"fmt"
	"strings"

	"github.com/everystate/everystate/sweep"
	"github.com/everystate/everystate/sweep/rushhour"
)

// Open returns the enumeration whose rules have that text, which stands in a journal
// or a database or has come over the network.
func Open(text string) (sweep.Enumeration, error) {
	first, _, _ := strings.Cut(text, "\n")
	if first != "sweep: "+rushhour.Kind {
		return nil, fmt.Errorf("rules that begin with %q: they begin with %q", first, "sweep: "+rushhour.Kind)
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
