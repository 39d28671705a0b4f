package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/puzzle"
)

// way is a path on the page, or a part of one.
type way struct {
	States []state `json:"states"`
	Total  int     `json:"total"` // states of the whole path
}

// found is a path between a state and its nearest goal or the start.
type found struct {
	query.Path

	toGoal bool
}

// foundAs names a path: a run of the same board that has come as far has the same one.
type foundAs struct {
	run, board, metric, key, to string

	layers [2]int // forward and backward
}

// paths keeps the last paths, as the page asks for parts of long ones.
type paths struct {
	mu   sync.Mutex
	last []foundAs // the oldest first
	all  map[foundAs]*found
}

const (
	pathsMax    = 4
	pathKeptMin = 1000 // moves; shorter ones are found again
	windowMax   = 1000 // states of a part of a path
)

// find returns a path, if need be by asking for it.
func (p *paths) find(as foundAs, ask func() (query.Path, error)) (*found, error) {
	p.mu.Lock()
	known := p.all[as]
	p.mu.Unlock()
	if known != nil {
		return known, nil
	}
	path, err := ask()
	if err != nil {
		return nil, err
	}
	f := &found{path, as.to == "goal"}
	if len(path.Moves) < pathKeptMin {
		return f, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all == nil {
		p.all = make(map[foundAs]*found)
	}
	if p.all[as] == nil {
		p.last = append(p.last, as)
	}
	if p.all[as] = f; len(p.last) > pathsMax {
		delete(p.all, p.last[0])
		p.last = p.last[1:]
	}
	return f, nil
}

// of returns the path that a request asks for.
func (p *paths) of(r *http.Request, space *query.Space) (*found, error) {
	key, err := parseKey(space.Board.Puzzle, r.PathValue("key"))
	if err != nil {
		return nil, err
	}
	to := r.URL.Query().Get("to")
	ask := space.ToGoal
	switch to {
	case "goal":
	case "start":
		ask = space.FromStart
	default:
		return nil, fmt.Errorf("%w: to must be goal or start", errRequest)
	}
	as := foundAs{
		r.PathValue("run"), space.Board.Text, space.Board.Metric, r.PathValue("key"), to,
		[2]int{len(space.History.Layers(history.Forward)), len(space.History.Layers(history.Goal))},
	}
	return p.find(as, func() (query.Path, error) { return ask(r.Context(), key) })
}

// near returns about where a state of the path is, given the place of the one before it
// where that is known. On a path between the start and its nearest goal, both are right.
func (f *found) near(i int, before query.Place) query.Place {
	if f.toGoal || before.GoalDistance < 0 {
		before.GoalDistance = len(f.Moves) - i
	}
	if !f.toGoal || before.Depth < 0 {
		before.Depth = i
	}
	return before
}

// path returns a path from a state to its nearest goal, or from the start to it, or a part
// of that.
func (s *Server) path(r *http.Request, view View) (any, error) {
	space := view.Space()
	first, end := 0, -1
	if q := r.URL.Query(); q.Has("offset") || q.Has("limit") {
		var err error
		if first, end, err = pageOf(r, windowMax); err != nil {
			return nil, err
		}
	}
	f, err := s.paths.of(r, space)
	if err != nil {
		return nil, err
	}
	n := len(f.States)
	first = min(first, n)
	if end < 0 || end > n-first {
		end = n - first
	}
	states, err := describe(r.Context(), space, f.Path, first, first+end, f.near)
	return way{States: states, Total: n}, err
}

// moves returns the moves of a path, for the page: a long path is described in parts.
func (p *paths) moves(r *http.Request, view View) (any, error) {
	space := view.Space()
	f, err := p.of(r, space)
	if err != nil {
		return nil, err
	}
	answer := struct {
		Names     []string `json:"names"`
		Moves     []int    `json:"moves"`     // places in Names
		Distances []int    `json:"distances"` // to the goal, of each state; null if they are not known
	}{Names: []string{}, Moves: make([]int, len(f.Moves))}
	number := make(map[puzzle.Move]int)
	for i, m := range f.Moves {
		at, known := number[m]
		if !known {
			at = len(answer.Names)
			number[m] = at
			answer.Names = append(answer.Names, space.Board.Puzzle.FormatMove(m))
		}
		answer.Moves[i] = at
	}
	if f.toGoal {
		for i := range f.States {
			answer.Distances = append(answer.Distances, len(f.Moves)-i)
		}
	}
	return answer, nil
}

// describe describes the states of a path from first to before end. As each is next to the
// one before, it need not be looked up everywhere. near may know more of where it is.
func describe(ctx context.Context, space *query.Space, p query.Path, first, end int, near func(i int, before query.Place) query.Place) ([]state, error) {
	states := make([]state, 0, end-first)
	before := nowhere()
	for i := first; i < end; i++ {
		key := p.States[i]
		if near != nil {
			before = near(i, before)
		}
		at, err := query.LocateNear(ctx, space, key, before)
		var st state
		switch {
		case errors.Is(err, query.ErrUnreachable):
			st = unknown(space, key)
		case err != nil:
			return nil, err
		default:
			st, before = brief(key, at, true), at
		}
		st.Text = space.Board.Puzzle.Format(key)
		if i > 0 {
			st.reachedBy(space.Board.Puzzle, key, p.Moves[i-1])
		} else {
			st.Board = boardOf(looksOf(space.Board.Puzzle, key))
		}
		states = append(states, st)
	}
	return states, nil
}
