package machine

import (
	"math"

	"github.com/everystate/everystate/puzzle/murphi/syntax"
)

// value is a compiled expression.
type value struct {
	typ  *Type
	eval func(m *Machine) int64 // for a simple type

	constant bool
	number   int64 // if constant

	place   *place // of a variable, a part of one, or a result in memory
	name    string // of a variable
	written bool   // it may be assigned to
	outside bool   // it is, or may be, a variable of the model
	impure  bool   // its evaluation may change variables
	passing bool   // the next result will overwrite it
	size    int    // the steps that it takes, not counting loops and calls
}

// place is the location of a variable: slot, or the result of at.
type place struct {
	slot int
	at   func(m *Machine) int // nil: use slot
}

// address returns a function that computes the slot of a place.
func (p *place) address() func(m *Machine) int {
	if p.at != nil {
		return p.at
	}
	slot := p.slot
	return func(*Machine) int { return slot }
}

// plus returns the place of a part.
func (p *place) plus(offset int) *place {
	if p.at == nil {
		return &place{slot: p.slot + offset}
	}
	at := p.at
	return &place{at: func(m *Machine) int { return at(m) + offset }}
}

// sizeMax bounds sizes; nothing that large is ever evaluated.
const sizeMax = 1 << 40

func sum(sizes ...int) int {
	total := 1
	for _, n := range sizes {
		total = min(total+n, sizeMax)
	}
	return total
}

// literal returns a constant of a type.
func literal(of *Type, n int64) *value {
	return &value{typ: of, constant: true, number: n, eval: func(*Machine) int64 { return n }}
}

// variable returns a variable at a slot, which may have no value.
func variable(of *Type, slot int) *value {
	return &value{typ: of, place: &place{slot: slot}, size: 1}
}

// parameter returns a variable at a slot that always has a value and is never assigned
// to.
func parameter(of *Type, name string, slot int) *value {
	return &value{typ: of, name: name, size: 1, eval: func(m *Machine) int64 { return int64(m.memory[slot]) }}
}

// read sets the eval of a variable of a simple type, which fails if it has no value.
func (v *value) read(at syntax.Position) {
	if v.place == nil || !v.typ.simple() {
		return
	}
	name := v.name
	if v.place.at == nil {
		slot := v.place.slot
		v.eval = func(m *Machine) int64 {
			n := m.memory[slot]
			if n == Undefined {
				fail(at, "%s is undefined", name)
			}
			return int64(n)
		}
		return
	}
	where := v.place.at
	v.eval = func(m *Machine) int64 {
		n := m.memory[where(m)]
		if n == Undefined {
			fail(at, "%s is undefined", name)
		}
		return int64(n)
	}
}

// within reports whether values of a type need no check before use as values of
// another.
func within(inner, outer *Type) bool {
	return outer.unbounded || !inner.unbounded && inner.Lo >= outer.Lo && inner.Hi <= outer.Hi
}

// fitted returns code for a value to be stored in a variable of a type. It fails if
// the type does not have the value.
func fitted(at syntax.Position, v *value, to *Type) func(m *Machine) int64 {
	if !to.simple() || !alike(v.typ, to) {
		panic(at.Faultf("the value is %s, but the variable is %s", v.typ.Describe(), to.Describe()))
	}
	eval := v.eval
	lo, hi := to.Lo, to.Hi
	if to.unbounded {
		lo, hi = math.MinInt32+1, math.MaxInt32
	}
	if v.constant && (v.number < lo || v.number > hi) {
		panic(at.Faultf("%d is not between %d and %d", v.number, lo, hi))
	}
	if v.constant || !v.typ.unbounded && within(v.typ, to) {
		return eval
	}
	return func(m *Machine) int64 {
		n := eval(m)
		if n < lo || n > hi {
			fail(at, "%d is not between %d and %d", n, lo, hi)
		}
		return n
	}
}

// bounded checks the result of arithmetic.
func bounded(at syntax.Position, n int64) int64 {
	if n > numberMax || n < -numberMax {
		fail(at, "%d is too large a number", n)
	}
	return n
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
