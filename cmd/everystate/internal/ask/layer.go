package ask

import (
	"context"
	"fmt"
	"strings"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/runs"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/quantity"
	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/internal/terminal/picture"
)

// sampleJSON is described in docs/JSON.md.
type sampleJSON struct {
	Depth   int           `json:"depth"`
	States  int64         `json:"states"`
	Dropped bool          `json:"dropped"`
	Sample  []sampledJSON `json:"sample"`
	Run     string        `json:"run"`
}

type sampledJSON struct {
	State string  `json:"state"`
	Move  *string `json:"move"` // nil for a start
}

// showLayer prints some states of the layer at a depth.
func showLayer(ctx context.Context, env *shell.Env, r runs.View, depth int, asJSON bool) error {
	layers := r.History().Layers(history.Forward)
	if depth >= len(layers) {
		if !r.Space().Complete() {
			return runs.NotFound(env, r, "", "there are layers only")
		}
		return exit.Errorf(exit.NotFound, "%s has no layer at depth %d: its last is at %d", r.Dir(), depth, len(layers)-1)
	}
	layer := layers[depth]
	sample, err := query.Sample(ctx, r.Space(), layer)
	if err != nil {
		return runs.Explain(env, r.Dir(), err)
	}
	seen := sampleJSON{Depth: depth, States: layer.States, Dropped: r.History().Dropped(layer), Sample: []sampledJSON{}, Run: r.Dir()}
	var keys [][]uint64
	for _, at := range sample {
		s := sampledJSON{State: runs.Text(r, at.Key)}
		if depth > 0 {
			s.Move = new(r.Board().Puzzle.FormatMove(at.Move))
		}
		seen.Sample, keys = append(seen.Sample, s), append(keys, at.Key)
	}
	if asJSON {
		return env.JSON(seen)
	}
	printSample(env, r, &seen, keys)
	return nil
}

func printSample(env *shell.Env, r runs.View, s *sampleJSON, keys [][]uint64) {
	fmt.Fprintf(env.Out, "depth %d, %s", s.Depth, quantity.Counted(s.States, "state"))
	switch n := int64(len(keys)); {
	case s.Dropped && n == 0:
		fmt.Fprint(env.Out, ", dropped: only the counts stay\n")
		return
	case s.Dropped:
		fmt.Fprintf(env.Out, ", dropped: a sample of %d stays", n)
	case n < s.States:
		fmt.Fprintf(env.Out, ", of which these are %d", n)
	}
	fmt.Fprint(env.Out, "\n\n")
	pen := runs.Painter(env, r)
	var pics []picture.Picture
	for i, text := range runs.Drawings(r, keys) {
		pic := pen.Draw(text)
		if move := s.Sample[i].Move; move != nil {
			pic.Title = "by " + *move
		}
		pics = append(pics, pic)
	}
	fmt.Fprintln(env.Out, strings.Join(picture.Beside(pics, env.OutTerm.Width()), "\n"))
}
