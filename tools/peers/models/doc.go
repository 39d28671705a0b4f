// Package models writes boards as models for general model checkers, Promela for Spin
// and Murphi for Rumur, in order to compare these with Everystate.
//
// A model has one reachable state per state of the board, one transition per move of
// one step, and nothing in its state that does not follow from the board's. It is
// written as an experienced user of the tool would write it for speed. The package
// must never look at how many states a board has.
package models

import (
	"errors"
	"fmt"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/rushhour"
	"github.com/everystate/everystate/puzzle/tiles"
)

// A Model is a board that can be written for other tools. The name goes into a
// comment.
type Model interface {
	Promela(name string) string
	Murphi(name string) string
}

// ErrNoModel reports a board that this package has no model of.
var ErrNoModel = errors.New("no model of this board")

// Of returns the model of a board.
func Of(b puzzle.Board) (Model, error) {
	starts := b.Puzzle.Starts()
	if len(starts) != b.Puzzle.Layout().Words() {
		return nil, fmt.Errorf("%w: it has several starts", ErrNoModel)
	}
	switch b.Family {
	case rushhour.Family:
		return ReadVehicles(b.Puzzle.Draw(starts))
	case tiles.Family:
		return ReadTiles(b.Puzzle.Format(starts))
	}
	return nil, fmt.Errorf("%w: there are models of %s and %s", ErrNoModel, rushhour.Family, tiles.Family)
}
