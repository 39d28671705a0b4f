package draw

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/everystate/everystate/puzzle"
)

// TestCardBack says how long the solution is, or why there is none.
func TestCardBack(t *testing.T) {
	t.Parallel()
	for want, card := range map[string]Card{
		"0 moves":     {},
		"1 move":      {Solution: []string{"up"}},
		"2 moves":     {Solution: []string{"up", "down"}},
		"no solution": {Unsolved: "no solution"},
	} {
		card.Picture = &puzzle.Picture{Rows: 1, Cols: 1, Ground: make([]puzzle.Ground, 1)}
		if back := Cards([]Card{card}, Options{})[1].SVG(Options{}); !bytes.Contains(back, []byte(">"+want+"</text>")) {
			t.Errorf("there is no %q in\n%s", want, back)
		}
	}
}

// TestCardIsTooSmall counts the moves that a card has no room for.
func TestCardIsTooSmall(t *testing.T) {
	t.Parallel()
	const moves = 100_000
	card := Card{Picture: &puzzle.Picture{Rows: 1, Cols: 1, Ground: make([]puzzle.Ground, 1)}}
	for i := range moves {
		card.Solution = append(card.Solution, fmt.Sprintf("m%d", i))
	}
	back := string(Cards([]Card{card}, Options{})[1].SVG(Options{}))
	shown := len(regexp.MustCompile(`\bm\d+\b`).FindAllString(back, -1))
	said := regexp.MustCompile(`>… and (\d+) more moves: too long for a card<`).FindStringSubmatch(back)
	if said == nil || shown == 0 {
		t.Fatalf("%d moves are shown, and how many are missing is not said: %s", shown, back[strings.LastIndex(back, "<text"):])
	}
	if missing, _ := strconv.Atoi(said[1]); shown+missing != moves {
		t.Errorf("%d moves are shown and %d missing, of %d", shown, missing, moves)
	}
}
