// Package lightsout is the example of docs/PUZZLES.md: lamps that are to go out.
package lightsout

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/boardfile"
)

// Family is the name of the family.
const Family = "lights-out"

// board is one puzzle. Bit i of a state is lamp i, row by row.
type board struct {
	rows, cols int
	start      uint64
	switches   []uint64 // switches[i] are the lamps that a press of lamp i switches
}

func (b *board) Layout() puzzle.Layout {
	return puzzle.Layout{KeyBits: len(b.switches), Moves: len(b.switches), Reversible: true, HasGoal: true}
}

func (b *board) Starts() []uint64 { return []uint64{b.start} }

func (b *board) Valid(key []uint64) bool {
	return len(key) == 1 && bits.Len64(key[0]) <= len(b.switches)
}

func (b *board) Successors(states []uint64, out *puzzle.Edges) {
	for _, state := range states {
		for i, mask := range b.switches {
			out.Keys, out.Moves = append(out.Keys, state^mask), append(out.Moves, puzzle.Move(i))
		}
	}
}

func (b *board) Apply(dst, state []uint64, move puzzle.Move) bool {
	if int(move) < len(b.switches) {
		dst[0] = state[0] ^ b.switches[move]
	}
	return int(move) < len(b.switches)
}

func (b *board) Undo(dst, state []uint64, move puzzle.Move) bool { return b.Apply(dst, state, move) }

func (b *board) Goals(states []uint64, marks []bool) {
	for i, state := range states {
		marks[i] = state == 0
	}
}

func (b *board) Format(state []uint64) string {
	rows := make([]string, b.rows)
	for i := range b.switches {
		rows[i/b.cols] += ".*"[state[0]>>i&1:][:1]
	}
	return strings.Join(rows, "\n")
}

func (b *board) Draw(state []uint64) string { return b.Format(state) }

func (b *board) FormatMove(m puzzle.Move) string {
	return fmt.Sprintf("r%dc%d", int(m)/b.cols+1, int(m)%b.cols+1)
}

func (b *board) Parse(text string) ([]uint64, error) {
	boards, err := Read([]byte(text), puzzle.ReadOptions{})
	if err != nil {
		return nil, err
	}
	if note := b.note(); boards[0].Note != note {
		return nil, &puzzle.InputError{What: "the puzzle has " + note}
	}
	return boards[0].Puzzle.Starts(), nil
}

func (b *board) note() string { return fmt.Sprintf("%d rows of %d lamps", b.rows, b.cols) }

// Read reads a board: rows of . (off) and * (on), at most 8 of at most 8.
func Read(text []byte, _ puzzle.ReadOptions) ([]puzzle.Board, error) {
	file, fault := boardfile.Parse(text)
	if fault != nil {
		return nil, fault
	}
	if fault := file.CheckKeys("puzzle"); fault != nil {
		return nil, fault
	}
	if len(file.Body) == 0 {
		return nil, &puzzle.InputError{What: "no board: it takes a row of . and *"}
	}
	b := &board{rows: len(file.Body), cols: len(file.Body[0].Text)}
	for row, line := range file.Body {
		if row >= 8 || b.cols > 8 || len(line.Text) != b.cols || strings.Trim(line.Text, ".*") != "" {
			return nil, line.Faultf("rows are of one length and hold . and *, at most 8 rows of at most 8")
		}
		for col, lamp := range line.Text {
			b.start |= uint64(strings.IndexRune(".*", lamp)) << (row*b.cols + col)
		}
	}
	for i := range b.rows * b.cols {
		b.switches = append(b.switches, 0)
		for j := range b.rows * b.cols {
			if down, right := j/b.cols-i/b.cols, j%b.cols-i%b.cols; down*down+right*right <= 1 {
				b.switches[i] |= 1 << j
			}
		}
	}
	return []puzzle.Board{{
		Puzzle: b, Family: Family, Metric: "press", Expect: puzzle.ExpectNothing(),
		Text: "puzzle: " + Family + "\n\n" + b.Format(b.Starts()), Note: b.note(),
	}}, nil
}
