package machine

import (
	"math"

	"github.com/everystate/everystate/puzzle/murphi/syntax"
)

// value is a compiled expression.
type value struct {
	typ  *Type
	eval func(m *Machine) int64 // of a simple type

	constant bool
	number   int64 // of a constant

	place   *place // of a variable or a part of one, or of a result that is one
	name    string // of the variable
	written bool   // it may be assigned to
	outside bool   // it is a variable of the model, or may be one
	impure  bool   // its evaluation may change variables
	passing bool   // its place is that of the next result, too
	size    int    // the steps that it takes, without those of loops and calls
}

// place is where a variable is: at a slot, or where at says.
type place struct {
	slot int
	at   func(m *Machine) int // nil: at slot
}

// address returns a function for the slot of a place.
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

// sizeMax bounds sizes: what is larger is never evaluated.
const sizeMax = 1 << 40

func sum(sizes ...int) int {
	total := 1
	for _, n := range sizes {
		total = min(total+n, sizeMax)
	}
	return total
}

// literal is a constant of a type.
func literal(of *Type, n int64) *value {
	return &value{typ: of, constant: true, number: n, eval: func(*Machine) int64 { return n }}
}

// variable is a variable at a slot, which may have no value.
func variable(of *Type, slot int) *value {
	return &value{typ: of, place: &place{slot: slot}, size: 1}
}

// parameter is a variable at a slot that always has a value and is not assigned to.
func parameter(of *Type, name string, slot int) *value {
	return &value{typ: of, name: name, size: 1, eval: func(m *Machine) int64 { return int64(m.memory[slot]) }}
}

// read gives a variable of a simple type its eval, which fails where it has no value.
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

// within reports whether values of a type need no look to be taken for one of
// another type.
func within(inner, outer *Type) bool {
	return outer.unbounded || !inner.unbounded && inner.Lo >= outer.Lo && inner.Hi <= outer.Hi
}

// fitted is the value for a variable of a type: one that it does not have fails.
func fitted(at syntax.Position, v *value, to *Type) func(m *Machine) int64 {
	if !to.simple() || !alike(v.typ, to) {
		panic(at.Faultf("the value is %s and the variable is %s", v.typ.Describe(), to.Describe()))
	}
	eval := v.eval
	lo, hi := to.Lo, to.Hi
	if to.unbounded {
		lo, hi = math.MinInt32+1, math.MaxInt32
	}
	if v.constant && (v.number < lo || v.number > hi) {
		panic(at.Faultf("%d is not from %d to %d", v.number, lo, hi))
	}
	if v.constant || !v.typ.unbounded && within(v.typ, to) {
		return eval
	}
	return func(m *Machine) int64 {
		n := eval(m)
		if n < lo || n > hi {
			fail(at, "%d is not from %d to %d", n, lo, hi)
		}
		return n
	}
}

// bounded looks at what comes out of arithmetic.
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
