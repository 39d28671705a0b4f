// Package pack makes puzzle packs for authors of apps and books: the records of a
// sweep, with the difficulty of each puzzle, as JSON. It explores the cluster of each
// puzzle in memory, independently of the sweep, and so checks the sweep: a record
// that disagrees is an error.
//
// It must never read a file or a clock.
package pack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/everystate/everystate/internal/grade"
	"github.com/everystate/everystate/internal/solve"
	"github.com/everystate/everystate/internal/sweep"
	"github.com/everystate/everystate/puzzle"
)

// Format and Version identify a pack. A later version may add fields.
const (
	Format  = "everystate-puzzle-pack"
	Version = 1
)

// Head is what comes before the puzzles.
type Head struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	Puzzle  string `json:"puzzle"`
	Metric  string `json:"metric"`
	Rows    int    `json:"rows"`
	Columns int    `json:"columns"`
	Rules   string `json:"rules"`
	Digest  string `json:"digest"`
}

// Puzzle is one puzzle. docs/JSON.md describes it.
type Puzzle struct {
	Cells    string     `json:"cells"`
	Vehicles []Vehicle  `json:"vehicles,omitempty"` // of Rush Hour
	Pieces   []Piece    `json:"pieces,omitempty"`   // of other puzzles
	Walls    []Cell     `json:"walls"`
	Distance int        `json:"distance"`
	States   int        `json:"states"`
	Layers   []int      `json:"states_by_distance"`
	Solution []string   `json:"solution"`
	How      Difficulty `json:"difficulty"`
}

// Vehicle is a vehicle at the start, placed by its left or top cell.
type Vehicle struct {
	Name     string `json:"name"`
	Row      int    `json:"row"`
	Column   int    `json:"column"`
	Length   int    `json:"length"`
	Vertical bool   `json:"vertical"`
	Goal     bool   `json:"goal"`
}

// Piece is a piece at the start.
type Piece struct {
	Name  string `json:"name"`
	Cells []Cell `json:"cells"` // row by row
	Goal  bool   `json:"goal"`
}

// Cell is a cell of the board, counted from 0.
type Cell struct {
	Row    int `json:"row"`
	Column int `json:"column"`
}

// Difficulty is that of package solve.
type Difficulty struct {
	Distance     int         `json:"distance"`
	Solutions    json.Number `json:"optimal_solutions"`
	Forced       int         `json:"forced_moves"`
	Branching    float64     `json:"branching"`
	AllBranching float64     `json:"branching_of_all_states"`
	DeadEnds     int         `json:"dead_ends"`
	DeadEndsNear int         `json:"dead_ends_near_solutions"`
	*Grade                   // of Rush Hour
}

// Grade is a grade with its measures, of package grade.
type Grade struct {
	Grade            int     `json:"grade"`
	Chance           float64 `json:"bits_of_chance"`
	CounterIntuitive int     `json:"counter_intuitive_moves"`
	ForcedRun        int     `json:"longest_forced_run"`
	Movers           int     `json:"vehicles_that_must_move"`
}

// GradeOf returns measures as a pack has them.
func GradeOf(m *grade.Measures) *Grade {
	return &Grade{Grade: m.Grade(), Chance: float64(m.Chance) / 100, CounterIntuitive: m.Counter, ForcedRun: m.ForcedRun, Movers: m.Vehicles}
}

// statesMax bounds the states of a cluster that is explored.
const statesMax = 1 << 26

// An Explorer examines puzzles one after another.
type Explorer struct{ component solve.Component }

// fill explores the cluster of a record's board, which has to be as the record says.
func (e *Explorer) fill(ctx context.Context, r *sweep.Record, b puzzle.Board) error {
	c := &e.component
	if err := c.Explore(ctx, b.Puzzle, statesMax); err != nil {
		return fmt.Errorf("record %s: %w", r.Board, err)
	}
	same := len(c.Layers()) == len(r.Layers) && c.Distance(0) == r.Distance()
	for i := range r.Layers {
		same = same && uint64(c.Layers()[i]) == r.Layers[i]
	}
	if !same {
		return fmt.Errorf("record %s says distance %d and states by distance %v, found %d and %v: the database is damaged or has different rules",
			r.Board, r.Distance(), r.Layers, c.Distance(0), c.Layers())
	}
	return nil
}

// Measure measures a record's board, of Rush Hour.
func (e *Explorer) Measure(ctx context.Context, r *sweep.Record, b puzzle.Board) (grade.Measures, error) {
	if err := e.fill(ctx, r, b); err != nil {
		return grade.Measures{}, err
	}
	return grade.Of(&e.component, b.Puzzle, 0)
}

// Explore makes a puzzle of a record and its board.
func (e *Explorer) Explore(ctx context.Context, r *sweep.Record, b puzzle.Board) (*Puzzle, error) {
	if err := e.fill(ctx, r, b); err != nil {
		return nil, err
	}
	c := &e.component
	d := c.Difficulty(0)
	look, ok := b.Puzzle.(puzzle.Pictured)
	if !ok {
		return nil, errors.New("a puzzle without pictures")
	}
	p := &Puzzle{
		Cells: r.Board, Walls: []Cell{}, Distance: d.Distance, States: c.Len(), Layers: slices.Clone(c.Layers()), Solution: []string{},
		How: Difficulty{
			Distance: d.Distance, Solutions: json.Number(d.Solutions.String()), Forced: d.Forced,
			Branching: hundredths(d.Branching), AllBranching: hundredths(d.ComponentBranching),
			DeadEnds: d.DeadEnds, DeadEndsNear: d.DeadEndsNear,
		},
	}
	if m, err := grade.Of(c, b.Puzzle, 0); err == nil {
		p.How.Grade = GradeOf(&m)
	}
	pic := look.Picture(b.Puzzle.Starts())
	for _, v := range pic.Pieces {
		if v.Kind != puzzle.PieceVehicle {
			piece := Piece{Name: v.Label, Goal: v.Goal}
			for _, c := range v.Cells {
				piece.Cells = append(piece.Cells, Cell{c.Row, c.Col})
			}
			p.Pieces = append(p.Pieces, piece)
			continue
		}
		first := v.Cells[0]
		p.Vehicles = append(p.Vehicles, Vehicle{
			Name: v.Label, Row: first.Row, Column: first.Col, Length: len(v.Cells), Vertical: len(v.Cells) > 1 && v.Cells[1].Col == first.Col, Goal: v.Goal,
		})
	}
	for i, ground := range pic.Ground {
		if ground == puzzle.GroundWall {
			p.Walls = append(p.Walls, Cell{i / pic.Cols, i % pic.Cols})
		}
	}
	for _, m := range c.Solution(0) {
		p.Solution = append(p.Solution, b.Puzzle.FormatMove(m))
	}
	return p, nil
}

// hundredths rounds to two decimals, so that a pack is the same on every machine.
func hundredths(x float64) float64 { return math.Round(x*100) / 100 }

// Writer writes a pack, one puzzle at a time.
type Writer struct {
	w     io.Writer
	count int
}

// NewWriter begins a pack.
func NewWriter(w io.Writer, h Head) (*Writer, error) {
	h.Format, h.Version = Format, Version
	head, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	_, err = fmt.Fprintf(w, "%s,\n\"puzzles\":[", head[:len(head)-1])
	return &Writer{w: w}, err
}

// Write adds a puzzle.
func (w *Writer) Write(p *Puzzle) error {
	body, err := json.Marshal(p)
	if err != nil {
		return err
	}
	before := "\n"
	if w.count++; w.count > 1 {
		before = ",\n"
	}
	_, err = fmt.Fprintf(w.w, "%s%s", before, body)
	return err
}

// Close ends the pack.
func (w *Writer) Close() error {
	_, err := fmt.Fprintf(w.w, "\n],\n\"count\":%d}\n", w.count)
	return err
}
