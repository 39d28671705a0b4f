package sokoban

// impossibleCost is the cost of an impossible match. No sum of distances comes near it.
const impossibleCost = 1 << 20

// matching assigns boxes to targets with the least sum of costs. It is the Hungarian
// method: it keeps potentials of rows and columns, so a changed row is rematched with
// a single augmenting path.
type matching struct {
	n     int
	costs [][]uint16 // of each row; unreachable means never
	// Rows and columns are numbered from 1; 0 means none.
	u, v  []int32
	rowOf []int16 // of each column
	// Scratch.
	via   []int16
	slack []int32
	used  []bool
}

func newMatching(n int) *matching {
	return &matching{
		n: n, costs: make([][]uint16, n+1),
		u: make([]int32, n+1), v: make([]int32, n+1), rowOf: make([]int16, n+1),
		via: make([]int16, n+1), slack: make([]int32, n+1), used: make([]bool, n+1),
	}
}

// solve matches all rows from scratch.
func (m *matching) solve() {
	clear(m.u)
	clear(m.v)
	clear(m.rowOf)
	for row := 1; row <= m.n; row++ {
		m.augment(row)
	}
}

// copyFrom makes m equal to another matching of the same size.
func (m *matching) copyFrom(o *matching) {
	copy(m.costs, o.costs)
	copy(m.u, o.u)
	copy(m.v, o.v)
	copy(m.rowOf, o.rowOf)
}

// replace changes the costs of a row and rematches it.
func (m *matching) replace(row int, costs []uint16) {
	m.costs[row] = costs
	for col := 1; col <= m.n; col++ {
		if int(m.rowOf[col]) == row {
			m.rowOf[col] = 0
			break
		}
	}
	m.u[row] = 0
	m.augment(row)
}

// augment matches an unmatched row along a shortest path of reduced costs.
func (m *matching) augment(row int) {
	for col := range m.slack {
		m.slack[col] = 1 << 30
		m.used[col] = false
	}
	m.rowOf[0] = int16(row)
	at := 0
	for {
		m.used[at] = true
		r := int(m.rowOf[at])
		costs, u := m.costs[r], m.u[r]
		delta, nearest := int32(1<<30), 0
		for col := 1; col <= m.n; col++ {
			if m.used[col] {
				continue
			}
			cost := int32(costs[col-1])
			if cost >= unreachable {
				cost = impossibleCost
			}
			if reduced := cost - u - m.v[col]; reduced < m.slack[col] {
				m.slack[col] = reduced
				m.via[col] = int16(at)
			}
			if m.slack[col] < delta {
				delta, nearest = m.slack[col], col
			}
		}
		for col := 0; col <= m.n; col++ {
			if m.used[col] {
				m.u[m.rowOf[col]] += delta
				m.v[col] -= delta
			} else {
				m.slack[col] -= delta
			}
		}
		if at = nearest; m.rowOf[at] == 0 {
			break
		}
	}
	for at != 0 {
		before := int(m.via[at])
		m.rowOf[at] = m.rowOf[before]
		at = before
	}
	m.rowOf[0] = 0
}

// sum returns the least sum of costs, or unreachable.
func (m *matching) sum() int {
	total := 0
	for col := 1; col <= m.n; col++ {
		cost := int(m.costs[m.rowOf[col]][col-1])
		if cost >= unreachable {
			return unreachable
		}
		total += cost
	}
	return total
}
