package lightsout_test

import (
	"testing"

	"github.com/everystate/everystate/docs/lightsout"
	"github.com/everystate/everystate/internal/test/puzzletest"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/conformance"
)

func TestConformance(t *testing.T) {
	for _, text := range []string{"*", "*.*\n.*.", "puzzle: lights-out\n\n*****\n.....\n*.*.*\n.....\n....."} {
		boards, err := lightsout.Read([]byte(text), puzzle.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		puzzletest.Run(t, boards[0], conformance.Options{Read: lightsout.Read})
	}
}
