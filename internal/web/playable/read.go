package playable

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/everystate/everystate/internal/draw/layout"
	"github.com/everystate/everystate/internal/portrait"
	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/puzzle"
)

// contents is what a file holds of a run. States are numbered by depth, and within a
// depth by key: neighbours in the columns are then alike, which compresses well.
type contents struct {
	Columns

	start int
	texts []string
	at    []int16 // x, y and z of each state; math.MaxInt16 stands for 1

	degree []uint32 // moves of each state
	target []uint32 // of each move: the state it leads to
	move   []uint32 // of each move: the index of its name
	names  []string
	looks
}

// reader reads a run.
type reader struct {
	space   *query.Space
	numbers *query.Numbers
	order   []uint32 // rows of the run, by number in the file
	rank    []uint32 // numbers in the file, by row of the run
	name    map[puzzle.Move]uint32
	look    puzzle.Pictured
	contents
}

func read(ctx context.Context, space *query.Space, o Options) (*contents, error) {
	r := &reader{space: space, name: map[puzzle.Move]uint32{}, look: portrait.Flat(space.Board)}
	r.looks = newLooks(o.Title)
	if err := r.rows(ctx); err != nil {
		return nil, err
	}
	// Approximate parts of the work.
	const rows, states = 0.1, 0.6
	staged, _ := space.Board.Puzzle.(puzzle.Staged)
	for i := range r.order {
		if i%256 == 0 {
			if err := cmp.Or(ctx.Err(), o.tell(rows+(states-rows)*float64(i)/float64(len(r.order)))); err != nil {
				return nil, err
			}
		}
		if err := r.state(i, staged); err != nil {
			return nil, err
		}
	}
	if err := puzzle.Err(space.Board.Puzzle); err != nil {
		return nil, err
	}
	return &r.contents, r.place(ctx, func(part float64) error { return o.tell(states + (1-states)*part) })
}

// rows reads the table of states, and sorts them into the order of the file.
func (r *reader) rows(ctx context.Context) error {
	var err error
	if r.numbers, err = r.space.Numbers(ctx); err != nil {
		return err
	}
	var rows Columns
	err = query.Table(ctx, r.space, query.TableOptions{Workers: 1}, func(_ struct{}, b *query.Batch) (struct{}, error) {
		rows.Add(b)
		return struct{}{}, nil
	}, func(struct{}) error { return nil })
	if err != nil {
		return err
	}
	n := r.numbers.Len()
	r.order, r.rank = make([]uint32, n), make([]uint32, n)
	for i := range r.order {
		r.order[i] = uint32(i) // at most StatesMax
	}
	slices.SortFunc(r.order, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(rows.Depth[a], rows.Depth[b]), slices.Compare(r.numbers.Key(int(a)), r.numbers.Key(int(b))))
	})
	for i, row := range r.order {
		r.rank[row] = uint32(i)
		r.Depth, r.Distance, r.Flags = append(r.Depth, rows.Depth[row]), append(r.Distance, rows.Distance[row]), append(r.Flags, rows.Flags[row])
	}
	board := r.space.Board.Puzzle
	if row, ok := r.numbers.Of(board.Starts()[:board.Layout().Words()]); ok {
		r.start = int(r.rank[row])
	}
	return nil
}

// state reads what the table lacks of a state: its text, its look, its moves.
func (r *reader) state(i int, staged puzzle.Staged) error {
	board, key := r.space.Board.Puzzle, r.numbers.Key(int(r.order[i]))
	r.texts = append(r.texts, board.Format(key))
	if err := r.add(r.look.Picture(key)); err != nil {
		return err
	}
	var edges puzzle.Edges
	board.Successors(key, &edges)
	words, degree := len(key), uint32(0)
	for e := range edges.Len() {
		to := edges.Keys[e*words : (e+1)*words]
		row, ok := r.numbers.Of(to)
		if !ok {
			return fmt.Errorf("the run does not have the state after %s: %w", board.FormatMove(edges.Moves[e]), ErrIncomplete)
		}
		r.target = append(r.target, r.rank[row])
		r.move = append(r.move, r.nameOf(edges.Moves[e]))
		if staged != nil {
			if err := r.addStaged(staged.PictureAfter(to, edges.Moves[e])); err != nil {
				return err
			}
		}
		degree++
	}
	r.degree = append(r.degree, degree)
	if len(r.target) > MovesMax {
		return &TooLargeError{int64(len(r.target)), "moves or more", MovesMax}
	}
	return nil
}

func (r *reader) nameOf(m puzzle.Move) uint32 {
	i, ok := r.name[m]
	if !ok {
		i = uint32(len(r.names)) // at most MovesMax
		r.name[m], r.names = i, append(r.names, r.space.Board.Puzzle.FormatMove(m))
	}
	return i
}

// place computes the layout of the graph.
func (r *reader) place(ctx context.Context, progress func(part float64) error) error {
	var pairs []uint64
	e := 0
	for i, degree := range r.degree {
		for range degree {
			if j := int(r.target[e]); j != i {
				pairs = append(pairs, uint64(min(i, j))<<32|uint64(max(i, j)))
			}
			e++
		}
	}
	slices.Sort(pairs)
	flat := make([]uint32, 0, 2*len(pairs))
	for _, p := range slices.Compact(pairs) {
		flat = append(flat, uint32(p>>32), uint32(p))
	}
	at, err := layout.Place(layout.NewGraph(len(r.degree), flat), layout.Options{Progress: func(part float64) error {
		return cmp.Or(ctx.Err(), progress(part))
	}})
	for _, x := range at {
		r.at = append(r.at, int16(math.Round(float64(x)*math.MaxInt16)))
	}
	return err
}
