package structure

import (
	"cmp"
	"slices"
	"sync"

	"github.com/everystate/everystate/puzzle"
)

// Images compares the images of an arrangement under a group. They are ordered by the
// pieces, place by place, and then by their turns. The order of the places is one in
// which few images remain equal for long.
type Images struct {
	system *System
	list   []Automorphism
	order  []uint8
	back   [][]uint8 // by index in order: by symmetry, the place whose piece comes there
	pieces []uint8   // by symmetry and piece, labels each: what the piece becomes
	labels int
	rests  [turnsMax + 1][4 * turnsMax]uint8 // by modulus: the rests of sums of four turns
}

// turnsMax bounds the modulus of a place.
const turnsMax = 16

// NewImages returns the images under a group, of whose order the leading places are the
// first.
func NewImages(s *System, list []Automorphism, leading []int) *Images {
	m := &Images{system: s, list: list, labels: len(list[0].Pieces)}
	for modulus := 1; modulus <= turnsMax; modulus++ {
		for sum := range m.rests[modulus] {
			m.rests[modulus][sum] = uint8(sum % modulus)
		}
	}
	m.setOrder(leading)
	for _, place := range m.order {
		var back []uint8
		for i := range list {
			back = append(back, list[i].Back[place])
		}
		m.back = append(m.back, back)
	}
	for i := range list {
		m.pieces = append(m.pieces, list[i].Pieces...)
	}
	return m
}

// setOrder orders the places: first those that lead, and then those of orbits with more
// kinds of pieces, because their images differ sooner.
func (m *Images) setOrder(leading []int) {
	kinds := make([]int, len(m.system.Moduli))
	for _, o := range m.system.Orbits {
		seen := map[uint8]bool{}
		for _, place := range o.Places {
			seen[m.system.Start.Pieces[place]] = true
		}
		for _, place := range o.Places {
			kinds[place] = len(seen)
		}
	}
	for _, place := range leading {
		kinds[place] = len(kinds) + 1
	}
	for place := range kinds {
		m.order = append(m.order, uint8(place))
	}
	slices.SortStableFunc(m.order, func(p, q uint8) int { return cmp.Compare(kinds[q], kinds[p]) })
}

// Order returns the places in the order in which they are compared.
func (m *Images) Order() []uint8 { return m.order }

// A View is an arrangement as a move leaves it. The arrangement itself remains as it
// was before the move.
type View struct {
	Arrangement
	Move
}

// A Contest is the symmetries whose images are still the least, in ascending order,
// and the piece or turn that each has at a place.
type Contest struct {
	Left   []uint16
	values []uint8
}

// contestSmall is the number of symmetries up to which a contest is held on the stack.
const contestSmall = 96

type contestLarge struct {
	left   [puzzle.SymmetriesMax]uint16
	values [puzzle.SymmetriesMax]uint8
}

// contestsLarge keeps those that are not in use.
var contestsLarge sync.Pool

// Room is the memory of a contest.
type Room struct {
	left   [contestSmall]uint16
	values [contestSmall]uint8
	large  *contestLarge
}

// Open returns a contest in the room. Close it when the contest is over.
func (r *Room) Open(m *Images) Contest {
	if len(m.list) <= contestSmall {
		return Contest{r.left[:], r.values[:]}
	}
	var ok bool
	if r.large, ok = contestsLarge.Get().(*contestLarge); !ok {
		r.large = new(contestLarge)
	}
	return Contest{r.large.left[:], r.large.values[:]}
}

// Close gives back what Open took.
func (r *Room) Close() {
	if r.large != nil {
		contestsLarge.Put(r.large)
	}
}

// Leaders lists the symmetries whose images are the least at the first place, and
// returns their number.
func (m *Images) Leaders(c *Contest, v *View) (n int) {
	least, at := uint8(255), 0
	back := m.back[0]
	values := c.values[:len(back)]
	for i, place := range back {
		value := m.pieces[at+int(v.Pieces[v.From[place]])]
		at += m.labels
		values[i] = value
		least = min(least, value)
	}
	for i, value := range values {
		c.Left[n] = uint16(i)
		if value == least {
			n++
		}
	}
	return n
}

// First returns the first of n symmetries that leads to the least image, where those
// listed are equal at the given number of places.
func (m *Images) First(c *Contest, v *View, n, equal int) int {
	for k := equal; k < len(m.back) && n > 1; k++ {
		least, back := uint8(255), m.back[k]
		for j, i := range c.Left[:n] {
			c.values[j] = m.pieces[int(i)*m.labels+int(v.Pieces[v.From[back[i]]])]
			least = min(least, c.values[j])
		}
		n = c.narrow(n, least)
	}
	for k := 0; k < len(m.back) && n > 1; k++ {
		if m.system.Moduli[m.order[k]] == 1 {
			continue
		}
		least, back := uint8(255), m.back[k]
		for j, i := range c.Left[:n] {
			c.values[j] = m.Turn(int(i), v, back[i])
			least = min(least, c.values[j])
		}
		n = c.narrow(n, least)
	}
	return int(c.Left[0])
}

// narrow removes those of n symmetries that do not have the least value.
func (c *Contest) narrow(n int, least uint8) (left int) {
	for j, i := range c.Left[:n] {
		c.Left[left] = i
		if c.values[j] == least {
			left++
		}
	}
	return left
}

// Turn returns the turn that the piece at a place has in an image.
func (m *Images) Turn(symmetry int, v *View, place uint8) uint8 {
	from, modulus := v.From[place], m.system.Moduli[place]
	return m.list[symmetry].Turn(int(place), v.Pieces[from], m.rests[modulus][v.Orients[from]+v.By[place]], m.system)
}

// Turns returns the turns of an image at places of one orbit as the digits of a number.
// All orientations are distinguished.
func (m *Images) Turns(symmetry int, v *View, places []int) (number uint64) {
	t, modulus := &m.list[symmetry], m.system.Moduli[places[0]]
	rests := &m.rests[modulus]
	for _, place := range places {
		at := t.Back[place]
		from := v.From[at]
		turn := v.Orients[from] + v.By[at] // below twice the modulus
		if t.Unit[at] != 1 {
			turn = 2*modulus - turn
		}
		turn += t.Turns[at] + t.PieceTurns[v.Pieces[from]]
		number = number*uint64(modulus) + uint64(rests[turn&(4*turnsMax-1)])
	}
	return number
}

// Fixes reports whether a symmetry maps an arrangement, before any move, to itself,
// given that it does so at the given number of places.
func (m *Images) Fixes(symmetry int, v *View, equal int) bool {
	pieces := m.pieces[symmetry*m.labels : (symmetry+1)*m.labels]
	for k := equal; k < len(m.back); k++ {
		if pieces[v.Pieces[m.back[k][symmetry]]] != v.Pieces[m.order[k]] {
			return false
		}
	}
	for k, place := range m.order {
		if m.system.Moduli[place] > 1 && m.Turn(symmetry, v, m.back[k][symmetry]) != v.Orients[place] {
			return false
		}
	}
	return true
}
