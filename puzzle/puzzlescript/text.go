package puzzlescript

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/puzzlescript/game"
	"github.com/everystate/everystate/puzzle/puzzlescript/machine"
)

// alphabet holds the characters in which cells are written.
type alphabet struct {
	game  *game.Game
	fill  game.Set
	runes map[string]rune // by the words of a cell
	cells map[rune]game.Set
}

// endedLine is the extra line of a level that the command "win" has ended.
const endedLine = "won"

func newAlphabet(g *game.Game, l *game.Level) *alphabet {
	a := &alphabet{game: g, fill: l.Fill, runes: map[string]rune{}, cells: map[rune]game.Set{}}
	for _, k := range g.Keys {
		if strings.ContainsRune("=;\r", k.Rune) {
			continue
		}
		cell := a.filled(k.Objects)
		if _, known := a.cells[k.Rune]; known {
			continue
		}
		a.cells[k.Rune] = cell
		if name := fmt.Sprint(cell); a.runes[name] == 0 {
			a.runes[name] = k.Rune
		}
	}
	return a
}

// filled adds the background to the objects of a cell that has none.
func (a *alphabet) filled(objects game.Set) game.Set {
	cell := slices.Clone(objects)
	if a.game.Background >= 0 && !a.game.Layers[a.game.Background].Meets(cell) {
		cell.Or(a.fill)
	}
	return cell
}

// spare are the characters for cells for which the game has none.
const spare = "abcdefghijklmnopqrstuvwxyz0123456789àáâãäåæçèéêëìíîïðñòóôõöøùúûüýþ"

// Format writes the level row by row, in the characters of the game. Cells for which
// it has none are explained in lines after the level.
func (l *level) Format(state []uint64) string {
	w := l.take()
	defer l.give(w)
	l.fields.unpack(w.at, state)
	a := l.text
	own := map[string]rune{}
	used := map[rune]bool{}
	var explained []string
	var text strings.Builder
	for y := range l.source.Height {
		if y > 0 {
			text.WriteByte('\n')
		}
		for x := range l.source.Width {
			cell := w.at.Cell(x*l.source.Height + y)
			name := fmt.Sprint(cell)
			r := a.runes[name]
			if r == 0 {
				r = own[name]
			}
			if r == 0 {
				r = a.unused(used)
				own[name], used[r] = r, true
				explained = append(explained, string(r)+" = "+a.names(cell))
			}
			text.WriteRune(r)
		}
	}
	for _, line := range explained {
		text.WriteString("\n" + line)
	}
	if l.fields.ended(state) {
		text.WriteString("\n" + endedLine)
	}
	return text.String()
}

// unused returns a character that has no meaning yet.
func (a *alphabet) unused(used map[rune]bool) rune {
	for _, r := range spare {
		if _, known := a.cells[r]; !known && !used[r] {
			return r
		}
	}
	const private = 0x2460 // enclosed numbers and what follows them
	for r := rune(private); ; r++ {
		if _, known := a.cells[r]; !known && !used[r] {
			return r
		}
	}
}

func (a *alphabet) names(cell game.Set) string {
	var names []string
	cell.All(func(id int) { names = append(names, a.game.Objects[id].Name) })
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, " and ")
}

// Draw draws the level as Format does.
func (l *level) Draw(state []uint64) string { return l.Format(state) }

// Parse reads a level as Format writes it. On one line, its lines are separated by
// slashes.
func (l *level) Parse(text string) ([]uint64, error) {
	text = strings.ReplaceAll(text, " / ", "\n")
	lines := strings.Split(strings.Trim(strings.ReplaceAll(text, "\r", ""), "\n"), "\n")
	height, width := l.source.Height, l.source.Width
	if len(lines) < height || len(lines) > height+width*height+1 {
		return nil, &puzzle.InputError{What: fmt.Sprintf("the level is %d high, not %d", height, len(lines))}
	}
	own := map[rune]game.Set{}
	ended := false
	for i, line := range lines[height:] {
		if line = strings.TrimSpace(line); line == endedLine && l.fields.won != nil {
			ended = true
			continue
		}
		r, cell, ok := l.text.explanation(line)
		if !ok {
			return nil, &puzzle.InputError{Line: height + i + 1, What: fmt.Sprintf("%.40q does not explain a character: write x = player and target", line)}
		}
		own[r] = cell
	}
	w := l.take()
	defer l.give(w)
	cells := make([]uint64, len(w.at.Cells()))
	words := len(w.at.Cell(0))
	for y, line := range lines[:height] {
		if n := utf8.RuneCountInString(line); n != width {
			return nil, &puzzle.InputError{Line: y + 1, What: fmt.Sprintf("%d characters, but the level is %d wide", n, width)}
		}
		x := 0
		for column, r := range line {
			cell, ok := own[r]
			if !ok {
				cell, ok = l.text.cells[r]
			}
			if !ok {
				return nil, &puzzle.InputError{Line: y + 1, Column: column + 1, What: fmt.Sprintf("%q is not a cell of this game", r)}
			}
			copy(cells[(x*height+y)*words:], cell)
			x++
		}
	}
	return l.parsed(w, cells, ended)
}

// explanation reads a line such as "x = player and target".
func (a *alphabet) explanation(line string) (rune, game.Set, bool) {
	r, size := utf8.DecodeRuneInString(line)
	list, ok := strings.CutPrefix(line[size:], " = ")
	cell := a.game.NewObjects()
	if !ok {
		return 0, nil, false
	}
	if list == "nothing" {
		return r, cell, true
	}
	for _, name := range strings.Split(list, " and ") {
		id := slices.IndexFunc(a.game.Objects, func(o game.Object) bool { return strings.EqualFold(o.Name, name) })
		if id < 0 {
			return 0, nil, false
		}
		cell.Add(id)
	}
	return r, cell, true
}

// parsed makes a key of cells, if they form a state.
func (l *level) parsed(w *worker, cells []uint64, ended bool) ([]uint64, error) {
	w.after.Load(cells)
	key := make([]uint64, l.layout.Words())
	if l.fields.pack(w.after, ended, key) && l.fields.unpack(w.at, key) && slices.Equal(w.at.Cells(), cells) {
		return key, nil
	}
	words := len(w.at.Cell(0))
	for y := range l.source.Height {
		for x := range l.source.Width {
			i := x*l.source.Height + y
			for _, id := range game.Set(cells[i*words : (i+1)*words]).List() {
				if !l.reach.objects[i].Has(id) {
					return nil, &puzzle.InputError{Line: y + 1, What: fmt.Sprintf("in column %d can never be %s", x+1, l.game.Objects[id].Name)}
				}
			}
		}
	}
	return nil, &puzzle.InputError{What: "this is not a state of the level: some objects are always as many as at the start, and others never change"}
}

// playerLayers returns the layers of players.
func (l *level) playerLayers() map[int]bool {
	layers := map[int]bool{}
	for _, id := range l.game.Player.Objects.List() {
		layers[l.game.Objects[id].Layer] = true
	}
	return layers
}

// Picture shows the game's own sprites: objects that never change as tiles, the rest
// as pieces.
func (l *level) Picture(state []uint64) *puzzle.Picture {
	w := l.take()
	defer l.give(w)
	l.fields.unpack(w.at, state)
	rows, cols := l.source.Height, l.source.Width
	p := &puzzle.Picture{Rows: rows, Cols: cols, Ground: make([]puzzle.Ground, rows*cols), Tiles: make([][]*puzzle.Sprite, rows*cols)}
	sprites := make([]*puzzle.Sprite, len(l.game.Objects))
	for id := range sprites {
		sprites[id] = spriteOf(&l.game.Objects[id])
	}
	blocking := l.playerLayers()
	for y := range rows {
		for x := range cols {
			i := x*rows + y
			ground, pieces := l.pictureCell(w.at, i, blocking)
			p.Ground[y*cols+x] = ground
			p.Tiles[y*cols+x] = l.still(w.at, i, sprites)
			for _, piece := range pieces {
				piece.Sprite = sprites[piece.Colour]
				piece.Cells = []puzzle.Cell{{Row: y, Col: x}}
				p.Pieces = append(p.Pieces, piece)
			}
		}
	}
	return p
}

// still returns the sprites of the objects in a cell that never change.
func (l *level) still(m *machine.Machine, i int, sprites []*puzzle.Sprite) (stack []*puzzle.Sprite) {
	list := slices.Clone(m.Cell(i).List())
	slices.SortStableFunc(list, func(a, b int) int { return l.game.Objects[a].Layer - l.game.Objects[b].Layer })
	for _, id := range list {
		if layer := l.game.Objects[id].Layer; layer == l.game.Background || len(l.reach.digits(i, layer)) <= 1 {
			stack = append(stack, sprites[id])
		}
	}
	return stack
}

// pictureCell returns the contents of a cell: objects that never change are ground.
func (l *level) pictureCell(m *machine.Machine, i int, blocking map[int]bool) (ground puzzle.Ground, pieces []puzzle.Piece) {
	var standing []int
	for _, id := range m.Cell(i).List() {
		o := &l.game.Objects[id]
		switch changes := len(l.reach.digits(i, o.Layer)) > 1; {
		case o.Layer == l.game.Background:
		case changes:
			standing = append(standing, id)
		case blocking[o.Layer]:
			return puzzle.GroundWall, nil
		default:
			ground = puzzle.GroundTarget
		}
	}
	for n, id := range standing {
		piece := puzzle.Piece{Kind: puzzle.PieceBox, Colour: id}
		switch o := &l.game.Objects[id]; {
		case n < len(standing)-1:
			piece.Kind = puzzle.PieceDigit
			piece.Label = strings.ToUpper(o.Name[:1])
		case l.game.Player.Objects.Has(id):
			piece.Kind = puzzle.PiecePlayer
		}
		pieces = append(pieces, piece)
	}
	return ground, pieces
}
