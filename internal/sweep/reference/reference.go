// Package reference compares the records of a Rush Hour sweep with a text file of
// puzzles in the format of the published database: one line each with the moves, the
// board and the number of states of its cluster. Lines that begin with a semicolon are
// comments.
//
// It must never decide which of the two is right.
package reference

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"

	"github.com/everystate/everystate/internal/sweep"
	"github.com/everystate/everystate/internal/sweep/rushhour"
)

// Bounds of the file.
const (
	linesMax     = 1 << 24
	lineBytesMax = 1 << 20
	boardMax     = 256
	distanceMax  = 1 << 12
)

// An Entry is what both sides hold of a puzzle.
type Entry struct {
	Distance int    `json:"distance"`
	Board    string `json:"board"`
	States   uint64 `json:"states"`
}

func (e Entry) String() string { return fmt.Sprintf("%02d %s %d", e.Distance, e.Board, e.States) }

// A Difference is a puzzle on which the two sides differ. Where a side lacks the
// puzzle, it is nil.
type Difference struct {
	Line int    `json:"line,omitempty"` // of the file, from 1
	File *Entry `json:"file,omitempty"`
	Here *Entry `json:"here,omitempty"`
}

// Counts counts the puzzles of both sides, each once.
type Counts struct {
	Equal     uint64 `json:"equal"`
	Different uint64 `json:"different"` // other moves or states
	Missing   uint64 `json:"missing"`   // in the file only
	Extra     uint64 `json:"extra"`     // not in the file
}

// Comparison is what a comparison found.
type Comparison struct {
	Counts
	// ByDistance counts the puzzles of each number of moves that the file gives, or the
	// records for those that are extra.
	ByDistance []Counts `json:"by_distance"`
	// Differences lists the first of them: first those that are different or extra in
	// the order of the records, then those missing in the order of the file.
	Differences []Difference `json:"differences"`
}

// Same reports whether there is no difference.
func (c *Comparison) Same() bool { return c.Different+c.Missing+c.Extra == 0 }

// Compare compares the records with the lines of a file. A puzzle counts if wanted selects
// it on either side: what the other side has of it may differ in the very number that wanted
// asks for. It keeps at most keep differences. A line that cannot be read, or that repeats
// a board, is an error that names it.
func Compare(records iter.Seq2[*sweep.Record, error], file io.Reader, wanted func(r *sweep.Record) bool, keep int) (*Comparison, error) {
	lines, err := read(file, wanted)
	if err != nil {
		return nil, err
	}
	c := &Comparison{ByDistance: []Counts{}, Differences: []Difference{}}
	note := func(distance int, which func(n *Counts) *uint64, d Difference) {
		c.count(distance, which)
		if len(c.Differences) < keep {
			c.Differences = append(c.Differences, d)
		}
	}
	for r, err := range records {
		if err != nil {
			return nil, err
		}
		here := Entry{r.Distance(), r.Board, r.States()}
		at, ok := lines.of[r.Board]
		if !ok {
			if wanted(r) {
				note(here.Distance, extra, Difference{Here: &here})
			}
			continue
		}
		there := lines.entry(at)
		switch delete(lines.of, r.Board); {
		case !lines.all[at].wanted && !wanted(r):
		case there == here:
			c.count(there.Distance, equal)
		default:
			note(there.Distance, different, Difference{Line: lines.all[at].line, File: &there, Here: &here})
		}
	}
	for at := range lines.all {
		there := lines.entry(at)
		if _, left := lines.of[there.Board]; left && lines.all[at].wanted {
			note(there.Distance, missing, Difference{Line: lines.all[at].line, File: &there})
		}
	}
	return c, nil
}

func equal(n *Counts) *uint64     { return &n.Equal }
func different(n *Counts) *uint64 { return &n.Different }
func missing(n *Counts) *uint64   { return &n.Missing }
func extra(n *Counts) *uint64     { return &n.Extra }

// count counts a puzzle, in all and at its distance.
func (c *Comparison) count(distance int, which func(n *Counts) *uint64) {
	for len(c.ByDistance) <= distance {
		c.ByDistance = append(c.ByDistance, Counts{})
	}
	*which(&c.Counts)++
	*which(&c.ByDistance[distance])++
}

// lines holds the lines of a file, indexed by their boards.
type lines struct {
	all []line
	of  map[string]int
}

type line struct {
	board    string
	states   uint64
	distance int
	line     int
	wanted   bool
}

func (l *lines) entry(at int) Entry {
	return Entry{l.all[at].distance, l.all[at].board, l.all[at].states}
}

func read(file io.Reader, wanted func(r *sweep.Record) bool) (*lines, error) {
	l := &lines{of: make(map[string]int)}
	in := bufio.NewScanner(file)
	in.Buffer(nil, lineBytesMax)
	n := 0
	for in.Scan() {
		n++
		text := bytes.TrimSpace(in.Bytes())
		if len(text) == 0 || text[0] == ';' {
			continue
		}
		e, err := parse(string(text))
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if at, twice := l.of[e.board]; twice {
			return nil, fmt.Errorf("line %d: repeats the board of line %d", n, l.all[at].line)
		}
		if len(l.all) == linesMax {
			return nil, fmt.Errorf("line %d: a file has at most %d boards", n, linesMax)
		}
		e.line, e.wanted = n, wanted(recordOf(&e))
		l.of[e.board] = len(l.all)
		l.all = append(l.all, e)
	}
	switch err := in.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, fmt.Errorf("line %d: longer than %d bytes", n+1, lineBytesMax)
	case err != nil:
		return nil, fmt.Errorf("line %d: %w", n+1, err)
	}
	return l, nil
}

// parse reads MOVES BOARD STATES and ignores the rest, as in the lines of the
// reference's enumerator. Empty cells are o or dots.
func parse(text string) (e line, err error) {
	fields := strings.Fields(text)
	if len(fields) < 3 {
		return e, fmt.Errorf("%.60q: must be MOVES BOARD STATES", text)
	}
	if e.distance, err = strconv.Atoi(fields[0]); err != nil || e.distance < 0 || e.distance >= distanceMax {
		return e, fmt.Errorf("%.20q: must be a number of moves below %d", fields[0], distanceMax)
	}
	e.board = strings.ReplaceAll(fields[1], ".", "o")
	if len(e.board) > boardMax {
		return e, fmt.Errorf("a board of %d cells: at most %d", len(e.board), boardMax)
	}
	if e.states, err = strconv.ParseUint(fields[2], 10, 63); err != nil {
		return e, fmt.Errorf("%.20q: must be a number of states", fields[2])
	}
	return e, nil
}

// recordOf makes a record of a line, as far as filters need it.
func recordOf(e *line) *sweep.Record {
	var seen [256]bool
	r := &sweep.Record{Board: e.board, Layers: make([]uint64, e.distance+1)}
	walls := uint64(0)
	for _, c := range []byte(e.board) {
		switch {
		case c == 'x':
			walls++
		case c != 'o' && c != '/' && !seen[c]: // a slash is between rows
			seen[c] = true
			r.Pieces++
		}
	}
	r.Layers[0] = e.states
	var attributes [rushhour.Walls + 1]uint64
	attributes[rushhour.Walls] = walls
	r.Attributes = sweep.Attributes(attributes[:]...)
	return r
}
