package machine

import (
	"github.com/everystate/everystate/puzzle/murphi/syntax"
)

// binary compiles an operator with two operands.
func (c *compiler) binary(e *syntax.Binary) *value {
	if e.Op == "=" || e.Op == "!=" {
		return c.equality(e)
	}
	x := c.expression(e.X)
	if e.Op == "->" || (e.Op == "|" || e.Op == "&") && x.typ.Kind != Integer {
		return c.logic(e, must(e.X, x, Boolean))
	}
	must(e.X, x, Integer)
	y := c.typed(e.Y, Integer)
	v := &value{typ: integers, size: sum(x.size, y.size), impure: x.impure || y.impure}
	switch e.Op {
	case "<", "<=", ">", ">=":
		v.typ, v.eval = booleans, compare(e.Op, x.eval, y.eval)
	default:
		v.eval = arithmetic(e.Pos(), e.Op, x.eval, y.eval)
	}
	return folded(e.Pos(), v, x, y)
}

// folded evaluates v at compile time if its operands are constant.
func folded(at syntax.Position, v, x, y *value) *value {
	if !x.constant || !y.constant {
		return v
	}
	defer func() {
		if e := recover(); e != nil {
			f, ok := e.(*FaultError)
			if !ok {
				panic(e)
			}
			panic(at.Faultf("%s", f.What))
		}
	}()
	return literal(v.typ, v.eval(nil))
}

func compare(op string, x, y func(*Machine) int64) func(*Machine) int64 {
	switch op {
	case "<":
		return func(m *Machine) int64 { return truth(x(m) < y(m)) }
	case "<=":
		return func(m *Machine) int64 { return truth(x(m) <= y(m)) }
	case ">":
		return func(m *Machine) int64 { return truth(x(m) > y(m)) }
	}
	return func(m *Machine) int64 { return truth(x(m) >= y(m)) }
}

func arithmetic(at syntax.Position, op string, x, y func(*Machine) int64) func(*Machine) int64 {
	switch op {
	case "+":
		return func(m *Machine) int64 { return bounded(at, x(m)+y(m)) }
	case "-":
		return func(m *Machine) int64 { return bounded(at, x(m)-y(m)) }
	case "*":
		return func(m *Machine) int64 { return bounded(at, x(m)*y(m)) }
	case "&":
		return func(m *Machine) int64 { return x(m) & y(m) }
	case "|":
		return func(m *Machine) int64 { return x(m) | y(m) }
	case "^":
		return func(m *Machine) int64 { return x(m) ^ y(m) }
	case "<<":
		return func(m *Machine) int64 { return bounded(at, shifted(x(m), y(m))) }
	case ">>":
		return func(m *Machine) int64 { return bounded(at, shifted(x(m), -y(m))) }
	}
	divisor := func(m *Machine) int64 {
		n := y(m)
		if n == 0 {
			fail(at, "a division by 0")
		}
		return n
	}
	if op == "/" {
		return func(m *Machine) int64 { return x(m) / divisor(m) }
	}
	return func(m *Machine) int64 { return x(m) % divisor(m) }
}

// wordBits is the width of numbers: a shift by as many bits leaves nothing.
const wordBits = 32

// shifted shifts a number to the left, or to the right if by is negative.
func shifted(n, by int64) int64 {
	switch {
	case by >= wordBits || by <= -wordBits:
		return 0
	case by < 0:
		return n >> -by
	}
	return n << by
}

// logic compiles operators that evaluate their second operand only if necessary.
func (c *compiler) logic(e *syntax.Binary, x *value) *value {
	y := c.typed(e.Y, Boolean)
	v := &value{typ: booleans, size: sum(x.size, y.size), impure: x.impure || y.impure}
	first, second := x.eval, y.eval
	switch e.Op {
	case "&":
		v.eval = func(m *Machine) int64 { return truth(first(m) != 0 && second(m) != 0) }
	case "|":
		v.eval = func(m *Machine) int64 { return truth(first(m) != 0 || second(m) != 0) }
	default:
		v.eval = func(m *Machine) int64 { return truth(first(m) == 0 || second(m) != 0) }
	}
	return folded(e.Pos(), v, x, y)
}

// equality compiles = and !=, including those of whole arrays and records.
func (c *compiler) equality(e *syntax.Binary) *value {
	x, y := c.expression(e.X), c.expression(e.Y)
	v := &value{typ: booleans, size: sum(x.size, y.size), impure: x.impure || y.impure}
	equal := truth(e.Op == "=")
	if !x.typ.simple() && same(x.typ, y.typ) {
		if x.passing || y.passing {
			panic(e.Pos().Faultf("a function's array or record cannot be compared directly: assign it to a variable first"))
		}
		n, a, b := x.typ.slots, x.place.address(), y.place.address()
		v.size = sum(v.size, n)
		v.eval = func(m *Machine) int64 {
			from, to := a(m), b(m)
			for i := range n {
				if m.memory[from+i] != m.memory[to+i] {
					return 1 - equal
				}
			}
			return equal
		}
		return v
	}
	if !alike(x.typ, y.typ) {
		panic(e.Pos().Faultf("%s cannot be compared with %s", x.typ.Describe(), y.typ.Describe()))
	}
	a, b, k := x.eval, y.eval, y.number
	switch {
	case y.constant:
		v.eval = func(m *Machine) int64 { return truth(a(m) == k) ^ 1 ^ equal }
	default:
		v.eval = func(m *Machine) int64 { return truth(a(m) == b(m)) ^ 1 ^ equal }
	}
	return folded(e.Pos(), v, x, y)
}
