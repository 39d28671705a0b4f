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

// symbols name the vehicles of a board, the goal vehicle first.
const symbols = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnpqrstuvwyz0123456789"

// vehiclesMax is how many vehicles a board has room for, the goal vehicle too.
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

// board is a placement of pieces, of which the first is the goal vehicle.
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

// room reports whether a piece lies on free cells of the board, those of one other
// piece taken for free.
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

// allowed reports whether a board keeps the rules of a sweep: no row that
// horizontal vehicles and walls fill, no column that vertical vehicles fill, and
// in the goal vehicle's row nothing horizontal but walls on its left.
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

// cells draws the board, walls as x: one row after the other, without ends of lines.
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

// text writes the board as a file.
func (b *board) text() []byte {
	var text bytes.Buffer
	b.rules.writeHead(&text)
	b.write(&text)
	return text.Bytes()
}

// write writes the board as it stands in a file below its head.
func (b *board) write(text *bytes.Buffer) {
	if down := b.verticalSingles(); down != "" {
		fmt.Fprintf(text, "vertical: %s\n", down)
	}
	for row := range slices.Chunk(b.cells(), b.rules.Cols) {
		text.Write(row)
		text.WriteByte('\n')
	}
}

// verticalSingles names the vehicles of one cell that move up and down.
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

// puzzle makes the board one that can be explored.
func (b *board) puzzle() puzzle.Board {
	text := b.text()
	boards, err := rushhour.Read(text, puzzle.ReadOptions{})
	if err != nil {
		panic(fmt.Sprintf("generate: a board that cannot be read: %v\n%s", err, text))
	}
	return boards[0]
}

// at returns the board with its vehicles where a state, drawn in rows, has them.
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

// sort puts the pieces in the order in which they are named: after the goal vehicle
// the horizontal vehicles by rows, the vertical ones by columns, and walls.
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

// order is -1 where a comes first.
func order(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// mask says which cells have horizontal vehicles and which have vertical ones, so
// that of two placements of the same vehicles the one that a sweep would choose to
// stand for its cluster has the mask that comes first.
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
