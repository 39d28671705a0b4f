package pack

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/everystate/everystate/internal/sweep"
	"github.com/everystate/everystate/internal/sweep/blocks"
	"github.com/everystate/everystate/internal/sweep/rushhour/rules"
	"github.com/everystate/everystate/internal/sweep/sokoban"
	"github.com/everystate/everystate/puzzle"
	pieces "github.com/everystate/everystate/puzzle/blocks"
	family "github.com/everystate/everystate/puzzle/rushhour"
	levels "github.com/everystate/everystate/puzzle/sokoban"
)

// Boards turns the records of a sweep into boards.
type Boards struct {
	// Family is the puzzle, and Metric defines what counts as a move.
	Family, Metric string
	// Rows and Columns are the size of all boards.
	Rows, Columns int
	// One means that a text holds a single board.
	One bool
	// Reversible means that moves can be undone by moves, which an [Explorer] needs.
	Reversible bool

	headers string
	// body returns what a record puts below the headers.
	body func(record *sweep.Record) string
	read func(text []byte, opts puzzle.ReadOptions) ([]puzzle.Board, error)
	none error // what Fault returns
}

// BoardsOf returns the Boards for a sweep with the given rules.
func BoardsOf(text string) (*Boards, error) {
	switch kind, _, _ := strings.Cut(strings.TrimPrefix(text, "sweep: "), "\n"); kind {
	case sokoban.Kind:
		r, err := sokoban.Parse(text)
		return ofRoom(&r), err
	case blocks.Kind:
		r, err := blocks.Parse(text)
		if err != nil {
			return nil, err
		}
		return ofBlocks(&r)
	}
	r, err := rules.Parse(text)
	return ofRushHour(&r), err
}

// errSingles explains why some records have no board.
var errSingles = errors.New("records do not store the direction of vehicles of one cell: sweeps with such vehicles have no boards, pictures or packs")

func ofRushHour(r *rules.Rules) *Boards {
	b := &Boards{Family: family.Family, Metric: "slide", Rows: r.Size.Rows, Columns: r.Size.Columns, Reversible: true, read: family.Read}
	if r.Step {
		b.Metric = "step"
	}
	if slices.Contains(r.Lengths, 1) {
		b.none = errSingles
	}
	b.headers = fmt.Sprintf("puzzle: %s\nmetric: %s\nnotation: letters-extended\nsize: %v\ngoal: A\nexit: right\n", b.Family, b.Metric, r.Size)
	b.body = func(record *sweep.Record) string {
		text := fmt.Sprintf("moves: %d\nstates: %d\n", record.Distance(), record.States())
		cells := strings.ReplaceAll(record.Board, "/", "") // which boards that are not square have
		for row := range slices.Chunk([]byte(cells), r.Size.Columns) {
			text += string(row) + "\n"
		}
		return text
	}
	return b
}

func ofRoom(r *sokoban.Rules) *Boards {
	b := &Boards{Family: levels.Family, Metric: "push", read: levels.Read}
	b.Rows, b.Columns = sides(r.Room)
	b.headers = fmt.Sprintf("puzzle: %s\nmetric: %s\n", b.Family, b.Metric)
	b.body = func(record *sweep.Record) string {
		// A record does not hold how many states are reachable from the start.
		return fmt.Sprintf("moves: %d\n%s\n", record.Distance(), strings.NewReplacer("/", "\n", "-", " ").Replace(record.Board))
	}
	return b
}

func ofBlocks(r *blocks.Rules) (*Boards, error) {
	given, err := pieces.Read([]byte(r.Board), puzzle.ReadOptions{})
	if err != nil {
		return nil, err
	}
	b := &Boards{Family: pieces.Family, Metric: given[0].Metric, One: true, Reversible: true, read: pieces.Read}
	headers, board, _ := strings.Cut(given[0].Text, "\n\n")
	b.Rows, b.Columns = sides(strings.ReplaceAll(strings.TrimSuffix(board, "\n"), "\n", "/"))
	b.headers = headers + "\n"
	b.body = func(record *sweep.Record) string {
		return fmt.Sprintf("moves: %d\nstates: %d\n\n%s\n", record.Distance(), record.States(), strings.ReplaceAll(record.Board, "/", "\n"))
	}
	return b, nil
}

// sides returns the size of a board whose rows are separated by slashes.
func sides(board string) (rows, columns int) {
	for row := range strings.SplitSeq(board, "/") {
		rows, columns = rows+1, max(columns, len(row))
	}
	return rows, columns
}

// Headers returns the headers shared by the boards of all records.
func (b *Boards) Headers() []byte { return []byte(b.headers) }

// Body returns the part of a record's board below the headers, with the board's own
// promises.
func (b *Boards) Body(record *sweep.Record) []byte { return []byte(b.body(record)) }

// Fault returns why the records have no boards, nil if they have.
func (b *Boards) Fault() error { return b.none }

// Board returns the board of a record, ready to explore.
func (b *Boards) Board(record *sweep.Record) (puzzle.Board, error) {
	if b.none != nil {
		return puzzle.Board{}, b.none
	}
	boards, err := b.read(append(b.Headers(), b.Body(record)...), puzzle.ReadOptions{})
	if err != nil {
		return puzzle.Board{}, fmt.Errorf("record %s: %w", record.Board, err)
	}
	return boards[0], nil
}
