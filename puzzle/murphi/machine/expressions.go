package machine

import (
	"fmt"
	"strings"

	"github.com/everystate/everystate/puzzle/murphi/syntax"
)

// expression compiles an expression.
func (c *compiler) expression(e syntax.Expr) *value {
	switch e := e.(type) {
	case *syntax.Number:
		return literal(integers, e.Value)
	case *syntax.Name:
		return c.named(e)
	case *syntax.Field:
		return c.field(e)
	case *syntax.Index:
		return c.element(e)
	case *syntax.Unary:
		return c.unary(e)
	case *syntax.Binary:
		return c.binary(e)
	case *syntax.Choice:
		return c.choice(e)
	case *syntax.Quantified:
		return c.quantified(e)
	case *syntax.Call:
		v := c.call(e)
		if v.typ == nil {
			panic(e.Pos().Faultf("the procedure %q has no value", e.Name))
		}
		return v
	case *syntax.IsUndefined:
		x := c.expression(e.X)
		if x.place == nil || !x.typ.simple() {
			panic(e.Pos().Faultf("isundefined takes a variable that is a number, an enum or a boolean"))
		}
		at := x.place.address()
		return &value{typ: booleans, size: sum(x.size), impure: x.impure, eval: func(m *Machine) int64 {
			return truth(m.memory[at(m)] == Undefined)
		}}
	}
	panic(fmt.Sprintf("no such expression: %T", e))
}

// typed compiles an expression that must be of a kind.
func (c *compiler) typed(e syntax.Expr, kind Kind) *value { return must(e, c.expression(e), kind) }

// must refuses an expression that is not of a kind.
func must(e syntax.Expr, v *value, kind Kind) *value {
	if v.typ.Kind != kind {
		panic(e.Pos().Faultf("this is %s, but must be %s", v.typ.Describe(), map[Kind]string{Integer: "a number", Boolean: "false or true"}[kind]))
	}
	return v
}

// constant compiles a number that must be constant.
func (c *compiler) constant(e syntax.Expr) int64 {
	v := c.typed(e, Integer)
	if !v.constant {
		panic(e.Pos().Faultf("this must be a constant, but depends on variables"))
	}
	if v.number <= Undefined || v.number >= 1<<31 {
		panic(e.Pos().Faultf("%d is too large a number", v.number))
	}
	return v.number
}

func (c *compiler) named(e *syntax.Name) *value {
	for n, name := range booleans.names {
		if strings.EqualFold(e.Text, name) {
			return literal(booleans, int64(n))
		}
	}
	s := c.scope.find(e.Pos(), e.Text)
	if s.kind != symbolValue {
		panic(e.Pos().Faultf("%q is not a value", e.Text))
	}
	if s.value.place == nil {
		return s.value
	}
	v := *s.value
	v.read(e.Pos())
	return &v
}

func (c *compiler) field(e *syntax.Field) *value {
	of := c.expression(e.Of)
	if of.typ.Kind != Record || of.place == nil {
		panic(e.Pos().Faultf("this is %s, which has no fields", of.typ.Describe()))
	}
	for _, f := range of.typ.fields {
		if f.name == e.Name {
			v := *of
			v.typ, v.place, v.name, v.size = f.of, of.place.plus(f.offset), of.name+"."+f.name, sum(of.size)
			v.read(e.Pos())
			return &v
		}
	}
	var names []string
	for _, f := range of.typ.fields {
		names = append(names, f.name)
	}
	panic(e.Pos().Faultf("there is no field %q: the fields are %s", e.Name, list(names)))
}

func (c *compiler) element(e *syntax.Index) *value {
	of, index := c.expression(e.Of), c.expression(e.Index)
	if of.typ.Kind != Array || of.place == nil {
		panic(e.Pos().Faultf("this is %s, which has no elements", of.typ.Describe()))
	}
	by := of.typ.index
	if !alike(index.typ, by) {
		panic(e.Index.Pos().Faultf("the index is %s: must be %s", index.typ.Describe(), by.Describe()))
	}
	v := *of
	v.typ, v.size, v.impure = of.typ.elem, sum(of.size, index.size), of.impure || index.impure
	stride := v.typ.slots
	if index.constant {
		if index.number < by.Lo || index.number > by.Hi {
			panic(e.Index.Pos().Faultf("the index %d is not between %d and %d", index.number, by.Lo, by.Hi))
		}
		v.name = fmt.Sprintf("%s[%s]", of.name, by.Text(index.number))
		v.place = of.place.plus(int(index.number-by.Lo) * stride)
		v.read(e.Pos())
		return &v
	}
	v.name = of.name + "[...]"
	at, eval, base, first := e.Index.Pos(), index.eval, of.place.address(), int(by.Lo)
	switch {
	case of.place.at == nil && within(index.typ, by):
		slot := of.place.slot - first*stride
		v.place = &place{at: func(m *Machine) int { return slot + int(eval(m))*stride }}
	case within(index.typ, by):
		v.place = &place{at: func(m *Machine) int {
			n := int(eval(m)) - first
			return base(m) + n*stride
		}}
	default:
		v.place = &place{at: func(m *Machine) int {
			n := eval(m)
			if n < by.Lo || n > by.Hi {
				fail(at, "the index %d is not between %d and %d", n, by.Lo, by.Hi)
			}
			return base(m) + (int(n)-first)*stride
		}}
	}
	v.read(e.Pos())
	return &v
}

func (c *compiler) unary(e *syntax.Unary) *value {
	if e.Op == "!" {
		x := c.typed(e.X, Boolean)
		if x.constant {
			return literal(booleans, 1-x.number)
		}
		eval := x.eval
		return &value{typ: booleans, size: sum(x.size), impure: x.impure, eval: func(m *Machine) int64 { return 1 - eval(m) }}
	}
	x := c.typed(e.X, Integer)
	eval := x.eval
	v := &value{typ: integers, size: sum(x.size), impure: x.impure, eval: func(m *Machine) int64 { return -eval(m) }}
	if e.Op == "~" {
		v.eval = func(m *Machine) int64 { return ^eval(m) }
	}
	return folded(e.Pos(), v, x, x)
}

func (c *compiler) choice(e *syntax.Choice) *value {
	cond, x, y := c.typed(e.If, Boolean), c.expression(e.Then), c.expression(e.Else)
	if !alike(x.typ, y.typ) {
		panic(e.Pos().Faultf("one value is %s and the other %s", x.typ.Describe(), y.typ.Describe()))
	}
	of := x.typ
	if !same(x.typ, y.typ) {
		of = integers
	}
	test, then, otherwise := cond.eval, x.eval, y.eval
	return &value{typ: of, size: sum(cond.size, x.size, y.size), impure: cond.impure || x.impure || y.impure, eval: func(m *Machine) int64 {
		if test(m) != 0 {
			return then(m)
		}
		return otherwise(m)
	}}
}

// quantified compiles a forall or an exists.
func (c *compiler) quantified(e *syntax.Quantified) (v *value) {
	c.within(func() {
		values := c.over(&e.Over)
		body := c.typed(e.Body, Boolean)
		eval, size := body.eval, body.size
		stop := truth(!e.All)
		v = &value{typ: booleans, size: sum(values.size), impure: body.impure || values.impure, eval: func(m *Machine) int64 {
			from, to, by := values.bounds(m)
			for n := from; by > 0 && n <= to || by < 0 && n >= to; n += by {
				m.charge(1 + size)
				m.memory[values.slot] = int32(n)
				if eval(m) == stop {
					return stop
				}
			}
			return 1 - stop
		}}
	})
	return v
}

// values are the values of a name in a loop.
type values struct {
	slot   int
	bounds func(m *Machine) (from, to, by int64)
	size   int
	impure bool
}

// over declares the variable of a loop.
func (c *compiler) over(q *syntax.Quantifier) values {
	if q.Type != nil {
		of := c.typeOf(q.Type)
		if !of.simple() {
			panic(q.At.Faultf("%q ranges over %s: must be a range, an enum, a boolean or a scalarset", q.Name, of.Describe()))
		}
		slot := c.local(q.At, of).place.slot
		c.scope.declare(q.At, q.Name, &symbol{kind: symbolValue, value: parameter(of, q.Name, slot)})
		return values{slot: slot, bounds: func(*Machine) (int64, int64, int64) { return of.Lo, of.Hi, 1 }}
	}
	from, to, by := c.typed(q.From, Integer), c.typed(q.To, Integer), literal(integers, 1)
	if q.By != nil {
		by = c.typed(q.By, Integer)
	}
	if by.constant && by.number == 0 {
		panic(q.By.Pos().Faultf("a loop by 0 does not terminate"))
	}
	slot := c.local(q.At, integers).place.slot
	c.scope.declare(q.At, q.Name, &symbol{kind: symbolValue, value: parameter(integers, q.Name, slot)})
	at := q.At
	begin, end, step := fitted(at, from, integers), fitted(at, to, integers), fitted(at, by, integers)
	return values{slot, func(m *Machine) (int64, int64, int64) {
		by := step(m)
		if by == 0 {
			fail(at, "a loop by 0 does not terminate")
		}
		return begin(m), end(m), by
	}, sum(from.size, to.size, by.size), from.impure || to.impure || by.impure}
}
