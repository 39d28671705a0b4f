package puzzlescript

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/puzzlescript/game"
	"github.com/everystate/everystate/puzzle/puzzlescript/mirror"
)

var _ puzzle.Symmetric = (*level)(nil)

// Symmetries returns the reflections and rotations that map the start to itself and
// under which the rules are the same.
func (l *level) Symmetries(string) (*puzzle.Symmetries, error) {
	if l.chance != nil {
		return nil, &puzzle.InputError{What: "the game is random"}
	}
	maps := mirror.Maps(l.source.Width, l.source.Height)
	a := &action{fields: l.fields, start: l.start}
	kept := slices.DeleteFunc(maps, func(m mirror.Map) bool { return !a.add(&m) })
	if len(kept) < 2 {
		return nil, &puzzle.InputError{What: "only the identity maps the start of the level to itself"}
	}
	rules, doubt := mirror.Examine(l.game, l.objects(), l.unique())
	if doubt != nil {
		return nil, l.doubts(len(kept), doubt)
	}
	*a = action{fields: l.fields, start: l.start}
	group := slices.DeleteFunc(slices.Clone(kept), func(m mirror.Map) bool {
		if d := rules.Under(&m); d != nil {
			doubt = d
			return true
		}
		return !a.add(&m)
	})
	if len(group) < 2 {
		return nil, l.doubts(len(kept), doubt)
	}
	early, late := rules.Rounds()
	// The program of the level itself runs groups to the bound of the language.
	bounded := &level{
		game: l.game, source: l.source, program: l.program.Bounded(early, late), fields: l.fields,
		reach: l.reach, layout: l.layout, start: l.start, text: l.text, lines: l.lines, added: l.added,
	}
	s := &puzzle.Symmetries{Puzzle: bounded, SymmetryAction: a}
	for _, m := range group {
		s.Names = append(s.Names, m.Name)
		s.Inverse = append(s.Inverse, slices.IndexFunc(group, func(other mirror.Map) bool {
			for i, image := range m.To {
				if int(other.To[image]) != i {
					return false
				}
			}
			return true
		}))
		var moves []puzzle.Move
		for _, d := range inputs[:l.layout.Moves] {
			moves = append(moves, puzzle.Move(slices.Index(inputs, m.Direction(d))))
		}
		s.Moves = append(s.Moves, moves)
	}
	return s, nil
}

// objects returns the objects that may ever be in the level.
func (l *level) objects() game.Set {
	objects := l.game.NewObjects()
	for _, cell := range l.reach.objects {
		objects.Or(cell)
	}
	return objects
}

// unique returns the objects of which there is always one.
func (l *level) unique() game.Set {
	w := l.take()
	defer l.give(w)
	l.fields.unpack(w.at, l.start)
	unique := l.game.NewObjects()
	for id := range l.game.Objects {
		count := 0
		for _, cells := range w.at.Plane(id) {
			count += bits.OnesCount64(cells)
		}
		if count == 1 && conserved(l.game, id, true) {
			unique.Add(id)
		}
	}
	return unique
}

// doubts says why the rules take away the symmetries of the start.
func (l *level) doubts(maps int, d *mirror.Doubt) error {
	what := d.What
	if d.Line > 0 {
		what = fmt.Sprintf("line %d: %s", d.Line+l.lines, what)
	}
	return &puzzle.InputError{What: fmt.Sprintf("%d reflections and rotations map the start to itself, but %s", maps-1, what)}
}

// action is what reflections and rotations of the board do to keys. The representative
// of an orbit is its least key.
type action struct {
	*fields
	start []uint64
	maps  []keyMap
}

// keyMap maps the fields of a key.
type keyMap struct {
	placings [][]int32 // by placing, and index of a cell: the index of the image
	digits   []int32   // by digit: its image
}

// add adds a map, if it maps the fields, what never changes and the start to
// themselves.
func (a *action) add(m *mirror.Map) bool {
	for i, to := range m.To {
		if !slices.Equal(a.base.Cell(i), a.base.Cell(int(to))) {
			return false
		}
	}
	var k keyMap
	for i := range a.placings {
		p := &a.placings[i]
		var to []int32
		for _, cell := range p.cells {
			n := p.index[m.To[cell]]
			if n < 0 {
				return false
			}
			to = append(to, n)
		}
		k.placings = append(k.placings, to)
	}
	for i := range a.digits {
		d := &a.digits[i]
		n := slices.IndexFunc(a.digits, func(e digit) bool {
			return e.cell == int(m.To[d.cell]) && slices.Equal(e.layer, d.layer)
		})
		if n < 0 || !slices.Equal(a.digits[n].objects, d.objects) {
			return false
		}
		k.digits = append(k.digits, int32(n))
	}
	a.maps = append(a.maps, k)
	image := make([]uint64, len(a.start))
	if a.Image(image, a.start, len(a.maps)-1); slices.Equal(image, a.start) {
		return true
	}
	a.maps = a.maps[:len(a.maps)-1]
	return false
}

// Image writes the image of a state.
func (a *action) Image(dst, state []uint64, symmetry int) {
	var image [puzzle.WordsMax]uint64
	k := &a.maps[symmetry]
	for i := range a.placings {
		p := &a.placings[i]
		p.put(image[:], p.mapped(p.get(state), k.placings[i]))
	}
	for i := range a.digits {
		if d := &a.digits[i]; d.bits > 0 {
			a.digits[k.digits[i]].put(image[:], d.get(state))
		}
	}
	if a.won != nil {
		a.won.put(image[:], a.won.get(state))
	}
	copy(dst, image[:a.words])
}

// placedMax is the greatest number of objects of a placing: a table of chooseMax
// entries has no room for more, since there are at least as many cells.
const placedMax = 256

// mapped returns the number of an arrangement whose objects are moved to other cells.
func (p *placing) mapped(rank uint64, to []int32) uint64 {
	var list [placedMax]int32
	n, last := len(p.cells)-1, 0
	for k := p.count; k > 0; k-- {
		n, rank = p.next(n, k, rank)
		at := last // the list is sorted
		for ; at > 0 && list[at-1] > to[n]; at-- {
			list[at] = list[at-1]
		}
		list[at] = to[n]
		last++
		n--
	}
	sum := uint64(0)
	for k, n := range list[:last] {
		sum += p.choose[n][k+1]
	}
	return sum
}

// least compares the images of a state under all symmetries. It returns the least and
// the first symmetry that leads to it.
func (a *action) least(state []uint64) (least [puzzle.WordsMax]uint64, first int) {
	var image [puzzle.WordsMax]uint64
	copy(least[:], state)
	for g := 1; g < len(a.maps); g++ {
		a.Image(image[:a.words], state, g)
		if slices.Compare(image[:a.words], least[:a.words]) < 0 {
			least, first = image, g
		}
	}
	return least, first
}

// First returns the first symmetry that leads to the least image.
func (a *action) First(state []uint64) int {
	_, first := a.least(state)
	return first
}

// Fixing counts the symmetries that map a state to itself.
func (a *action) Fixing(state []uint64) int {
	var image [puzzle.WordsMax]uint64
	count := 0
	for g := range a.maps {
		if a.Image(image[:a.words], state, g); slices.Equal(image[:a.words], state[:a.words]) {
			count++
		}
	}
	return count
}

// Merge replaces keys by the least of their images.
func (a *action) Merge(_, keys []uint64, moves []puzzle.Move) {
	n := puzzle.Move(len(a.maps))
	for i := range moves {
		key := keys[i*a.words : (i+1)*a.words]
		least, first := a.least(key)
		copy(key, least[:a.words])
		moves[i] = moves[i]*n + puzzle.Move(first)
	}
}
