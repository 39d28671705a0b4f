package sokoban_test

import "github.com/everystate/everystate/puzzle"

// space is a whole space, explored in memory.
type space struct {
	layers   []int
	states   [][]uint64 // in breadth-first order
	goals    int
	solution int   // -1: none
	distance []int // to the nearest goal
	hardest  [][]uint64
	dead     int
}

type wideKey [puzzle.WordsMax]uint64

func keyOf(state []uint64) (k wideKey) {
	copy(k[:], state)
	return k
}

// explore enumerates a puzzle, up to a number of layers if that is not 0.
func explore(p puzzle.Puzzle, layersMax int) *space {
	s := &space{solution: -1}
	words := p.Layout().Words()
	index := map[wideKey]int{}
	var edges puzzle.Edges
	add := func(states []uint64) {
		for ; len(states) > 0; states = states[words:] {
			if k := keyOf(states[:words]); index[k] == 0 {
				index[k] = len(s.states) + 1
				s.states = append(s.states, append([]uint64(nil), states[:words]...))
			}
		}
	}
	add(p.Starts())
	for from := 0; from < len(s.states) && (layersMax == 0 || len(s.layers) < layersMax); {
		to := len(s.states)
		s.layers = append(s.layers, to-from)
		for ; from < to; from++ {
			edges.Reset()
			p.Successors(s.states[from], &edges)
			add(edges.Keys)
		}
	}
	if layersMax > 0 {
		return s
	}
	s.measure(p, index)
	return s
}

// measure finds the distances to the nearest goal, backwards from the goals
// through states that are reachable.
func (s *space) measure(p puzzle.Puzzle, index map[wideKey]int) {
	seen := make([]bool, len(s.states))
	var queue []int
	depth, left := 0, s.layers[0]
	for i, state := range s.states {
		for i >= left {
			depth++
			left += s.layers[depth]
		}
		var goal [1]bool
		if p.Goals(state, goal[:]); goal[0] {
			if s.solution < 0 {
				s.solution = depth
			}
			s.goals++
			seen[i] = true
			queue = append(queue, i)
		}
	}
	words := p.Layout().Words()
	var edges puzzle.Edges
	back, known := p.(puzzle.Backward)
	for from := 0; known && from < len(queue); {
		to := len(queue)
		s.distance = append(s.distance, to-from)
		s.hardest = nil
		for ; from < to; from++ {
			state := s.states[queue[from]]
			s.hardest = append(s.hardest, state)
			edges.Reset()
			back.Predecessors(state, &edges)
			for keys := edges.Keys; len(keys) > 0; keys = keys[words:] {
				if i := index[keyOf(keys[:words])] - 1; i >= 0 && !seen[i] {
					seen[i] = true
					queue = append(queue, i)
				}
			}
		}
	}
	s.dead = len(s.states) - len(queue)
}
