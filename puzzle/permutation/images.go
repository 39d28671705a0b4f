package permutation

import (
	"math/bits"
	"sync"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/permutation/marking"
	"github.com/everystate/everystate/puzzle/permutation/structure"
)

// action is what automorphisms do to keys. The representative of an orbit is the first
// of its states in the order of package structure, where the places of the pilot are
// the first; with marks, the first of those whose marked pieces have the least rank.
type action struct {
	*game
	list      []structure.Automorphism
	inverse   []int
	images    *structure.Images
	pilot     func() *pilot
	orbitSize func() puzzle.Size
	still     move // leaves everything as it is
}

func newAction(g *game, abstract *structure.System, list []structure.Automorphism) *action {
	a := &action{game: g, list: list, inverse: structure.Inverses(list, abstract), still: structure.Still(len(g.system.moduli))}
	c := a.leading()
	var places []int
	if c != nil {
		places = c.places
	}
	a.images = structure.NewImages(abstract, list, places)
	a.orbitSize = sync.OnceValue(func() puzzle.Size { return abstract.OrbitSize(g.size(), list) })
	a.pilot = sync.OnceValue(func() *pilot {
		if c == nil {
			return nil
		}
		ranking := structure.Ranking{Places: c.places, Labels: c.labels, Rank: c.Rank, Unrank: c.Unrank}
		best, least := structure.Best(a.inverse, c.size, ranking.Images(list))
		return &pilot{coordinate: c, best: best, least: least}
	})
	return a
}

// mark lets marked pieces decide which states stand for the others. It reports false if that
// is not possible, or the pieces of an orbit decide already.
func (a *action) mark() bool {
	if a.ranked == nil || !a.layout.Reversible || a.blocked != nil || a.leading() != nil {
		return false
	}
	m := marking.New(a.list, a.inverse, partsOf(a.ranked))
	if m == nil {
		return false
	}
	p := &pilot{marks: m, best: m.Best, least: m.Least}
	a.pilot = func() *pilot { return p }
	return true
}

// A pilot is the pieces of an orbit, or some marked ones of them, that decide most contests by
// a look-up.
type pilot struct {
	*coordinate // nil with marks
	marks       *marking.Marks
	best        []uint64 // by rank: the symmetries under which its image has the least rank
	least       []uint32 // by rank: that rank
}

// of returns the symmetries under which the image of the pilot of what is seen has the least
// rank, and at how many places, the first in order, their images are equal then.
func (p *pilot) of(v *structure.View, key []uint64) (best uint64, places int) {
	if p.marks != nil {
		return p.best[p.marks.Of(v)], 0
	}
	return p.best[p.rank(key)], len(p.places)
}

// leading returns the coordinate of the pilot: the one with the most ranks, or nil if
// there is none.
func (a *action) leading() (c *coordinate) {
	for _, other := range a.ranked {
		if other.labels != nil && (c == nil || other.size > c.size) && structure.Leads(a.list, other.places, other.size) {
			c = other
		}
	}
	return c
}

// leaders lists the symmetries whose images are the least at the first places of the
// order, and returns how many symmetries and places. With a pilot, key is the key of
// what is seen.
func (a *action) leaders(c *structure.Contest, v *structure.View, p *pilot, key []uint64) (symmetries, places int) {
	if p == nil {
		return a.images.Leaders(c, v), 1
	}
	best, places := p.of(v, key)
	for ; best != 0; best &= best - 1 {
		c.Left[symmetries] = uint16(bits.TrailingZeros64(best))
		symmetries++
	}
	return symmetries, places
}

// memory holds an arrangement.
type memory [2][placesMax]uint8

// view returns the view of a state before any move, in m.
func (a *action) view(m *memory, state []uint64) (structure.View, arrangement) {
	n := len(a.system.moduli)
	to := arrangement{m[0][:n], m[1][:n]}
	a.decode(to, state)
	return structure.View{
		Arrangement: structure.Arrangement{Pieces: to.pieces, Orients: to.orients},
		Move:        a.still,
	}, to
}

// rank returns the rank of the pilot in a key.
func (p *pilot) rank(key []uint64) uint64 { return key[0] / p.stride % p.size }

// write writes the key of an image. With a pilot, the image is a representative, and key
// holds the key of what is seen.
func (a *action) write(key []uint64, v *structure.View, symmetry int, p *pilot) {
	t := &a.list[symmetry]
	var items, turned [placesMax]uint8
	if a.fields != nil {
		n := len(v.Pieces)
		to := arrangement{items[:n], turned[:n]}
		for i, place := range t.Back {
			to.pieces[i] = t.Pieces[v.Pieces[v.From[place]]]
			to.orients[i] = a.images.Turn(symmetry, v, place)
		}
		a.encode(key, to)
		return
	}
	sum, known := uint64(0), (*coordinate)(nil)
	if p != nil && p.marks == nil {
		known = p.coordinate
		sum = uint64(p.least[p.rank(key)]) * p.stride
	}
	for _, c := range a.ranked {
		if c == known {
			continue
		}
		if c.labels == nil {
			sum += a.images.Turns(symmetry, v, c.places[:c.digits()]) * c.stride
			continue
		}
		for k, place := range c.places {
			items[k&(placesMax-1)] = c.local[t.Pieces[v.Pieces[v.From[t.Back[place]]]]]
		}
		sum += c.Rank(items[:len(c.places)]) * c.stride
	}
	key[0] = sum
}

// Image writes the image of a state.
func (a *action) Image(dst, state []uint64, symmetry int) {
	if symmetry == 0 {
		copy(dst, state)
		return
	}
	var m memory
	v, _ := a.view(&m, state)
	a.write(dst, &v, symmetry, nil)
}

// First returns the first symmetry that leads to the representative.
func (a *action) First(state []uint64) int {
	var m memory
	v, _ := a.view(&m, state)
	var room structure.Room
	c := room.Open(a.images)
	left, at := a.leaders(&c, &v, a.pilot(), state)
	first := a.images.First(&c, &v, left, at)
	room.Close()
	return first
}

// Fixing counts the symmetries that map a state to itself.
func (a *action) Fixing(state []uint64) int {
	// Those that fix a state fix its pilot, which is the least of a representative.
	p := a.pilot()
	if p != nil && p.marks == nil && p.best[p.rank(state)] == 1 {
		return 1
	}
	best, at := ^uint64(0), 0
	var m memory
	v, _ := a.view(&m, state)
	if p != nil {
		if mask, places := p.of(&v, state); mask&1 != 0 {
			if best, at = mask, places; mask == 1 {
				return 1
			}
		}
	}
	count := 0
	for i := range a.list {
		if (i >= wordBits || best>>i&1 != 0) && a.images.Fixes(i, &v, at) {
			count++
		}
	}
	return count
}

// Merge replaces keys by representatives. If moves can be undone by moves, keys are
// those of successors: the images are read off the state, which is decoded once.
// Otherwise they may be those of predecessors too, and each is decoded.
func (a *action) Merge(state, keys []uint64, moves []puzzle.Move) {
	var m memory
	v, from := a.view(&m, state)
	var room structure.Room
	c := room.Open(a.images)
	once := a.layout.Reversible && a.fields == nil
	p, count, words := a.pilot(), puzzle.Move(len(a.list)), a.keyWords
	for i, id := range moves {
		key := keys[i*words : (i+1)*words]
		if once {
			v.From, v.By = a.moves[id].From, a.moves[id].By
		} else {
			a.decode(from, key)
		}
		n, at := a.leaders(&c, &v, p, key)
		first := int(c.Left[0])
		if n > 1 {
			first = a.images.First(&c, &v, n, at)
		}
		if first > 0 {
			a.write(key, &v, first, p)
		}
		moves[i] = id*count + puzzle.Move(first)
	}
	room.Close()
}
