package generate

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/rushhour"
)

// Family is the family whose boards are generated.
const Family = rushhour.Family

// symbols are the names of a board's vehicles, the goal vehicle first.
const symbols = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnpqrstuvwyz0123456789"

// vehiclesMax is how many vehicles a board can name, the goal vehicle included.
const vehiclesMax = len(symbols)

// piece is a vehicle or a wall, given by its left or top cell.
type piece struct {
	row, col int
	length   int
	vertical bool
	wall     bool // length is 1
}

// cells calls visit for each cell of the piece.
func (p piece) cells(visit func(row, col int)) {
	for i := range p.length {
		if p.vertical {
			visit(p.row+i, p.col)
		} else {
			visit(p.row, p.col+i)
		}
	}
}

// board is a placement of pieces; the first is the goal vehicle.
type board struct {
	rules  *Rules
	pieces []piece
}

func (b *board) clone() *board { return &board{b.rules, slices.Clone(b.pieces)} }

// count returns how many vehicles and walls there are besides the goal vehicle.
func (b *board) count() (vehicles, walls int) {
	for _, p := range b.pieces[1:] {
		if p.wall {
			walls++
		} else {
			vehicles++
		}
	}
	return vehicles, walls
}

// room reports whether a piece covers only free cells of the board. The cells of the
// piece with index but count as free.
func (b *board) room(p piece, but int) bool {
	rows, cols := 1, p.length
	if p.vertical {
		rows, cols = p.length, 1
	}
	if p.row < 0 || p.col < 0 || p.row+rows > b.rules.Rows || p.col+cols > b.rules.Cols {
		return false
	}
	for i, q := range b.pieces {
		if i == but {
			continue
		}
		h, w := 1, q.length
		if q.vertical {
			h, w = q.length, 1
		}
		if p.row < q.row+h && q.row < p.row+rows && p.col < q.col+w && q.col < p.col+cols {
			return false
		}
	}
	return true
}

// allowed reports whether a board meets the rules of a sweep: no row filled by
// horizontal vehicles and walls, no column filled by vertical vehicles, and in the
// goal vehicle's row nothing horizontal except walls to its left.
func (b *board) allowed() bool {
	var rows, cols [sideMax]int
	for i, p := range b.pieces {
		switch {
		case p.vertical:
			cols[p.col] += p.length
		case i > 0 && p.row == b.pieces[0].row && (!p.wall || p.col > b.pieces[0].col):
			return false
		default:
			rows[p.row] += p.length
		}
	}
	return !slices.Contains(rows[:], b.rules.Cols) && !slices.Contains(cols[:], b.rules.Rows)
}

// cells draws the board row by row without line ends, walls as x.
func (b *board) cells() []byte {
	text := bytes.Repeat([]byte{'.'}, b.rules.Rows*b.rules.Cols)
	vehicles := 0
	for _, p := range b.pieces {
		symbol := byte('x')
		if !p.wall {
			symbol = symbols[vehicles]
			vehicles++
		}
		p.cells(func(row, col int) { text[row*b.rules.Cols+col] = symbol })
	}
	return text
}

// text returns the board as a file.
func (b *board) text() []byte {
	var text bytes.Buffer
	b.rules.writeHead(&text)
	b.write(&text)
	return text.Bytes()
}

// write writes the board as it appears in a file below the head.
func (b *board) write(text *bytes.Buffer) {
	if down := b.verticalSingles(); down != "" {
		fmt.Fprintf(text, "vertical: %s\n", down)
	}
	for row := range slices.Chunk(b.cells(), b.rules.Cols) {
		text.Write(row)
		text.WriteByte('\n')
	}
}

// verticalSingles returns the names of the vehicles of one cell that move up and
// down.
func (b *board) verticalSingles() string {
	var names []string
	vehicles := 0
	for _, p := range b.pieces {
		if p.wall {
			continue
		}
		if p.length == 1 && p.vertical {
			names = append(names, symbols[vehicles:vehicles+1])
		}
		vehicles++
	}
	return strings.Join(names, " ")
}

// puzzle returns the board as one that can be explored.
func (b *board) puzzle() puzzle.Board {
	text := b.text()
	boards, err := rushhour.Read(text, puzzle.ReadOptions{})
	if err != nil {
		panic(fmt.Sprintf("generate: a board that cannot be read: %v\n%s", err, text))
	}
	return boards[0]
}

// at returns the board with its vehicles placed as in a state, given row by row.
func (b *board) at(state string) *board {
	moved := b.clone()
	vehicles := 0
	for i, p := range b.pieces {
		if p.wall {
			continue
		}
		at := strings.IndexByte(state, symbols[vehicles])
		vehicles++
		moved.pieces[i].row, moved.pieces[i].col = at/(b.rules.Cols+1), at%(b.rules.Cols+1)
	}
	return moved
}

// sort sorts the pieces in naming order: after the goal vehicle the horizontal
// vehicles by rows, the vertical ones by columns, then walls.
func (b *board) sort() {
	slices.SortFunc(b.pieces[1:], func(p, q piece) int {
		switch {
		case p.wall != q.wall:
			return order(q.wall, p.wall)
		case p.vertical != q.vertical:
			return order(q.vertical, p.vertical)
		case p.vertical && p.col != q.col:
			return p.col - q.col
		case p.row != q.row:
			return p.row - q.row
		}
		return p.col - q.col
	})
}

// order returns -1 if a comes first.
func order(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// mask encodes which cells hold horizontal and which vertical vehicles. Of two
// placements of the same vehicles, the one with the lesser mask is the one that a
// sweep would choose as its cluster's representative.
func (b *board) mask() string {
	n := b.rules.Rows * b.rules.Cols
	mask := bytes.Repeat([]byte{'0'}, 2*n)
	for _, p := range b.pieces {
		from := n - 1
		if p.vertical {
			from = 2*n - 1
		}
		if !p.wall {
			p.cells(func(row, col int) { mask[from-row*b.rules.Cols-col] = '1' })
		}
	}
	return string(mask)
}
