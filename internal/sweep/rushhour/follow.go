package rushhour

import "github.com/everystate/everystate/internal/sweep/rushhour/rules"

// solution is the vehicles that a shortest solution of a board moves. Without any one of
// these the board takes fewer moves: the solution's other moves remain legal, as there is
// less in their way.
type solution struct {
	inRows    uint64 // by vehicle, in the order of links
	inColumns [rules.SizeMax]uint8
}

// moves reports whether the solution moves a piece. Walls come after vehicles.
func (s *solution) moves(rows *rowSet, at slot) bool {
	if at.column {
		return s.inColumns[at.line]>>at.piece&1 != 0
	}
	for k, v := range rows.vehicles {
		if v == at {
			return s.inRows>>k&1 != 0
		}
	}
	return false
}

// follow follows a shortest solution of a board that takes distance moves, as far as the
// distances of the boards along it are known.
func (m *minimality) follow(rows *rowSet, columns []*line, at *position, distance int) {
	m.solution = solution{}
	if m.known.rows == nil {
		return
	}
	here := *at
	for distance > 1 && m.nearer(rows, columns, &here, distance-1) {
		distance--
	}
}

// nearer makes a move to a board that takes distance moves, and reports whether one is
// known.
func (m *minimality) nearer(rows *rowSet, columns []*line, at *position, distance int) bool {
	there := *at
	covered := rows.covered[at.rows]
	for j, c := range columns {
		legal := c.fits.Set[covered.of(j)]
		for v := range c.next {
			for d := range c.next[v] {
				for p := c.next[v][d][at.columns[j]]; p >= 0 && legal>>p&1 != 0; p = c.next[v][d][p] {
					there.columns[j] = p
					if m.known.distance(columns, &there) == distance {
						m.solution.inColumns[j] |= 1 << v
						*at = there
						return true
					}
					if m.space.inSteps {
						break
					}
				}
			}
		}
		there.columns[j] = at.columns[j]
	}
	for k, links := range rows.links {
		for {
			link := links[there.rows]
			if link < 0 {
				break
			}
			there.rows = link.to()
			if !rows.fits(columns, &there) {
				break
			}
			if m.known.distance(columns, &there) == distance {
				m.solution.inRows |= 1 << (k / 2)
				*at = there
				return true
			}
			if m.space.inSteps {
				break
			}
		}
		there.rows = at.rows
	}
	return false
}
