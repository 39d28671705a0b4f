package machine

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/everystate/everystate/puzzle/murphi/syntax"
)

// Program is a compiled model.
type Program struct {
	Variables []Variable
	Rules     []Rule
	Claims    []Property // all properties except assumptions

	// Partial reports whether a variable may lose its value while rules run.
	Partial bool

	starts  []Rule
	assumes []Property
	globals int // slots of Variables
	slots   int // of Variables and of local variables

	abandons bool // a function may abandon the rule that calls it
}

// Variable is a variable of a simple type, or such a part of another variable.
type Variable struct {
	Name string
	Type *Type
}

// instance is a rule or property with values for its parameters.
type instance struct {
	// Name is the name for people, with the values of the parameters. Base is the name
	// without them.
	Name, Base string

	at     syntax.Position
	params []int   // slots
	values []int32 // by parameter
	cost   int     // steps of its condition
}

// At returns its position in the model.
func (i *instance) At() syntax.Position { return i.at }

// Rule is a rule or a start state.
type Rule struct {
	instance
	guard             func(m *Machine) int64 // nil: always
	locals, localsEnd int
	body              []action
}

// Property is a claim about states.
type Property struct {
	instance
	Kind syntax.PropertyKind
	cond func(m *Machine) int64
}

// compiler compiles a model. Its methods panic with a *syntax.FaultError.
type compiler struct {
	program  *Program
	scope    *scope
	slots    int
	function *function // being compiled; nil in a rule

	params    []parameterOf // of the enclosing rulesets
	instances int

	undefines bool  // a statement removes values
	local0    bool  // there are local arrays or records, which begin without values
	names     names // of moves
	rules     int
}

// parameterOf is a parameter of a ruleset with its values.
type parameterOf struct {
	slot   int
	typ    *Type
	values []int32
}

// Compile compiles a model.
func Compile(model *syntax.Model) (program *Program, fault *syntax.FaultError) {
	defer func() {
		if e := recover(); e != nil {
			var ok bool
			if fault, ok = e.(*syntax.FaultError); !ok {
				panic(e)
			}
			program = nil
		}
	}()
	c := &compiler{program: &Program{}, scope: &scope{}, names: names{}}
	c.globals(model.Decls)
	for _, d := range model.Decls {
		switch d := d.(type) {
		case *syntax.Const, *syntax.TypeDecl, *syntax.Var:
		case *syntax.Function:
			c.declareFunction(d)
		default:
			c.rule(d)
		}
	}
	p := c.program
	p.slots, p.Partial = c.slots, c.undefines || c.local0
	return p, nil
}

// globals declares everything outside of rules, and lays out the variables.
func (c *compiler) globals(decls []syntax.Decl) {
	for _, d := range decls {
		v, ok := d.(*syntax.Var)
		if !ok {
			switch d.(type) {
			case *syntax.Const, *syntax.TypeDecl:
				c.declare([]syntax.Decl{d})
			}
			continue
		}
		of := c.typeOf(v.Type)
		if c.slots+of.slots > globalsMax {
			panic(v.At.Faultf("the variables have more than %d values in all", globalsMax))
		}
		x := c.local(v.At, of)
		x.name, x.written, x.outside = v.Name, true, true
		c.scope.declare(v.At, v.Name, &symbol{kind: symbolValue, value: x})
		c.program.Variables = flat(c.program.Variables, v.At, v.Name, of)
	}
	c.program.globals = c.slots
}

// flat appends the variables of simple type that a variable consists of.
func flat(to []Variable, at syntax.Position, name string, of *Type) []Variable {
	const bytesMax = 1000
	if len(name) > bytesMax {
		panic(at.Faultf("a part of this variable has a name of more than %d bytes", bytesMax))
	}
	switch of.Kind {
	case Array:
		for n := of.index.Lo; n <= of.index.Hi; n++ {
			to = flat(to, at, fmt.Sprintf("%s[%s]", name, of.index.Text(n)), of.elem)
		}
	case Record:
		for _, f := range of.fields {
			to = flat(to, at, name+"."+f.name, f.of)
		}
	case Integer, Boolean, Enum:
		to = append(to, Variable{name, of})
	}
	return to
}

// rule compiles a rule, a property, or a set of them.
func (c *compiler) rule(d syntax.Decl) {
	switch d := d.(type) {
	case *syntax.Ruleset:
		before := c.params
		c.within(func() {
			for i := range d.Params {
				c.params = append(c.params[:len(c.params):len(c.params)], c.parameter(&d.Params[i]))
			}
			for _, inner := range d.Rules {
				c.rule(inner)
			}
		})
		c.params = before
	case *syntax.AliasRules:
		c.within(func() {
			c.aliases(d.Aliases)
			for _, inner := range d.Rules {
				c.rule(inner)
			}
		})
	case *syntax.Rule:
		c.within(func() { c.simpleRule(d) })
	case *syntax.Property:
		c.property(d)
	default:
		panic(fmt.Sprintf("no such rule: %T", d))
	}
}

// parameter declares a parameter of a ruleset.
func (c *compiler) parameter(q *syntax.Quantifier) parameterOf {
	p := parameterOf{typ: integers}
	by := int64(1)
	var from, to int64
	if q.Type != nil {
		if p.typ = c.typeOf(q.Type); !p.typ.simple() {
			panic(q.At.Faultf("%q ranges over %s: must be a range, an enum, a boolean or a scalarset", q.Name, p.typ.Describe()))
		}
		from, to = p.typ.Lo, p.typ.Hi
	} else {
		from, to = c.constant(q.From), c.constant(q.To)
		if q.By != nil {
			by = c.constant(q.By)
		}
		if by == 0 {
			panic(q.By.Pos().Faultf("a parameter by 0 has infinitely many values"))
		}
	}
	for n := from; by > 0 && n <= to || by < 0 && n >= to; n += by {
		if len(p.values) == InstancesMax {
			panic(q.At.Faultf("the parameter %q has more than %d values", q.Name, InstancesMax))
		}
		p.values = append(p.values, int32(n))
	}
	p.slot = c.local(q.At, p.typ).place.slot
	c.scope.declare(q.At, q.Name, &symbol{kind: symbolValue, value: parameter(p.typ, q.Name, p.slot)})
	return p
}

// guarded refuses an expression that changes variables, in a condition.
func guarded(e syntax.Expr, v *value) *value {
	if v.impure {
		panic(e.Pos().Faultf("this calls a function that changes variables: a condition must not change them"))
	}
	return v
}

func (c *compiler) simpleRule(d *syntax.Rule) {
	r := Rule{}
	cost := 1
	if d.Guard != nil {
		v := guarded(d.Guard, c.typed(d.Guard, Boolean))
		r.guard, cost = v.eval, sum(v.size)
	}
	r.locals = c.slots
	c.declare(d.Locals)
	r.body = c.block(d.Body)
	r.localsEnd = c.slots
	list := &c.program.Rules
	if d.Start {
		list = &c.program.starts
	} else {
		c.rules++
	}
	base := plain(d.Name)
	if base == "" {
		base = fmt.Sprintf("rule-%d", c.rules)
	}
	c.each(d.At, base, cost, func(i instance) {
		if r.instance = i; !d.Start {
			r.Name = c.names.unique(r.Name)
		}
		*list = append(*list, r)
	})
}

func (c *compiler) property(d *syntax.Property) {
	v := guarded(d.Cond, c.typed(d.Cond, Boolean))
	list := &c.program.Claims
	if d.Kind == syntax.Assume {
		list = &c.program.assumes
	}
	name := strings.Join(strings.Fields(strings.Map(printable, d.Name)), " ")
	c.each(d.At, name, sum(v.size), func(i instance) {
		*list = append(*list, Property{i, d.Kind, v.eval})
	})
}

// each makes an instance for all values of the enclosing parameters.
func (c *compiler) each(at syntax.Position, base string, cost int, take func(instance)) {
	const paramsMax = 16
	if len(c.params) > paramsMax {
		panic(at.Faultf("a rule with more than %d parameters", paramsMax))
	}
	count := 1
	for _, p := range c.params {
		count *= len(p.values)
		if count > InstancesMax {
			break
		}
	}
	if c.instances += count; c.instances > InstancesMax {
		panic(at.Faultf("the rules make more than %d rules, one per combination of parameter values", InstancesMax))
	}
	for n := range count {
		i := instance{Base: base, at: at, cost: cost, values: make([]int32, len(c.params))}
		words := make([]string, len(c.params))
		for k := len(c.params) - 1; k >= 0; k-- {
			p := &c.params[k]
			i.params = append(i.params, 0)
			i.values[k] = p.values[n%len(p.values)]
			words[k] = p.typ.Text(int64(i.values[k]))
			n /= len(p.values)
		}
		for k := range c.params {
			i.params[k] = c.params[k].slot
		}
		if i.Name = base; len(words) > 0 {
			i.Name += "(" + strings.Join(words, ",") + ")"
		}
		take(i)
	}
}

// names are those already used.
type names map[string]bool

// unique makes the name of a move unique.
func (given names) unique(name string) string {
	one := name
	for n := 2; given[one]; n++ {
		one = fmt.Sprintf("%s#%d", name, n)
	}
	given[one] = true
	return one
}

// printable turns any space into a blank, and drops what is not printable, ; and ".
func printable(r rune) rune {
	if unicode.IsSpace(r) {
		return ' '
	}
	if !unicode.IsPrint(r) || r == ';' || r == '"' {
		return -1
	}
	return r
}

// plain returns the name of a rule as one word.
func plain(name string) string {
	const bytesMax = 100
	name = strings.Join(strings.Fields(strings.Map(printable, name)), "-")
	if len(name) > bytesMax {
		name = strings.ToValidUTF8(name[:bytesMax], "")
	}
	return name
}

// Starts runs the start states, which share the steps of one state, and calls take
// with the variables of each.
func (p *Program) Starts(take func(values []int32)) (err *FaultError) {
	defer func() {
		if e := recover(); e != nil {
			var ok bool
			if err, ok = e.(*FaultError); !ok {
				panic(e)
			}
		}
	}()
	m := New(p)
	m.rest = stateSteps // for all together
	for i := range p.starts {
		m.forget(0, p.globals)
		m.enter(&p.starts[i].instance)
		if m.run(&p.starts[i]); !m.discarded && m.assumed() {
			take(m.Variables())
		}
	}
	return nil
}
