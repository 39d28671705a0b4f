package web

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/internal/solid"
	"github.com/everystate/everystate/internal/web/playable"
	"github.com/everystate/everystate/puzzle"
)

// keyText formats a key as the page knows it: 16 hexadecimal digits per word.
func keyText(key []uint64) string {
	out := make([]byte, 0, 16*len(key))
	for _, w := range key {
		for shift := 56; shift >= 0; shift -= 8 {
			out = hex.AppendEncode(out, []byte{byte(w >> shift)})
		}
	}
	return string(out)
}

// parseKey parses a key and checks that it is a state's.
func parseKey(p puzzle.Puzzle, text string) ([]uint64, error) {
	raw, err := hex.DecodeString(text)
	layout := p.Layout()
	if err != nil || len(raw) != 8*layout.Words() {
		return nil, fmt.Errorf("%w: %.40q is not a key of a state", errRequest, text)
	}
	key := make([]uint64, layout.Words())
	for i, b := range raw {
		key[i/8] = key[i/8]<<8 | uint64(b)
	}
	if layout.KeyBits < 64 && key[0]>>layout.KeyBits != 0 || !puzzle.Unmerged(p).Valid(key) {
		return nil, fmt.Errorf("%w: %.40q is not a key of a state", errRequest, text)
	}
	return key, nil
}

// state is a state on the page.
type state struct {
	Key          string `json:"key"`
	Text         string `json:"text,omitempty"`
	Drawing      string `json:"drawing,omitempty"`
	Known        bool   `json:"known"` // the run has found it
	Depth        int    `json:"depth"`
	Goal         bool   `json:"goal"`
	GoalDistance int    `json:"goal_distance"` // -1 if there is none or it is unknown
	// Move leads here from the state that this one is a neighbour of, or from the
	// previous state of a path.
	Move string `json:"move,omitempty"`
	// By is that move, if the picture shows more with it.
	By *puzzle.Move `json:"by,omitempty"`
	// Board is the picture, as far as the page itself uses it.
	Board *board `json:"board,omitempty"`
}

// board is a puzzle.Picture for the page.
type board struct {
	Rows   int     `json:"rows"`
	Cols   int     `json:"cols"`
	Pieces []piece `json:"pieces"`
	// Spots are the middles of the cells if they are no grid.
	Spots [][2]float64 `json:"spots,omitempty"`
}

type piece struct {
	Kind   int    `json:"kind"`
	Label  string `json:"label,omitempty"`
	Colour int    `json:"colour"`
	Cells  []int  `json:"cells"` // row*cols + column
}

func boardOf(pic *puzzle.Picture) *board {
	if pic == nil {
		return nil
	}
	b := &board{Rows: pic.Rows, Cols: pic.Cols, Pieces: make([]piece, len(pic.Pieces)), Spots: playable.Spots(pic)}
	for i := range pic.Pieces {
		from := &pic.Pieces[i]
		to := piece{Kind: int(from.Kind), Label: from.Label, Colour: from.Colour}
		for _, c := range from.Cells {
			to.Cells = append(to.Cells, c.Row*pic.Cols+c.Col)
		}
		b.Pieces[i] = to
	}
	return b
}

// seen is a state with its neighbours.
type seen struct {
	state

	Predecessor *state  `json:"predecessor"`
	Neighbours  []state `json:"neighbours"`
}

// brief describes a state without looking it up.
func brief(key []uint64, at query.Place, known bool) state {
	return state{
		Key: keyText(key), Known: known, Depth: at.Depth, Goal: at.Goal, GoalDistance: at.GoalDistance,
	}
}

// full adds the parts that take room.
func full(space *query.Space, key []uint64, s state) state {
	p := space.Board.Puzzle
	s.Text, s.Drawing, s.Board = p.Format(key), p.Draw(key), boardOf(looksOf(p, key))
	return s
}

// reachedBy adds the move that leads to a state, and its picture then.
func (s *state) reachedBy(p puzzle.Puzzle, key []uint64, move puzzle.Move) {
	s.Move = p.FormatMove(move)
	if _, ok := p.(solid.Puzzle); ok {
		s.Text = p.Format(key) // the page may draw a body from it
	}
	if staged, ok := p.(puzzle.Staged); ok {
		s.By, s.Board = &move, boardOf(staged.PictureAfter(key, move))
		return
	}
	s.Board = boardOf(looksOf(p, key))
}

// unknown describes a state that the run has not found.
func unknown(space *query.Space, key []uint64) state {
	marks := []bool{false}
	space.Board.Puzzle.Goals(key, marks)
	return brief(key, query.Place{Depth: -1, Goal: marks[0], GoalDistance: -1}, false)
}

// nowhere is no place.
func nowhere() query.Place { return query.Place{Depth: -1, GoalDistance: -1} }

// look describes a state and its neighbours. The state is looked for near a place first.
func look(ctx context.Context, space *query.Space, key []uint64, near query.Place) (*seen, error) {
	at, err := query.LocateNear(ctx, space, key, near)
	if errors.Is(err, query.ErrUnreachable) {
		// It can still be shown, with its neighbours.
		return lookAround(ctx, space, key, nowhere(), false)
	}
	if err != nil {
		return nil, err
	}
	return lookAround(ctx, space, key, at, true)
}

func lookAround(ctx context.Context, space *query.Space, key []uint64, at query.Place, known bool) (*seen, error) {
	p := space.Board.Puzzle
	v := &seen{state: full(space, key, brief(key, at, known)), Neighbours: []state{}}
	if !known {
		v.state = full(space, key, unknown(space, key))
	}
	if known && at.Depth > 0 {
		before, link, err := space.Predecessor(ctx, key, at)
		if err != nil {
			return nil, err
		}
		place, err := query.LocateNear(ctx, space, before, query.Place{Depth: at.Depth - 1, GoalDistance: at.GoalDistance})
		if err != nil {
			return nil, err
		}
		b := brief(before, place, true)
		b.Move = p.FormatMove(link)
		v.Predecessor = &b
	}
	if !known {
		at.Depth, at.GoalDistance = 0, 0
	}
	next, err := space.Successors(ctx, key, at)
	if err != nil {
		return nil, err
	}
	const neighboursMax = 1000
	for _, n := range next[:min(len(next), neighboursMax)] {
		s := unknown(space, n.State)
		if n.Known {
			s = brief(n.State, n.Place, true)
		}
		s.reachedBy(p, n.State, n.Move)
		v.Neighbours = append(v.Neighbours, s)
	}
	return v, nil
}

func (s *Server) state(r *http.Request, view View) (any, error) {
	space := view.Space()
	key, err := parseKey(space.Board.Puzzle, r.PathValue("key"))
	if err != nil {
		return nil, err
	}
	// The page says where it is, if it knows.
	near := nowhere()
	for name, value := range map[string]*int{"depth": &near.Depth, "distance": &near.GoalDistance} {
		if n, err := strconv.Atoi(r.URL.Query().Get(name)); err == nil && n >= 0 {
			*value = n
		}
	}
	return look(r.Context(), space, key, near)
}

// find reads a pasted board of the run's puzzle.
func (s *Server) find(r *http.Request, view View) (any, error) {
	var body struct {
		Text string `json:"text"`
	}
	if err := read(r, &body); err != nil {
		return nil, err
	}
	space := view.Space()
	key, err := space.Board.Puzzle.Parse(strings.ReplaceAll(body.Text, " / ", "\n"))
	if err != nil {
		return nil, err
	}
	return look(r.Context(), space, key, nowhere())
}

// pageOf reads which items of a list a request asks for: at most limitMax from an offset.
func pageOf(r *http.Request, limitMax int) (offset, limit int, err error) {
	q := r.URL.Query()
	offset, err1 := strconv.Atoi(q.Get("offset"))
	limit, err2 := strconv.Atoi(q.Get("limit"))
	if err1 != nil || err2 != nil || offset < 0 || limit < 1 || limit > limitMax {
		return 0, 0, fmt.Errorf("%w: offset must be 0 or more, and limit 1 to %d", errRequest, limitMax)
	}
	return offset, limit, nil
}

// states lists start, goal, hardest or deepest states, or those of a layer.
func (s *Server) states(r *http.Request, view View) (any, error) {
	space, q := view.Space(), r.URL.Query()
	const pageMax = 200
	offset, limit, err := pageOf(r, pageMax)
	if err != nil {
		return nil, err
	}
	answer := struct {
		States []state `json:"states"`
		Total  int64   `json:"total"`
		Listed int64   `json:"listed"`
		Title  string  `json:"title"` // always empty, and kept for programs
	}{States: []state{}}
	if len(space.History.Layers(history.Forward)) == 0 { // stopped before its first layer
		return answer, nil
	}
	list, err := pick(r.Context(), space, q.Get("which"), q.Get("layer"), int64(offset), limit)
	if err != nil {
		return nil, err
	}
	answer.Total, answer.Listed = list.total, list.listed
	for _, key := range list.keys {
		at, err := space.Locate(r.Context(), key)
		if err != nil {
			return nil, err
		}
		st := brief(key, at, true)
		st.Text = space.Board.Puzzle.Format(key)
		answer.States = append(answer.States, st)
	}
	return answer, nil
}

// picked is a selection from a set of states.
type picked struct {
	keys   [][]uint64
	total  int64
	listed int64 // how many of them can be reached by an offset
}

// errNoGoalYet reports that the part of a space that is known has no goal.
var errNoGoalYet = errors.New("no goal has been reached")

// listedMax is how many of the states that are listed in an order of their own, by their
// texts, can be reached: the server has to look at all before them.
const listedMax = 10_000

func pick(ctx context.Context, space *query.Space, which, layer string, offset int64, limit int) (picked, error) {
	switch which {
	case "start":
		words, starts := space.Scheme.Words(), space.Board.Puzzle.Starts()
		p := picked{total: int64(len(starts) / words), listed: int64(len(starts) / words)}
		for i := offset; i < p.total && i < offset+int64(limit); i++ {
			p.keys = append(p.keys, starts[int(i)*words:(int(i)+1)*words])
		}
		return p, nil
	case "goal":
		total := space.History.Goals()
		if total == 0 {
			return picked{}, noGoal(space)
		}
		return byText(total, offset, limit, func(n int) ([][]uint64, error) { return query.Goals(ctx, space, offset, n) })
	case "deepest", "hardest":
		phase := history.Forward
		if which == "hardest" {
			if phase = space.DistancePhase(); !space.HasDistances() {
				return picked{}, query.ErrNoDistances
			}
		}
		layers := space.History.Layers(phase)
		if len(layers) == 0 {
			return picked{}, query.ErrNoGoal
		}
		last := layers[len(layers)-1]
		if last.States > query.TextsMax {
			keys, err := query.Page(ctx, space, last, offset, limit)
			return picked{keys: keys, total: last.States, listed: last.States}, err
		}
		return byText(last.States, offset, limit, func(n int) ([][]uint64, error) { return query.Page(ctx, space, last, offset, n) })
	case "depth", "distance":
		phase := history.Forward
		if which == "distance" {
			phase = space.DistancePhase()
		}
		layers := space.History.Layers(phase)
		n, err := strconv.Atoi(layer)
		if err != nil || n < 0 || n >= len(layers) {
			return picked{}, fmt.Errorf("%w: there is no layer %.20q", errRequest, layer)
		}
		keys, err := space.Slice(ctx, layers[n], offset, limit)
		return picked{keys: keys, total: layers[n].States, listed: layers[n].States}, err
	}
	return picked{}, fmt.Errorf("%w: %.20q: no such states", errRequest, which)
}

// byText lists states in the order of their texts, as far as they are listed.
func byText(total, offset int64, limit int, page func(n int) ([][]uint64, error)) (p picked, err error) {
	p = picked{total: total, listed: min(total, listedMax)}
	if left := p.listed - offset; left > 0 {
		p.keys, err = page(int(min(int64(limit), left)))
	}
	return p, err
}

// noGoal returns why there is no goal state.
func noGoal(space *query.Space) error {
	if !space.Board.Puzzle.Layout().HasGoal || space.Complete() {
		return query.ErrNoGoal
	}
	return fmt.Errorf("%w up to depth %d, the last that the run has explored", errNoGoalYet, len(space.History.Layers(history.Forward))-1)
}

const replayMovesMax = 5000

// replay follows a pasted solution from a state: moves by their names from FormatMove.
func (s *Server) replay(r *http.Request, view View) (any, error) {
	var body struct {
		From  string `json:"from"`
		Moves string `json:"moves"`
	}
	if err := read(r, &body); err != nil {
		return nil, err
	}
	space := view.Space()
	key, err := parseKey(space.Board.Puzzle, body.From)
	if err != nil {
		return nil, err
	}
	p := query.Path{States: [][]uint64{key}}
	words := space.Scheme.Words()
	for line, text := range strings.Split(body.Moves, "\n") {
		for column := 0; column < len(text); {
			rest := text[column:]
			if blank := len(rest) - len(strings.TrimLeft(rest, " \t\r,;")); blank > 0 {
				column += blank
				continue
			}
			if len(p.Moves) >= replayMovesMax {
				return nil, &puzzle.InputError{Line: line + 1, Column: column + 1, What: fmt.Sprintf("more than %d moves", replayMovesMax)}
			}
			here := p.States[len(p.States)-1]
			var edges puzzle.Edges
			space.Edges(here, &edges)
			at, length := -1, 0
			for i, m := range edges.Moves {
				// The longest name wins, as one may be the prefix of another.
				if name := space.Board.Puzzle.FormatMove(m); len(name) > length && matches(rest, name) {
					at, length = i, len(name)
				}
			}
			if at < 0 {
				word, _, _ := strings.Cut(rest, " ")
				return nil, &puzzle.InputError{
					Line: line + 1, Column: column + 1,
					What: fmt.Sprintf("%.40q is not a move after %d: the moves there are %s", word, len(p.Moves), names(space.Board.Puzzle, edges.Moves)),
				}
			}
			p.States = append(p.States, slices.Clone(edges.Keys[at*words:(at+1)*words]))
			p.Moves = append(p.Moves, edges.Moves[at])
			column += length
		}
	}
	states, err := describe(r.Context(), space, p, 0, len(p.States), nil)
	return way{States: states, Total: len(states)}, err
}

// matches reports whether a text begins with a move that ends there.
func matches(text, name string) bool {
	rest, ok := strings.CutPrefix(text, name)
	return ok && (rest == "" || strings.ContainsRune(" \t\r,;", rune(rest[0])))
}

func names(p puzzle.Puzzle, moves []puzzle.Move) string {
	const most = 12
	var list []string
	for _, m := range moves[:min(len(moves), most)] {
		list = append(list, p.FormatMove(m))
	}
	if len(moves) > most {
		list = append(list, "...")
	}
	if list == nil {
		return "none"
	}
	return strings.Join(list, ", ")
}
