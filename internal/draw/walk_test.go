package draw

import (
	"fmt"
	"image/color"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/draw/walk"
	"github.com/everystate/everystate/puzzle"
)

// room reads a picture: # is a wall, $ a box, @ the player.
func room(text string) *puzzle.Picture {
	rows := strings.Fields(text)
	pic := &puzzle.Picture{Rows: len(rows), Cols: len(rows[0])}
	for r, row := range rows {
		for c, cell := range row {
			ground, at := puzzle.GroundFloor, []puzzle.Cell{{Row: r, Col: c}}
			switch cell {
			case '#':
				ground = puzzle.GroundWall
			case '$':
				pic.Pieces = append(pic.Pieces, puzzle.Piece{Kind: puzzle.PieceBox, Cells: at})
			case '@':
				pic.Pieces = append(pic.Pieces, puzzle.Piece{Kind: puzzle.PiecePlayer, Cells: at})
			}
			pic.Ground = append(pic.Ground, ground)
		}
	}
	return pic
}

// TestWalk: between two pushes the player walks around the box, cell by cell, through
// neither wall nor box, and then pushes.
func TestWalk(t *testing.T) {
	t.Parallel()
	from, to := room("####### #.....# #.$@..# #.....# #######"), room("####### #.....# #.@$..# #.....# #######")
	from.Pieces[1].Cells[0] = puzzle.Cell{Row: 2, Col: 4}
	way := walk.Way(from, to)
	if got, want := fmt.Sprint(way), "[{2 4} {2 3}"; !strings.HasPrefix(got, want) || len(way) != 7 || way[5] != (puzzle.Cell{Row: 2, Col: 1}) || way[6] != (puzzle.Cell{Row: 2, Col: 2}) {
		t.Errorf("the way is %v", way)
	}
	for i, c := range way[:len(way)-1] {
		if from.Ground[c.Row*from.Cols+c.Col] == puzzle.GroundWall || i > 0 && slices.ContainsFunc(from.Pieces, func(p puzzle.Piece) bool { return p.Cells[0] == c }) {
			t.Errorf("it goes through %v", c)
		}
		if i > 0 && distance(way[i-1], c) != 1 {
			t.Errorf("it goes from %v to %v", way[i-1], c)
		}
	}
	f := &Film{Panels: []Panel{{Picture: from}, {Picture: to}, {Picture: to}}}
	if got, want := f.times()[1]-f.times()[0], f.step()+5*walkStep; math.Abs(got-want) > 1e-9 {
		t.Errorf("the step takes %v s, want %v", got, want)
	}
	// In the film the player is at each of these cells, and never between box and wall.
	var player *motion
	for _, tr := range f.tracks() {
		if tr.piece.Kind == puzzle.PiecePlayer {
			player = f.pieceItems(layOut(from), tr, f.times(), Options{})[0].motion
		}
	}
	for k, c := range way[:6] {
		at, _ := player.at(f.times()[1] - moving*f.step() - walkTime(len(way)) + walkStep*float64(k) + 1e-9)
		if want := (point{float64(c.Col-4) * Cell, float64(c.Row-2) * Cell}); at.minus(want).length() > 0.01 {
			t.Errorf("cell %d of the way: the player is at %v, want %v", k, at, want)
		}
	}
	if way := walk.Way(from, from); way != nil {
		t.Errorf("standing still it walks %v", way)
	}
}

var hiddenGroup = regexp.MustCompile(`<g visibility="hidden"`)

// TestFilmWithoutAnimation: where nothing is animated, a film shows its first board alone.
func TestFilmWithoutAnimation(t *testing.T) {
	t.Parallel()
	a, b := room("#### #@$.# ####"), room("#### #.@$# ####")
	b.Ground[1*b.Cols+3] = puzzle.GroundTarget // the box looks otherwise there
	a.Ground = b.Ground
	f := &Film{Panels: []Panel{{Picture: a}, {Picture: b, Caption: "push"}, {Picture: a, Caption: "back"}}}
	svg := string(f.SVG(Options{}))
	// Two captions of later moves, and the box as it looks on the target.
	if n := len(hiddenGroup.FindAllString(svg, -1)); n != 3 {
		t.Errorf("%d groups are hidden at first, want 3\n%s", n, svg)
	}
}

// TestDistanceColours: dark to light, and each end stands out from the paper.
func TestDistanceColours(t *testing.T) {
	t.Parallel()
	bright := func(c color.NRGBA) float64 { return 0.299*float64(c.R) + 0.587*float64(c.G) + 0.114*float64(c.B) }
	for _, dark := range []bool{false, true} {
		last := -1.0
		for i := range 101 {
			b := bright(distanceColour(float64(i)/100, dark))
			if b < last {
				t.Fatalf("dark %v: %d %% is darker than before", dark, i)
			}
			last = b
		}
		paper := bright(themeOf(dark).paper)
		for _, end := range []float64{0, 1} {
			if d := bright(distanceColour(end, dark)) - paper; d > -50 && d < 20 {
				t.Errorf("dark %v: %v differs from the paper by %v", dark, end, d)
			}
		}
	}
}
