package puzzlescript

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/puzzlescript/game"
	"github.com/everystate/everystate/puzzle/puzzlescript/machine"
)

// A field is a part of a key: a number in some bits of one word.
type field struct {
	size  uint64 // the number is less
	word  int
	shift uint
	bits  uint
}

func (f *field) get(key []uint64) uint64    { return key[f.word] >> f.shift & (1<<f.bits - 1) }
func (f *field) put(key []uint64, n uint64) { key[f.word] |= n << f.shift }

// placing is the field of an object whose number never changes: its positions, as a
// combination of the cells where it may be.
type placing struct {
	field
	id     int
	layer  game.Set
	count  int
	cells  []int
	index  []int32    // by cell: its index in cells, or -1
	mask   []uint64   // cells, a bit per cell
	choose [][]uint64 // [n][k]: how many ways to choose k of n
}

// next returns the greatest cell, of the cells up to n, of a combination of k of them with
// a rank, and the rank of the others.
func (p *placing) next(n, k int, rank uint64) (cell int, rest uint64) {
	if k == 1 {
		n = int(rank)
	}
	for p.choose[n][k] > rank {
		n--
	}
	return n, rank - p.choose[n][k]
}

// digit is the field of one layer of a cell: which of several objects is there, or
// none.
type digit struct {
	field
	cell    int
	objects []int // -1: nothing
	layer   game.Set
}

// fields is the layout of a level's key.
type fields struct {
	placings []placing
	digits   []digit
	writes   []scatter // of all digits
	won      *field    // whether the command "win" has ended the level
	bits     int
	words    int
	base     *machine.Machine // what never changes; read-only
}

// chooseMax bounds the table of a placing.
const chooseMax = 1 << 18

// newFields makes fields of what may change in the level that a machine holds.
func newFields(g *game.Game, r *reach, m *machine.Machine, base *machine.Machine) (*fields, error) {
	f := &fields{base: base}
	base.Load(make([]uint64, len(m.Cells())))
	placed := g.NewObjects()
	for id := range g.Objects {
		if p, ok := newPlacing(g, r, m, id); ok {
			f.placings = append(f.placings, p)
			placed.Add(id)
		}
	}
	for i := range r.objects {
		for layer, mask := range g.Layers {
			digits := r.digits(i, layer)
			if len(digits) == 1 {
				if digits[0] >= 0 {
					base.Put(i, digits[0])
				}
				continue
			}
			// Where one of the placed objects is, the digit has nothing to add.
			rest := slices.DeleteFunc(digits, func(id int) bool { return id >= 0 && placed.Has(id) })
			if len(rest) == 0 { // always a placed object
				rest = []int{-1}
			}
			if len(rest) > 1 || rest[0] >= 0 {
				f.digits = append(f.digits, digit{field: field{size: uint64(len(rest))}, cell: i, objects: rest, layer: mask})
			}
		}
	}
	if commandLine(g, "win") > 0 {
		f.won = &field{size: 2}
	}
	err := f.arrange()
	f.writes = f.scatters()
	return f, err
}

// commandLine returns the line of the first rule with a command, or 0.
func commandLine(g *game.Game, name string) int {
	for _, groups := range [][]game.Group{g.Rules, g.Late} {
		for i := range groups {
			for j := range groups[i].Rules {
				u := &groups[i].Rules[j]
				if slices.ContainsFunc(u.Commands, func(c game.Command) bool { return c.Name == name }) {
					return u.Line
				}
			}
		}
	}
	return 0
}

// newPlacing makes a placing of an object, if its number never changes.
func newPlacing(g *game.Game, r *reach, m *machine.Machine, id int) (placing, bool) {
	p := placing{id: id, layer: g.Layers[g.Objects[id].Layer], index: make([]int32, len(r.objects)), mask: make([]uint64, len(m.Plane(id)))}
	layer := g.Objects[id].Layer
	total := 0
	for i := range r.objects {
		p.index[i] = -1
		if m.Cell(i).Has(id) {
			total++
		}
		if r.objects[i].Has(id) && len(r.digits(i, layer)) > 1 {
			p.index[i] = int32(len(p.cells))
			p.cells = append(p.cells, i)
			p.mask[i>>6] |= 1 << (i & 63)
			if m.Cell(i).Has(id) {
				p.count++
			}
		}
	}
	if p.count == 0 || len(p.cells)*(p.count+1) > chooseMax || !conserved(g, id, total == 1) {
		return p, false
	}
	p.choose = make([][]uint64, len(p.cells)+1)
	for n := range p.choose {
		p.choose[n] = make([]uint64, p.count+1)
		p.choose[n][0] = 1
		for k := 1; k <= min(n, p.count); k++ {
			sum, carry := bits.Add64(p.choose[n-1][k-1], p.choose[n-1][k], 0)
			if carry != 0 {
				return p, false
			}
			p.choose[n][k] = sum
		}
	}
	p.size = p.choose[len(p.cells)][p.count]
	return p, true
}

// arrange assigns each field its bits, all in one word.
func (f *fields) arrange() error {
	var left []uint
	place := func(x *field) {
		x.bits = uint(bits.Len64(x.size - 1))
		f.bits += int(x.bits)
		word := slices.IndexFunc(left, func(room uint) bool { return room >= x.bits })
		if word < 0 {
			word = len(left)
			left = append(left, 64)
		}
		x.word, x.shift = word, 64-left[word]
		left[word] -= x.bits
	}
	order := make([]*placing, len(f.placings))
	for i := range f.placings {
		order[i] = &f.placings[i]
	}
	slices.SortStableFunc(order, func(a, b *placing) int { return bits.Len64(b.size) - bits.Len64(a.size) })
	for _, p := range order {
		place(&p.field)
	}
	for i := range f.digits {
		place(&f.digits[i].field)
	}
	if f.won != nil {
		place(f.won)
	}
	f.words = max(1, len(left))
	if f.words > puzzle.WordsMax {
		return fmt.Errorf("a state takes %d bits: at most %d are allowed", f.bits, 64*puzzle.WordsMax)
	}
	return nil
}

// pack writes the key of a level. It reports whether the fields can represent the
// level, which is always so if a machine has reached it.
func (f *fields) pack(m *machine.Machine, won bool, key []uint64) bool {
	clear(key)
	whole := true
	for i := range f.placings {
		p := &f.placings[i]
		rank, k := uint64(0), 0
		for n, w := range m.Plane(p.id) {
			for w &= p.mask[n]; w != 0; w &= w - 1 {
				if k++; k <= p.count {
					rank += p.choose[p.index[n<<6+bits.TrailingZeros64(w)]][k]
				}
			}
		}
		whole = whole && k == p.count
		p.put(key, rank)
	}
	for i := range f.writes {
		w := &f.writes[i]
		w.put(m.Plane(w.id), key)
	}
	if won {
		f.won.put(key, 1)
	}
	return whole
}

// unpack sets a level to the state of a key. It reports whether the key is that of a
// level: each number in its range, and no cell with two objects of a layer.
func (f *fields) unpack(m *machine.Machine, key []uint64) bool {
	m.CopyFrom(f.base)
	whole := true
	for i := range f.placings {
		p := &f.placings[i]
		rank := p.get(key)
		if rank >= p.size {
			return false
		}
		n := len(p.cells) - 1
		for k := p.count; k > 0; k-- {
			n, rank = p.next(n, k, rank)
			whole = whole && !m.Cell(p.cells[n]).Meets(p.layer)
			m.Put(p.cells[n], p.id)
			n--
		}
	}
	for i := range f.digits {
		d := &f.digits[i]
		n := uint64(0)
		if d.bits > 0 {
			n = d.get(key)
		}
		if n >= d.size {
			return false
		}
		id := d.objects[n]
		switch {
		case id < 0: // nothing to put there
		case m.Cell(d.cell).Meets(d.layer):
			whole = whole && n == 0
		default:
			m.Put(d.cell, id)
		}
	}
	return whole
}

// ended reports whether a key is that of a level ended by the command "win".
func (f *fields) ended(key []uint64) bool { return f.won != nil && f.won.get(key) == 1 }
