package machine

import (
	"github.com/everystate/everystate/puzzle/murphi/syntax"
)

// symbolKind is the kind of a symbol.
type symbolKind uint8

const (
	symbolType symbolKind = iota
	symbolValue
	symbolFunction
)

// symbol is the meaning of a name.
type symbol struct {
	kind     symbolKind
	typ      *Type
	value    *value
	function *function
}

// scope holds the names of a part of a model, and links to the enclosing scope.
type scope struct {
	names  map[string]*symbol
	around *scope
}

// find returns the meaning of a name.
func (s *scope) find(at syntax.Position, name string) *symbol {
	for ; s != nil; s = s.around {
		if found := s.names[name]; found != nil {
			return found
		}
	}
	panic(at.Faultf("unknown name %.40q: must be declared before its use", name))
}

// declare declares a name.
func (s *scope) declare(at syntax.Position, name string, means *symbol) {
	if s.names[name] != nil {
		panic(at.Faultf("%.40q is declared twice", name))
	}
	if s.names == nil {
		s.names = map[string]*symbol{}
	}
	s.names[name] = means
}

// within compiles a part of a model in a scope of its own.
func (c *compiler) within(part func()) {
	c.scope = &scope{around: c.scope}
	part()
	c.scope = c.scope.around
}

// local places a variable of a type after all others.
func (c *compiler) local(at syntax.Position, of *Type) *value {
	slot := c.slots
	if c.slots += of.slots; c.slots > slotsMax {
		panic(at.Faultf("the local variables have more than %d values in all", slotsMax))
	}
	return variable(of, slot)
}

// declare compiles declarations of constants, types and local variables.
func (c *compiler) declare(decls []syntax.Decl) {
	for _, d := range decls {
		switch d := d.(type) {
		case *syntax.Const:
			v := c.expression(d.Value)
			if !v.constant {
				panic(d.At.Faultf("%q is not a constant: its value depends on variables", d.Name))
			}
			c.scope.declare(d.At, d.Name, &symbol{kind: symbolValue, value: literal(v.typ, v.number)})
		case *syntax.TypeDecl:
			c.scope.declare(d.At, d.Name, &symbol{kind: symbolType, typ: c.typeOf(d.Type)})
		case *syntax.Var:
			v := c.local(d.At, c.typeOf(d.Type))
			c.local0 = c.local0 || !v.typ.simple()
			v.name, v.written = d.Name, true
			c.scope.declare(d.At, d.Name, &symbol{kind: symbolValue, value: v})
		}
	}
}

// aliases declares aliases. Each is compiled once.
func (c *compiler) aliases(list []syntax.Alias) {
	for _, a := range list {
		v := *c.expression(a.Value)
		if !v.constant {
			v.size = 1 + v.size
		}
		c.scope.declare(a.At, a.Name, &symbol{kind: symbolValue, value: &v})
	}
}
