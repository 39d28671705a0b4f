// Pictures draws one of each kind of picture for each family of puzzles, on a contact
// sheet to look at after a change: boards, hardest states, paths, layers, graphs, films
// of spaces, and cards.
//
//	go run ./tools/pictures -o docs/images/pictures.png
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"os"
	"path/filepath"

	"golang.org/x/image/draw"
	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"

	"github.com/everystate/everystate/coordinator/history"
	scenes "github.com/everystate/everystate/internal/draw"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/portrait"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

// shown is a board of a family: a file in puzzles, or a text.
//
// moves lists the only moves that are made, for a space that is small enough.
type shown struct{ family, file, text, moves string }

// boards has one board of each family, and more where they look different.
var boards = []shown{
	{"rush-hour", "rushhour/small-5x5.txt", "", ""},
	{"blocks", "blocks/hengdaolima.txt", "", ""},
	{"sokoban", "", "puzzle: sokoban\n\n#######\n#.   .#\n# $ $ #\n#  @  #\n#     #\n#######\n", ""},
	{"puzzlescript", "puzzlescript/crates.txt", "", ""},
	{"murphi", "murphi/wolf-goat-cabbage.txt", "", ""},
	{"tiles", "tiles/2x4.txt", "", ""},
	{"peg", "peg/plus.txt", "", ""},
	{"sudoku", "sudoku/six.txt", "", ""},
	{"hanoi", "hanoi/adjacent-6.txt", "", ""},
	{"pancake", "permutation/burnt-pancake-6.txt", "", ""},
	{"topspin", "", "8 4: 1 3 2 5 4 6 8 7\n", ""},
	{"pocket-cube", "", "puzzle: pocket-cube\nmetric: htm\n\nR U R' U'\n", ""},
	{"permutation", "permutation/one-way.txt", "", ""},
	{"permutation", "permutation/hungarian-rings.txt", "", ""},
	{"permutation", "permutation/loopover-3x3.txt", "", ""},
	{"permutation", "permutation/skewb.txt", "", ""},
	{"permutation", "permutation/pocket-cube-generated.txt", "", "U,R2"},
	{"permutation", "permutation/megaminx.txt", "", ""},
	{"permutation", "permutation/square-1.txt", "", ""},
}

// kinds are the columns of the sheet.
var kinds = []string{"board", "hardest", "path", "layers", "graph", "film", "cards"}

// Sizes in pixels.
const (
	cellWidth, cellHeight = 168, 126
	gap                   = 8
	headHeight            = 22
	nameWidth             = 104
)

// statesMax bounds what is explored; a larger space has its board and layers alone.
const statesMax = 300_000

func main() {
	out := flag.String("o", "docs/images/pictures.png", "write the sheet to `FILE`")
	root := flag.String("puzzles", "puzzles", "the `DIR` with the boards")
	flag.Parse()
	if err := run(context.Background(), *root, *out); err != nil {
		fmt.Fprintln(os.Stderr, "pictures:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, root, out string) error {
	size := image.Rect(0, 0, nameWidth+len(kinds)*(cellWidth+gap), height())
	sheet := image.NewRGBA(size)
	draw.Draw(sheet, size, image.White, image.Point{}, draw.Src)
	for i, kind := range kinds {
		write(sheet, nameWidth+i*(cellWidth+gap), 15, kind)
	}
	for i, b := range boards {
		pictures, err := b.pictures(ctx, root)
		if err != nil {
			return fmt.Errorf("%s: %w", b.family, err)
		}
		y := headHeight + i*(cellHeight+gap)
		write(sheet, 6, y+cellHeight/2, b.family)
		for k, picture := range pictures {
			if picture != nil {
				x := nameWidth + k*(cellWidth+gap)
				put(sheet, image.Rect(x, y, x+cellWidth, y+cellHeight), picture)
			}
		}
	}
	return save(out, sheet)
}

// height returns the height of the sheet.
func height() int { return headHeight + len(boards)*(cellHeight+gap) }

// read reads the board.
func (b shown) read(root string) (puzzle.Board, error) {
	text := []byte(b.text)
	if b.file != "" {
		var err error
		if text, err = os.ReadFile(filepath.Join(root, b.file)); err != nil {
			return puzzle.Board{}, err
		}
	}
	found, err := families.Read(text, puzzle.ReadOptions{Moves: b.moves})
	if err != nil {
		return puzzle.Board{}, err
	}
	if found[0].Name == "" {
		found[0].Name = b.family
	}
	return found[0], nil
}

// pictures draws the pictures of a board, by kind; nil where its space is too large.
func (b shown) pictures(ctx context.Context, root string) (pictures []image.Image, err error) {
	board, err := b.read(root)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "everystate-pictures-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // A temporary directory.
	r, err := engine.Create(filepath.Join(dir, b.family), board, engine.Options{})
	if err != nil {
		return nil, err
	}
	defer r.Close() //nolint:errcheck // Nothing in it is kept.
	if _, err := r.Explore(ctx, history.Want{MaxStates: statesMax, GoalDistance: true}); err != nil {
		return nil, err
	}
	look := portrait.Look(board)
	start := board.Puzzle.Starts()[:board.Puzzle.Layout().Words()]
	o := scenes.Options{Background: true, Labels: true}
	pictures = make([]image.Image, len(kinds))
	plot := portrait.Layers(r, false)
	for k, scene := range map[int]*scenes.Scene{0: scenes.Board(look.Picture(start), o), 3: plot.Draw(o)} {
		if pictures[k], err = scene.Image(1); err != nil {
			return nil, err
		}
	}
	if r.History().End(history.Forward) == nil || len(r.Space().GoalLayers()) == 0 {
		return pictures, nil
	}
	return pictures, b.ofSpace(ctx, r, look, pictures)
}

// ofSpace draws what needs a whole space.
func (b shown) ofSpace(ctx context.Context, r *engine.Run, look puzzle.Pictured, pictures []image.Image) error {
	o := scenes.Options{Background: true, Labels: true}
	found, err := r.Space().Hardest(ctx, 6)
	if err != nil {
		return err
	}
	hardest := portrait.HardestSheet(r, look, found)
	path, err := portrait.Solution(ctx, r.Space(), found.States[0])
	if err != nil {
		return err
	}
	film := portrait.Film(r, look, path)
	strip := scenes.Sheet{Heading: "path", Panels: film.Panels[:min(len(film.Panels), 12)], Arrows: true}
	cards, err := portrait.Cards(ctx, r, look, found.States, func(int) {})
	if err != nil {
		return err
	}
	drawn := map[int]*scenes.Scene{1: hardest.Draw(o), 2: strip.Draw(o), 6: scenes.Cards(cards, o)[0]}
	if r.History().States(history.Forward) <= scenes.GraphStatesMax {
		graph, err := portrait.Graph(ctx, r)
		if err != nil {
			return err
		}
		if drawn[4], err = graph.Draw(o); err != nil {
			return err
		}
	}
	for k, scene := range drawn {
		scale := min(1, 1200/scene.Width)
		if pictures[k], err = scene.Image(scale); err != nil {
			return err
		}
	}
	space, err := portrait.Space(ctx, r, func(float64) {})
	if err != nil {
		return err
	}
	data, err := space.GIF()
	if err != nil {
		return err
	}
	pictures[5], err = within(data)
	return err
}

// within returns what a GIF shows after two thirds of its frames.
func within(data []byte) (image.Image, error) {
	g, err := gif.DecodeAll(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	img := image.NewRGBA(image.Rect(0, 0, g.Config.Width, g.Config.Height))
	for _, frame := range g.Image[:(2*len(g.Image)+2)/3] {
		draw.Draw(img, frame.Bounds(), frame, frame.Bounds().Min, draw.Over)
	}
	return img, nil
}

// put scales a picture into a cell.
func put(sheet *image.RGBA, cell image.Rectangle, picture image.Image) {
	w, h := picture.Bounds().Dx(), picture.Bounds().Dy()
	scale := min(1, float64(cell.Dx())/float64(w), float64(cell.Dy())/float64(h))
	w, h = max(1, int(scale*float64(w))), max(1, int(scale*float64(h)))
	at := cell.Min.Add(image.Pt((cell.Dx()-w)/2, (cell.Dy()-h)/2))
	draw.CatmullRom.Scale(sheet, image.Rectangle{at, at.Add(image.Pt(w, h))}, picture, picture.Bounds(), draw.Over, nil)
}

func write(sheet *image.RGBA, x, y int, text string) {
	d := font.Drawer{Dst: sheet, Src: image.NewUniform(color.Black), Face: basicfont.Face7x13, Dot: fixed.P(x, y)}
	d.DrawString(text)
}

// save writes the sheet with 256 colours, which is small enough to be committed.
func save(file string, sheet *image.RGBA) error {
	small := image.NewPaletted(sheet.Bounds(), palette())
	draw.Draw(small, small.Bounds(), sheet, image.Point{}, draw.Src)
	var buf bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(&buf, small); err != nil {
		return err
	}
	return os.WriteFile(file, buf.Bytes(), 0o644)
}

// palette is a cube of colours with greys between.
func palette() color.Palette {
	var p color.Palette
	levels := []uint8{0, 51, 102, 153, 204, 255}
	for _, r := range levels {
		for _, g := range levels {
			for _, b := range levels {
				p = append(p, color.RGBA{r, g, b, 255})
			}
		}
	}
	for i := range 40 {
		v := uint8(i * 255 / 39)
		p = append(p, color.RGBA{v, v, v, 255})
	}
	return p
}
