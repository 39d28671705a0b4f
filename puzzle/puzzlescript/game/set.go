package game

import "math/bits"

// Set is a set of small numbers: objects by id, or movements by [Movement].
type Set []uint64

func newSet(n int) Set { return make(Set, max(1, (n+63)/64)) }

// NewObjects returns an empty set of objects.
func (g *Game) NewObjects() Set { return newSet(len(g.Objects)) }

// NewMovements returns an empty set of movements.
func (g *Game) NewMovements() Set { return newMovements(len(g.Layers)) }

// Has reports whether i is in the set.
func (s Set) Has(i int) bool { return s[i>>6]>>(i&63)&1 == 1 }

// Add adds i.
func (s Set) Add(i int) { s[i>>6] |= 1 << (i & 63) }

// Or adds all of t.
func (s Set) Or(t Set) {
	for i, w := range t {
		s[i] |= w
	}
}

// Empty reports whether the set is empty.
func (s Set) Empty() bool {
	for _, w := range s {
		if w != 0 {
			return false
		}
	}
	return true
}

// Meets reports whether the sets have an element in common.
func (s Set) Meets(t Set) bool {
	for i, w := range t {
		if s[i]&w != 0 {
			return true
		}
	}
	return false
}

// Within reports whether s is a subset of t.
func (s Set) Within(t Set) bool {
	for i, w := range s {
		if w&^t[i] != 0 {
			return false
		}
	}
	return true
}

// All calls f for each number in the set, in order.
func (s Set) All(f func(i int)) {
	for n, w := range s {
		for ; w != 0; w &= w - 1 {
			f(n<<6 + bits.TrailingZeros64(w))
		}
	}
}

// List returns the numbers in the set, in order.
func (s Set) List() []int {
	var list []int
	s.All(func(i int) { list = append(list, i) })
	return list
}

// The movements of a layer are a field of five bits; a word holds twelve layers.
const (
	LayerBits     = 5
	LayersPerWord = 12
	LayerMask     = 1<<LayerBits - 1
)

// Movement returns the position of a layer's field.
func Movement(layer int) int { return layer/LayersPerWord*64 + layer%LayersPerWord*LayerBits }

func newMovements(layers int) Set {
	return newSet((max(layers, 1) + LayersPerWord - 1) / LayersPerWord * 64)
}

// AddField adds bits of a layer's field.
func (s Set) AddField(layer int, field Direction) {
	at := Movement(layer)
	s[at>>6] |= uint64(field) << (at & 63)
}

// Field returns the movements of a layer.
func (s Set) Field(layer int) Direction {
	at := Movement(layer)
	return Direction(s[at>>6] >> (at & 63) & LayerMask)
}

// Direction is a set of movements of one layer.
type Direction uint8

// The movements.
const (
	Up Direction = 1 << iota
	Down
	Left
	Right
	Action
)

// directions are the movements that words stand for, as far as the language defines
// them. Words for several movements never match: no layer has more than one.
var directions = map[string]Direction{
	"up": Up, "down": Down, "left": Left, "right": Right, "action": Action,
	"moving": Up | Down | Left | Right, "no": Up | Down, "randomdir": Up | Left, "random": Down | Action,
}
