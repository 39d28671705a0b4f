package blocks

import "github.com/everystate/everystate/puzzle"

// shaped is a puzzle that tells moves of different shapes apart, as symmetries need
// it: which cell of a piece a reflection makes the first depends on the shape. States,
// and names and order of moves, are those of the game.
type shaped struct {
	plain
	game  *game
	moves int // number of moves that the pieces can make

	shapes  []*shape
	shapeOf []uint8 // by class

	list []shapedMove  // by move
	ids  []puzzle.Move // of the move of a shape: by shape, then by move of the game
}

// plain is what is that of the game.
type plain interface {
	puzzle.Puzzle
	puzzle.Pictured
	puzzle.Symmetric
}

// shapedMove is the move of a piece with a shape.
type shapedMove struct {
	shape uint8
	id    puzzle.Move // of the move of the game
	pair
}

// newShaped numbers moves by the cell before, then the cell after, then the shape. It
// only counts them if they are too many.
func newShaped(g *game) *shaped {
	s := &shaped{plain: g, game: g}
	known := map[*shape]int{}
	var sets []moveSet
	for _, c := range g.classes {
		n, is := known[c.kind.shape]
		if !is {
			n = len(s.shapes)
			known[c.kind.shape] = n
			s.shapes = append(s.shapes, c.kind.shape)
			sets = append(sets, movesOf(g.setup, []*class{c}))
			s.moves += sets[n].count
		}
		s.shapeOf = append(s.shapeOf, uint8(n))
	}
	if s.moves > puzzle.MovesMax {
		return s
	}
	pairs := g.tables().pairs
	s.ids = make([]puzzle.Move, len(s.shapes)*len(pairs))
	for id, m := range pairs {
		for n := range sets {
			if sets[n].to[m.from].has(int(m.to)) {
				s.ids[n*len(pairs)+id] = puzzle.Move(len(s.list))
				s.list = append(s.list, shapedMove{uint8(n), puzzle.Move(id), m})
			}
		}
	}
	return s
}

// images returns the images of all moves.
func (s *shaped) images(t *turn) []puzzle.Move {
	classOf := make([]int, len(s.shapes)) // some class
	for i, n := range s.shapeOf {
		classOf[n] = i
	}
	imageOf := make([]int, len(t.from))
	for to, from := range t.from {
		imageOf[from] = to
	}
	images := make([]puzzle.Move, s.Layout().Moves) // one that is zero if nothing can move
	for id, m := range s.list {
		i := classOf[m.shape]
		c, to := s.game.classes[i], s.game.classes[imageOf[i]]
		first := func(cell uint8) int { return to.places[t.places[i][c.at[cell]]].first }
		images[id] = s.id(s.shapeOf[imageOf[i]], s.game.moves.id(first(m.from), first(m.to)))
	}
	return images
}

// id returns the move of a shape.
func (s *shaped) id(shape uint8, move puzzle.Move) puzzle.Move {
	return s.ids[int(shape)*len(s.game.built.pairs)+int(move)]
}

// cancels reports whether two moves are of one piece, and undo each other or are one
// move.
func (s *shaped) cancels(a, b puzzle.Move) bool {
	m, then := &s.list[a], &s.list[b]
	if m.shape != then.shape || m.to != then.from {
		return false
	}
	vertical := func(p pair) bool { return int(p.from)%s.game.cols == int(p.to)%s.game.cols }
	return m.from == then.to || s.game.metric == metricMove || s.game.metric == metricSlide && vertical(m.pair) == vertical(then.pair)
}

// Layout is that of the game, but for the number of moves.
func (s *shaped) Layout() puzzle.Layout {
	l := s.game.layout
	l.Moves = max(1, s.moves)
	return l
}

// Successors renumbers the moves of the game.
func (s *shaped) Successors(states []uint64, out *puzzle.Edges) {
	words := s.game.layout.Words()
	pairs := s.game.tables().pairs
	var p placed
	var shapeAt [cellsMax]uint8 // by first cell
	for i := 0; i < len(states); i += words {
		state := states[i : i+words]
		at := len(out.Moves)
		s.game.Successors(state, out)
		s.game.decode(state, &p)
		for n, c := range s.game.classes {
			for _, at := range p.of(c) {
				shapeAt[c.places[at].first] = s.shapeOf[n]
			}
		}
		for j, m := range out.Moves[at:] {
			out.Moves[at+j] = s.id(shapeAt[pairs[m].from], m)
		}
	}
}

// Apply moves the piece whose first cell is that of the move, if it has the shape.
func (s *shaped) Apply(dst, state []uint64, move puzzle.Move) bool {
	if int(move) >= len(s.list) {
		return false
	}
	m := &s.list[move]
	return s.game.slide(dst, state, m.pair, s.shapes[m.shape])
}

// Undo moves it back.
func (s *shaped) Undo(dst, state []uint64, move puzzle.Move) bool {
	if int(move) >= len(s.list) {
		return false
	}
	m := &s.list[move]
	return s.game.slide(dst, state, m.back(), s.shapes[m.shape])
}

// FormatMove names a move as the game does. Moves of pieces that are not on the board
// at once share a name.
func (s *shaped) FormatMove(move puzzle.Move) string {
	if int(move) >= len(s.list) {
		return s.game.FormatMove(puzzle.MovesMax - 1)
	}
	return s.game.FormatMove(s.list[move].id)
}
