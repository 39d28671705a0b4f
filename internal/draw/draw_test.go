package draw

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"image/gif"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

var update = flag.Bool("update", false, "write the pictures in testdata anew")

// board is a puzzle that comes with the program.
type board struct {
	puzzle.Board
	file string
}

// look draws a state.
func (b board) look(key []uint64) *puzzle.Picture {
	return b.Puzzle.(puzzle.Pictured).Picture(key) // every family is
}

func (b board) start() []uint64 { return b.Puzzle.Starts()[:b.Puzzle.Layout().Words()] }

// shipped reads the first board of every file that comes with the program.
func shipped(tb testing.TB) []board {
	tb.Helper()
	files, err := filepath.Glob("../../puzzles/*/*.txt")
	if err != nil || len(files) == 0 {
		tb.Fatalf("no puzzles: %v", err)
	}
	var all []board
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			tb.Fatal(err)
		}
		boards, err := families.Read(text, puzzle.ReadOptions{})
		if err != nil {
			tb.Fatalf("%s: %v", file, err)
		}
		all = append(all, board{boards[0], file}) // the rest of a file looks alike
	}
	return all
}

// walk returns the states of a walk from the start, and never goes back at once.
func (b board) walk(steps int, rng *rand.Rand) [][]uint64 {
	states := [][]uint64{slices.Clone(b.start())}
	words := b.Puzzle.Layout().Words()
	for range steps {
		var edges puzzle.Edges
		b.Puzzle.Successors(states[len(states)-1], &edges)
		if edges.Len() == 0 {
			break
		}
		i := rng.IntN(edges.Len())
		states = append(states, slices.Clone(edges.Keys[i*words:(i+1)*words]))
	}
	return states
}

// checkXML sees to it that an SVG can be read.
func checkXML(t *testing.T, svg []byte) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("%v\n%s", err, svg)
		}
	}
}

// extent returns the box around everything in a list of items.
func extent(items []item, t transform) box {
	b := emptyBox()
	for i := range items {
		it := &items[i]
		p := it.path
		switch it.kind {
		case itemGroup:
			inner := extent(it.group, t.inside(it))
			b.add(point{inner.x0, inner.y0})
			b.add(point{inner.x1, inner.y1})
			continue
		case itemText:
			p = outlineOf(it)
		case itemPath:
		}
		if len(p) == 0 {
			continue
		}
		inner, half := p.bounds(), it.width/2
		b.add(t.of(point{inner.x0 - half, inner.y0 - half}))
		b.add(t.of(point{inner.x1 + half, inner.y1 + half}))
	}
	return b
}

func checkInside(t *testing.T, s *Scene) {
	t.Helper()
	b := extent(s.items, transform{scale: 1})
	const slack = 0.01
	if b.x0 < -slack || b.y0 < -slack || b.x1 > s.Width+slack || b.y1 > s.Height+slack {
		t.Errorf("%s: something lies outside of %v x %v: %v", s.Title, s.Width, s.Height, b)
	}
}

// TestShipped draws every puzzle that there is, at the start and on a walk.
func TestShipped(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, b := range shipped(t) {
		for i, key := range b.walk(6, rng) {
			pic := b.look(key)
			o := Options{Labels: i%2 == 0, Pieces: i%3 == 1, Background: i%4 == 0, Title: b.Name}
			s := Board(pic, o)
			checkInside(t, s)
			svg := s.SVG(o)
			checkXML(t, svg)
			if !bytes.Equal(svg, SVG(b.look(key), o)) {
				t.Errorf("%s: drawn again it is another picture", b.file)
			}
			if len(svg) > 40_000 {
				t.Errorf("%s: %d bytes", b.file, len(svg))
			}
			if n := strings.Count(string(svg), "data-piece="); o.Pieces && n != len(pic.Pieces) {
				t.Errorf("%s: %d groups for %d pieces", b.file, n, len(pic.Pieces))
			}
		}
		checkPixels(t, b)
	}
}

// checkPixels draws a start in pixels.
func checkPixels(t *testing.T, b board) {
	t.Helper()
	s := Board(b.look(b.start()), Options{})
	data, err := s.PNG(0.5)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := img.Bounds().Dx(), int(math.Ceil(s.Width*0.5)); got != want {
		t.Errorf("%s: %d pixels wide, want %d", b.file, got, want)
	}
}

// TestPixelsOfPieces: where a piece is, its colour is.
func TestPixelsOfPieces(t *testing.T) {
	pic := &puzzle.Picture{Rows: 2, Cols: 3, Ground: make([]puzzle.Ground, 6), Pieces: []puzzle.Piece{
		{Kind: puzzle.PieceBlock, Cells: []puzzle.Cell{{Row: 0, Col: 0}, {Row: 1, Col: 0}, {Row: 1, Col: 1}}, Colour: 3},
	}}
	s := Board(pic, Options{})
	img, err := s.Image(1)
	if err != nil {
		t.Fatal(err)
	}
	l := layOut(pic)
	for row := range 2 {
		for col := range 3 {
			m := middle(puzzle.Cell{Row: row, Col: col}).plus(point{l.left, l.top})
			at := img.RGBAAt(int(m.x), int(m.y))
			want := colourFloor
			if slices.Contains(pic.Pieces[0].Cells, puzzle.Cell{Row: row, Col: col}) {
				want = pieceColours[3]
			}
			if at.R != want.R || at.G != want.G || at.B != want.B {
				t.Errorf("row %d, column %d: %v, want %v", row, col, at, want)
			}
		}
	}
}

// TestGolden compares small pictures with those in testdata, byte for byte. With
// -update they are written anew, to be looked at.
func TestGolden(t *testing.T) {
	for _, b := range shipped(t) {
		name := strings.TrimSuffix(filepath.Base(b.file), ".txt")
		if !slices.Contains([]string{"small-4x4", "hengdaolima", "rooms", "2x3", "plus", "adjacent-6", "six", "walls"}, name) {
			continue
		}
		got := SVG(b.look(b.start()), Options{Labels: true, Title: b.Name})
		file := filepath.Join("testdata", name+".svg")
		if *update {
			if err := os.WriteFile(file, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is drawn in another way now: go test ./internal/draw -update, and look at it", file)
		}
	}
}

// TestEscape: whatever text comes in, it stays text.
func TestEscape(t *testing.T) {
	nasty := "</title><script>alert(\"1\")</script>&amp;'\x00\xff\n]]>"
	var pieces []puzzle.Piece
	for kind := puzzle.PieceBlock; kind <= puzzle.PieceDigit; kind++ {
		pieces = append(pieces, puzzle.Piece{Kind: kind, Cells: []puzzle.Cell{{Row: 0, Col: int(kind)}}, Label: nasty, Colour: 1000})
	}
	pic := &puzzle.Picture{Rows: 1, Cols: len(pieces), Ground: make([]puzzle.Ground, len(pieces)), Pieces: pieces}
	film := &Film{Panels: []Panel{{Picture: pic, Caption: nasty}, {Picture: pic, Caption: nasty}}}
	sheet := &Sheet{Heading: nasty, Note: nasty, Panels: film.Panels}
	o := Options{Labels: true, Title: nasty}
	for _, svg := range [][]byte{SVG(pic, o), film.SVG(o), sheet.Draw(o).SVG(o), (&Plot{Heading: nasty}).Draw(o).SVG(o)} {
		checkXML(t, svg)
		if bytes.Contains(svg, []byte("<script")) {
			t.Errorf("a script got in:\n%s", svg)
		}
	}
}

// TestOutline compares the area within the outlines of random cells with their
// number, and the length of the outlines with the sides that have no neighbour.
func TestOutline(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		var cells []puzzle.Cell
		in := map[puzzle.Cell]bool{}
		rows, cols := 1+rng.IntN(6), 1+rng.IntN(6)
		for i := range rows * cols {
			if c := (puzzle.Cell{Row: i / cols, Col: i % cols}); rng.IntN(3) > 0 {
				cells = append(cells, c)
				in[c] = true
			}
		}
		sides := 0
		for _, c := range cells {
			for _, d := range []puzzle.Cell{{Row: 1}, {Row: -1}, {Col: 1}, {Col: -1}} {
				if !in[puzzle.Cell{Row: c.Row + d.Row, Col: c.Col + d.Col}] {
					sides++
				}
			}
		}
		area, length := 0, 0
		for _, loop := range loops(cells) {
			for i, a := range loop {
				b := loop[(i+1)%len(loop)]
				area += a.col*b.row - b.col*a.row
				length += max(a.col-b.col, b.col-a.col) + max(a.row-b.row, b.row-a.row)
			}
		}
		if area != 2*len(cells) || length != sides {
			t.Fatalf("%v: area %d/2 and length %d, want %d and %d", cells, area, length, len(cells), sides)
		}
	}
}

// TestFilm follows walks: in every frame the pieces that are seen stand where those
// of the state stand.
func TestFilm(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	place := func(p *puzzle.Piece, at puzzle.Cell) string {
		text := fmt.Sprint(p.Kind, p.Colour, len(p.Cells), at)
		if written(p) {
			text += p.Label
		}
		return text
	}
	for _, b := range shipped(t) {
		film := &Film{}
		for _, key := range b.walk(8, rng) {
			film.Panels = append(film.Panels, Panel{Picture: b.look(key)})
		}
		tracks := film.tracks()
		for i, panel := range film.Panels {
			var want, got []string
			for _, p := range panel.Picture.Pieces {
				want = append(want, place(&p, p.Cells[0]))
			}
			for _, tr := range tracks {
				if i >= tr.from && i < tr.to {
					got = append(got, place(&tr.piece, tr.at(i)))
				}
			}
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Fatalf("%s, frame %d:\ngot  %v\nwant %v", b.file, i, got, want)
			}
		}
		checkXML(t, film.SVG(Options{Labels: true}))
		for i := range film.Panels {
			checkInside(t, film.scene(Options{}).frame(film.times()[i]))
		}
	}
}

// TestGIF: an animation can be read, is long enough, and is the same again.
func TestGIF(t *testing.T) {
	b := shipped(t)[0]
	film := &Film{}
	for _, key := range b.walk(5, rand.New(rand.NewPCG(7, 8))) {
		film.Panels = append(film.Panels, Panel{Picture: b.look(key)})
	}
	data, err := film.GIF(Options{}, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	again, err := film.GIF(Options{}, 0.5)
	if err != nil || !bytes.Equal(data, again) {
		t.Errorf("made again it is another animation: %v", err)
	}
	g, err := gif.DecodeAll(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, d := range g.Delay {
		total += d
	}
	times := film.times()
	if want := times[len(times)-1] * 100; math.Abs(float64(total)-want) > 30 {
		t.Errorf("it takes %d hundredths of a second, want about %v", total, want)
	}
	if _, err := (&Film{Panels: make([]Panel, framesMax+1)}).GIF(Options{}, 1); !errors.Is(err, ErrTooLong) {
		t.Errorf("a long film: %v", err)
	}
}

// TestPDF follows the table of objects of a document.
func TestPDF(t *testing.T) {
	b := shipped(t)[0]
	cards := slices.Repeat([]Card{{Title: "A (card) ✓", Note: "note", Picture: b.look(b.start()), Solution: slices.Repeat([]string{"A+1", "B-2"}, 400)}}, 7)
	pages := Cards(cards, Options{Labels: true})
	if len(pages) != 4 {
		t.Fatalf("%d pages for 7 cards, want 2 and their backs", len(pages))
	}
	for _, p := range append(pages, Stacked("all", pages)) {
		checkInside(t, p)
	}
	data, err := PDF("title", pages...)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.LastIndex(data, []byte("xref\n0"))
	if tail := regexp.MustCompile(`startxref\n(\d+)\n%%EOF\n$`).FindSubmatch(data); len(tail) != 2 || string(tail[1]) != strconv.Itoa(bytes.Index(data, []byte("\nxref\n"))+1) {
		t.Errorf("startxref is not where the table is: %s", tail)
	}
	for n, line := range strings.Split(string(data[at:]), "\n")[3:] {
		if !strings.HasSuffix(line, " n ") {
			break
		}
		offset, err := strconv.Atoi(line[:10])
		if want := fmt.Sprintf("%d 0 obj\n", n+1); err != nil || !bytes.HasPrefix(data[offset:], []byte(want)) {
			t.Errorf("object %d is not at %s", n+1, line)
		}
	}
	if n := bytes.Count(data, []byte("/Type /Page ")); n != 4 {
		t.Errorf("%d pages", n)
	}
}

func TestPlot(t *testing.T) {
	for _, counts := range [][]int64{nil, {1}, {1, 0, 3}, {math.MaxInt64, 1}, make([]int64, 3000)} {
		for _, log := range []bool{false, true} {
			p := &Plot{Heading: "a", Note: "b", Log: log, Series: []Series{{Name: "depth", Counts: counts, Marks: []Mark{{0, "x"}, {len(counts) - 1, "y"}, {-1, "z"}}}}}
			s := p.Draw(Options{})
			checkInside(t, s)
			checkXML(t, s.SVG(Options{}))
		}
	}
}

// TestGraph: states lie apart from each other and inside, the same every time.
func TestGraph(t *testing.T) {
	g := &Graph{Heading: "grid", Note: "12 x 12", Path: []int{0, 1, 3}}
	number := map[[2]int]int{}
	for d := range 23 {
		for row := max(0, d-11); row <= min(d, 11); row++ {
			at := [2]int{row, d - row}
			number[at] = len(g.Depths)
			g.Depths = append(g.Depths, d)
			g.Goals = append(g.Goals, d == 22)
			g.GoalDistances = append(g.GoalDistances, 22-d)
			for _, before := range [][2]int{{row - 1, d - row}, {row, d - row - 1}} {
				if n, ok := number[before]; ok {
					g.Edges = append(g.Edges, [2]int{n, number[at]}, [2]int{number[at], n})
				}
			}
		}
	}
	s, err := g.Draw(Options{})
	if err != nil {
		t.Fatal(err)
	}
	checkInside(t, s)
	again, err := g.Draw(Options{})
	if err != nil || !bytes.Equal(s.SVG(Options{}), again.SVG(Options{})) {
		t.Errorf("drawn again it is another picture: %v", err)
	}
	places, _, _, err := g.place(g.lines(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range places {
		for _, q := range places[:i] {
			if p.minus(q).length() < 10 {
				t.Fatalf("two states lie at %v and %v", p, q)
			}
		}
	}
	large := &Graph{Depths: make([]int, GraphStatesMax+1)}
	var refused *GraphTooLargeError
	if _, err := large.Draw(Options{}); !errors.As(err, &refused) {
		t.Errorf("a large graph: %v", err)
	}
	for _, few := range []int{1, 2} {
		small := &Graph{Depths: make([]int, few), Goals: make([]bool, few)}
		s, err := small.Draw(Options{})
		if err != nil {
			t.Fatal(err)
		}
		checkInside(t, s)
	}
}

// TestTooLarge: pixels are counted before there are any.
func TestTooLarge(t *testing.T) {
	var large *TooLargeError
	if _, err := (&Scene{Width: 1e5, Height: 1e5}).PNG(20); !errors.As(err, &large) {
		t.Errorf("got %v", err)
	}
}

// TestFilmBetween: the pictures of a move follow one another before the state that it leads
// to, in SVG and in a GIF, and the film is wide enough for all of them.
func TestFilmBetween(t *testing.T) {
	at := func(x float64) *puzzle.Picture {
		return &puzzle.Picture{Rows: 1, Cols: 1, Ground: []puzzle.Ground{puzzle.GroundNone}, Facets: []puzzle.Facet{
			{Corners: []puzzle.Spot{{X: x, Y: 0}, {X: x + 1, Y: 0}, {X: x, Y: 1}}, Colour: 0xff0000},
		}}
	}
	film := &Film{Panels: []Panel{{Picture: at(0)}, {Picture: at(1), Between: []*puzzle.Picture{at(2), at(5)}}}}
	s := film.scene(Options{})
	var order []float64
	for seconds := 0.0; seconds < film.times()[1]+0.1; seconds += 0.01 {
		for _, it := range still(s.items[0].group, seconds) {
			if it.kind != itemGroup || len(it.group) == 0 || it.group[0].fill != rgb(0xff0000) {
				continue
			}
			if x := it.group[0].path.bounds().x0 / Cell; len(order) == 0 || order[len(order)-1] != x {
				order = append(order, x)
			}
		}
	}
	if want := []float64{0, 2, 5, 1}; !slices.Equal(order, want) {
		t.Errorf("the pictures come at %v, want %v", order, want)
	}
	if s.Width < 6*Cell {
		t.Errorf("the film is %v wide, less than what it shows", s.Width)
	}
	moving, err := film.GIF(Options{}, 1)
	if err != nil || len(moving) == 0 {
		t.Error(err)
	}
}

// TestCardsAreNumbered: cards whose titles are too long to tell them apart have a number on
// both sides.
func TestCardsAreNumbered(t *testing.T) {
	pic := &puzzle.Picture{Rows: 1, Cols: 1, Ground: make([]puzzle.Ground, 1)}
	var cards []Card
	for i := range 8 {
		cards = append(cards, Card{Title: strings.Repeat("a very long title ", 9) + strconv.Itoa(i), Picture: pic, Solution: []string{"up"}})
	}
	pages := Cards(cards, Options{})
	if len(pages) != 4 {
		t.Fatalf("%d pages, want two fronts and two backs", len(pages))
	}
	for i := range cards {
		number := []byte(">" + strconv.Itoa(i+1) + "</text>")
		front, back := pages[i/6*2].SVG(Options{}), pages[i/6*2+1].SVG(Options{})
		if bytes.Count(front, number) != 1 || bytes.Count(back, number) != 1 {
			t.Errorf("card %d has its number %d times on its front and %d times on its back", i+1, bytes.Count(front, number), bytes.Count(back, number))
		}
		if bytes.Contains(front, []byte(cards[i].Title)) {
			t.Errorf("the title of card %d is not cut, so this shows nothing", i+1)
		}
	}
}
