package machine

import (
	"github.com/everystate/everystate/puzzle/murphi/syntax"
)

// function is a compiled function or procedure.
type function struct {
	name      string
	params    []*param
	result    *value // nil for a procedure
	first     int    // its parameters and local variables are from here
	locals    int    // its slots are from here
	localsEnd int    // to here
	body      []action
	changes   bool // it may change variables of the model or its caller
}

// changed records that a function changes variables. f is nil while a rule is
// compiled.
func (f *function) changed() {
	if f != nil {
		f.changes = true
	}
}

// param is a parameter of a function: a value, or the place of a variable.
type param struct {
	name    string
	typ     *Type
	slot    int
	changes bool
}

// declareFunction compiles a function, which can call itself and those before it.
func (c *compiler) declareFunction(d *syntax.Function) {
	f := &function{name: d.Name, first: c.slots}
	c.function = f
	c.scope.declare(d.At, d.Name, &symbol{kind: symbolFunction, function: f})
	var result *Type
	if d.Result != nil {
		result = c.typeOf(d.Result)
	}
	c.within(func() {
		for _, v := range d.Params {
			of := c.typeOf(v.Type)
			p := &param{v.Name, of, c.slots, v.Changes}
			f.params = append(f.params, p)
			var means *value
			if v.Changes {
				slot := c.local(v.At, integers).place.slot
				means = &value{typ: of, size: 1, written: true, outside: true, place: &place{at: func(m *Machine) int { return int(m.memory[slot]) }}}
			} else {
				means = c.local(v.At, of)
			}
			means.name = v.Name
			c.scope.declare(v.At, v.Name, &symbol{kind: symbolValue, value: means})
		}
		f.locals = c.slots
		if result != nil {
			f.result = c.local(d.At, result)
			f.result.name = "the result of " + d.Name
			c.local0 = c.local0 || !f.result.typ.simple()
		}
		c.within(func() {
			c.declare(d.Locals)
			f.body = c.block(d.Body)
		})
		f.localsEnd = c.slots
	})
	c.function = nil
}

// leave compiles a return.
func (c *compiler) leave(s *syntax.Return) action {
	switch {
	case c.function == nil && s.Value != nil:
		panic(s.At.Faultf("a rule must not return a value"))
	case c.function == nil:
		return func(*Machine) bool { return true }
	case c.function.result == nil && s.Value != nil:
		panic(s.At.Faultf("the procedure %q must not return a value", c.function.name))
	case c.function.result != nil && s.Value == nil:
		panic(s.At.Faultf("the function %q must return a value", c.function.name))
	case s.Value == nil:
		return func(*Machine) bool { return true }
	}
	result, v := c.function.result, c.expression(s.Value)
	size, slot := sum(v.size), result.place.slot
	if !result.typ.simple() {
		if !same(result.typ, v.typ) || v.place == nil {
			panic(s.At.Faultf("the function %q returns %s of a different type", c.function.name, result.typ.Describe()))
		}
		from, n := v.place.address(), result.typ.slots
		return func(m *Machine) bool {
			m.charge(size + n)
			copy(m.memory[slot:slot+n], m.memory[from(m):])
			return true
		}
	}
	eval := fitted(s.At, v, result.typ)
	return func(m *Machine) bool {
		m.charge(size)
		m.memory[slot] = int32(eval(m))
		return true
	}
}

// call compiles a call. The value of a procedure call has no type.
func (c *compiler) call(e *syntax.Call) *value {
	s := c.scope.find(e.Pos(), e.Name)
	if s.kind != symbolFunction {
		panic(e.Pos().Faultf("%q is not a function", e.Name))
	}
	f := s.function
	if len(e.Args) != len(f.params) {
		panic(e.Pos().Faultf("%q has %d parameters, but is called with %d", e.Name, len(f.params), len(e.Args)))
	}
	v := &value{size: 1, name: e.Name, impure: f.changes}
	if f.changes {
		c.function.changed()
	}
	var pushes []func(m *Machine)
	for i, arg := range e.Args {
		x := c.expression(arg)
		v.size, v.impure = sum(v.size, x.size, x.typ.slots), v.impure || x.impure
		if p := f.params[i]; f == c.function && p.changes && !x.outside {
			panic(arg.Pos().Faultf("%q calls itself with a variable of its own for the var parameter %q, which is not supported", f.name, p.name))
		}
		pushes = append(pushes, argument(c.function, arg.Pos(), x, f.params[i]))
	}
	at, run := e.Pos(), f.caller(pushes)
	if f == c.function {
		run = f.nested(at, run)
	}
	switch {
	case f.result == nil:
		v.eval = func(m *Machine) int64 { run(m); return 0 }
	case f.result.typ.simple():
		v.typ = f.result.typ
		slot := f.result.place.slot
		v.eval = func(m *Machine) int64 {
			run(m)
			n := m.memory[slot]
			if n == Undefined {
				fail(at, "the function %q ends without a return", f.name)
			}
			return int64(n)
		}
	default:
		v.typ = f.result.typ
		slot := f.result.place.slot
		v.passing, v.place = true, &place{at: func(m *Machine) int { run(m); return slot }}
	}
	return v
}

// argument compiles the argument for a parameter. All arguments are evaluated before
// any is stored, as evaluating one may call the same function.
func argument(caller *function, at syntax.Position, x *value, p *param) func(m *Machine) {
	switch {
	case p.changes:
		if x.place == nil || !x.written || !same(x.typ, p.typ) {
			panic(at.Faultf("the argument for the var parameter %q must be a variable of its type, %s, that can be changed", p.name, p.typ.Describe()))
		}
		if x.outside {
			caller.changed()
		}
		where := x.place.address()
		return func(m *Machine) { m.args = append(m.args, int32(where(m))) }
	case p.typ.simple():
		eval := fitted(at, x, p.typ)
		return func(m *Machine) { m.args = append(m.args, int32(eval(m))) }
	case !same(x.typ, p.typ) || x.place == nil:
		panic(at.Faultf("the parameter %q is %s of a different type", p.name, p.typ.Describe()))
	}
	where, n := x.place.address(), p.typ.slots
	return func(m *Machine) {
		from := where(m)
		m.args = append(m.args, m.memory[from:from+n]...)
	}
}

// depthMax bounds how often a function calls itself before it returns.
const depthMax = 10_000

// nested returns code that runs a call of a function by itself: the call has
// parameters and local variables of its own.
func (f *function) nested(at syntax.Position, run func(m *Machine)) func(m *Machine) {
	return func(m *Machine) {
		if m.depth++; m.depth > depthMax {
			fail(at, "%q calls itself more than %d levels deep", f.name, depthMax)
		}
		base := len(m.frames)
		m.frames = append(m.frames, m.memory[f.first:f.localsEnd]...)
		m.charge(f.localsEnd - f.first)
		run(m)
		frame := m.frames[base:]
		copy(m.memory[f.first:f.locals], frame)
		if f.result != nil { // it is handed over where the call has left it
			from := f.result.place.slot + f.result.typ.slots
			copy(m.memory[from:f.localsEnd], frame[from-f.first:])
		} else {
			copy(m.memory[f.locals:f.localsEnd], frame[f.locals-f.first:])
		}
		m.frames, m.depth = m.frames[:base], m.depth-1
	}
}

// caller returns code that runs a function with arguments.
func (f *function) caller(pushes []func(m *Machine)) func(m *Machine) {
	return func(m *Machine) {
		base := len(m.args)
		for _, push := range pushes {
			push(m)
		}
		at := base
		for _, p := range f.params {
			n := p.typ.slots
			if p.changes {
				n = 1
			}
			copy(m.memory[p.slot:p.slot+n], m.args[at:at+n])
			at += n
		}
		m.args = m.args[:base]
		m.charge(1 + f.localsEnd - f.locals)
		m.forget(f.locals, f.localsEnd)
		do(f.body, m)
	}
}
