package machine

import (
	"fmt"

	"github.com/everystate/everystate/puzzle/murphi/syntax"
)

// action is a compiled statement. It reports whether to leave the rule or function.
type action func(m *Machine) (leave bool)

// block compiles statements in a scope of their own.
func (c *compiler) block(list []syntax.Stmt) (actions []action) {
	c.within(func() {
		for _, s := range list {
			if a := c.statement(s); a != nil {
				actions = append(actions, a)
			}
		}
	})
	return actions
}

// do runs statements.
func do(actions []action, m *Machine) (leave bool) {
	for _, a := range actions {
		if a(m) {
			return true
		}
	}
	return false
}

// statement compiles a statement; the result is nil if it has no effect.
func (c *compiler) statement(s syntax.Stmt) action {
	switch s := s.(type) {
	case *syntax.Assign:
		return c.assign(s)
	case *syntax.CallStmt:
		v := c.call(s.Call)
		size, run := sum(v.size), v.eval
		if v.typ != nil && !v.typ.simple() {
			at := v.place.at
			run = func(m *Machine) int64 { return int64(at(m)) }
		}
		return func(m *Machine) bool {
			m.charge(size)
			run(m)
			return false
		}
	case *syntax.If:
		return c.branches(s)
	case *syntax.Switch:
		return c.cases(s)
	case *syntax.For:
		return c.loop(s)
	case *syntax.While:
		return c.while(s)
	case *syntax.Clear:
		return c.clear(s)
	case *syntax.Undefine:
		c.undefines = true
		x := c.target(s.At, s.X)
		at, n := x.place.address(), x.typ.slots
		return func(m *Machine) bool {
			m.charge(n)
			to := at(m)
			m.forget(to, to+n)
			return false
		}
	case *syntax.Return:
		return c.leave(s)
	case *syntax.Claim:
		return c.claim(s)
	case *syntax.AliasStmt:
		var body []action
		c.within(func() {
			c.aliases(s.Aliases)
			body = c.block(s.Body)
		})
		return func(m *Machine) bool { return do(body, m) }
	case *syntax.Nothing:
		return nil
	}
	panic(fmt.Sprintf("no such statement: %T", s))
}

// target compiles the target of a statement that changes a variable.
func (c *compiler) target(at syntax.Position, e syntax.Expr) *value {
	x := c.expression(e)
	if x.place == nil || !x.written {
		panic(at.Faultf("this cannot be changed: it is a constant, a parameter without var, or the variable of a loop or ruleset"))
	}
	if x.outside {
		c.function.changed()
	}
	return x
}

func (c *compiler) assign(s *syntax.Assign) action {
	x, y := c.target(s.At, s.To), c.expression(s.Value)
	size := sum(x.size, y.size)
	if !x.typ.simple() {
		if !same(x.typ, y.typ) || y.place == nil {
			panic(s.At.Faultf("the value is %s, but the variable is %s of a different type", y.typ.Describe(), x.typ.Describe()))
		}
		to, from, n := x.place.address(), y.place.address(), x.typ.slots
		return func(m *Machine) bool {
			m.charge(size + n)
			target := to(m)
			source := from(m)
			copy(m.memory[target:target+n], m.memory[source:source+n])
			return false
		}
	}
	eval := fitted(s.At, y, x.typ)
	if x.place.at == nil {
		slot := x.place.slot
		return func(m *Machine) bool {
			m.charge(size)
			m.memory[slot] = int32(eval(m))
			return false
		}
	}
	at := x.place.at
	return func(m *Machine) bool {
		m.charge(size)
		n := int32(eval(m))
		m.memory[at(m)] = n
		return false
	}
}

func (c *compiler) branches(s *syntax.If) action {
	type branch struct {
		cond func(*Machine) int64
		body []action
	}
	var list []branch
	size := 1
	for _, b := range s.Branches {
		compiled := branch{}
		if b.Cond != nil {
			v := c.typed(b.Cond, Boolean)
			compiled.cond, size = v.eval, sum(size, v.size)
		}
		compiled.body = c.block(b.Body)
		list = append(list, compiled)
	}
	return func(m *Machine) bool {
		m.charge(size)
		for i := range list {
			if b := &list[i]; b.cond == nil || b.cond(m) != 0 {
				return do(b.body, m)
			}
		}
		return false
	}
}

func (c *compiler) cases(s *syntax.Switch) action {
	type branch struct {
		values []func(*Machine) int64 // none: else
		body   []action
	}
	of := c.expression(s.Value)
	var list []branch
	size := sum(of.size)
	for _, b := range s.Cases {
		compiled := branch{}
		for _, e := range b.Values {
			v := c.expression(e)
			if !alike(v.typ, of.typ) {
				panic(e.Pos().Faultf("this is %s, but the switch is on %s", v.typ.Describe(), of.typ.Describe()))
			}
			compiled.values, size = append(compiled.values, v.eval), sum(size, v.size)
		}
		compiled.body = c.block(b.Body)
		list = append(list, compiled)
	}
	eval := of.eval
	if eval == nil {
		panic(s.Value.Pos().Faultf("a switch cannot be on %s", of.typ.Describe()))
	}
	return func(m *Machine) bool {
		m.charge(size)
		n := eval(m)
		for i := range list {
			for _, value := range list[i].values {
				if value(m) == n {
					return do(list[i].body, m)
				}
			}
			if len(list[i].values) == 0 {
				return do(list[i].body, m)
			}
		}
		return false
	}
}

// while compiles a while.
func (c *compiler) while(w *syntax.While) action {
	cond := c.typed(w.Cond, Boolean)
	body, size, eval := c.block(w.Body), sum(cond.size), cond.eval
	return func(m *Machine) bool {
		for m.charge(size); eval(m) != 0; m.charge(size) {
			if do(body, m) {
				return true
			}
		}
		return false
	}
}

// loop compiles a for.
func (c *compiler) loop(f *syntax.For) (a action) {
	c.within(func() {
		over := c.over(&f.Over)
		body := c.block(f.Body)
		a = func(m *Machine) bool {
			m.charge(1 + over.size)
			from, to, by := over.bounds(m)
			for n := from; by > 0 && n <= to || by < 0 && n >= to; n += by {
				m.charge(1)
				m.memory[over.slot] = int32(n)
				if do(body, m) {
					return true
				}
			}
			return false
		}
	})
	return a
}

func (c *compiler) clear(s *syntax.Clear) action {
	x := c.target(s.At, s.X)
	at, least := x.place.address(), leasts(nil, x.typ)
	return func(m *Machine) bool {
		m.charge(len(least))
		copy(m.memory[at(m):], least)
		return false
	}
}

// leasts appends the least values of a type.
func leasts(to []int32, of *Type) []int32 {
	switch of.Kind {
	case Array:
		one := leasts(nil, of.elem)
		for range of.index.Values() {
			to = append(to, one...)
		}
	case Record:
		for _, f := range of.fields {
			to = leasts(to, f.of)
		}
	case Integer, Boolean, Enum:
		to = append(to, int32(of.Lo))
	}
	return to
}

func (c *compiler) claim(s *syntax.Claim) action {
	at, what := s.At, fmt.Sprintf("the assertion %q does not hold", s.Name)
	switch {
	case s.Cond == nil:
		what = fmt.Sprintf("error %q", s.Name)
		return func(*Machine) bool {
			fail(at, "%s", what)
			return true
		}
	case s.Name == "":
		what = "this assertion does not hold"
	}
	cond := c.typed(s.Cond, Boolean)
	size, eval := sum(cond.size), cond.eval
	inFunction := c.function != nil
	if s.Assume && inFunction {
		c.function.changed() // it may abandon a rule, which no condition must
		c.program.abandons = true
	}
	return func(m *Machine) bool {
		m.charge(size)
		if eval(m) != 0 {
			return false
		}
		if !s.Assume {
			fail(at, "%s", what)
		}
		m.discarded = true
		if inFunction {
			panic(abandoned{})
		}
		return true
	}
}
