package machine

import (
	"fmt"
	"strconv"

	"github.com/everystate/everystate/puzzle/murphi/syntax"
)

// Bounds of a model.
const (
	globalsMax   = 1 << 12 // values of all variables together
	slotsMax     = 1 << 16 // the same, with all local variables
	InstancesMax = 1 << 16 // rules with values for their parameters
)

// Kind is the kind of a type.
type Kind uint8

// The kinds of types.
const (
	Integer Kind = iota
	Boolean
	Enum
	Array
	Record
)

// Type is a type of the language.
type Type struct {
	Kind   Kind
	Lo, Hi int64    // range of a simple type, unless it is unbounded
	names  []string // of the values of an enum or of boolean

	index, elem *Type // of an array
	fields      []field

	slots     int
	unbounded bool // the type of numbers in expressions
}

// field is a field of a record.
type field struct {
	name   string
	of     *Type
	offset int
}

var (
	integers = &Type{Kind: Integer, slots: 1, unbounded: true}
	booleans = &Type{Kind: Boolean, Hi: 1, names: []string{"false", "true"}, slots: 1}
)

func (t *Type) simple() bool { return t.Kind <= Enum }

// Values returns the number of values of a simple type.
func (t *Type) Values() uint64 { return uint64(t.Hi - t.Lo + 1) }

// Text writes a value of a simple type.
func (t *Type) Text(value int64) string {
	if t.names != nil {
		return t.names[value]
	}
	return strconv.FormatInt(value, 10)
}

// Parse reads what Text writes.
func (t *Type) Parse(text string) (int64, bool) {
	for i, name := range t.names {
		if name == text {
			return int64(i), true
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil && t.names == nil && n >= t.Lo && n <= t.Hi
}

// Describe describes the values of a simple type.
func (t *Type) Describe() string {
	switch {
	case t.unbounded:
		return "a number"
	case t.Kind == Boolean:
		return "false or true"
	case t.Kind == Enum:
		return "one of " + list(t.names)
	case t.Kind == Array:
		return "an array"
	case t.Kind == Record:
		return "a record"
	}
	return fmt.Sprintf("a number from %d to %d", t.Lo, t.Hi)
}

// list writes the first few names.
func list(names []string) string {
	const most = 8
	text := ""
	for i, name := range names {
		switch {
		case i == most:
			return text + " and others"
		case i > 0:
			text += ", "
		}
		text += name
	}
	return text
}

// alike reports whether values of two simple types can be compared.
func alike(a, b *Type) bool {
	return a.simple() && a.Kind == b.Kind && (a.Kind != Enum || a == b)
}

// same reports whether two types have the same parts with the same values.
func same(a, b *Type) bool {
	switch {
	case a == b:
		return true
	case a.Kind != b.Kind || a.slots != b.slots:
		return false
	case a.Kind == Array:
		return same(a.index, b.index) && same(a.elem, b.elem)
	case a.Kind == Record:
		for i, f := range a.fields {
			if i >= len(b.fields) || b.fields[i].name != f.name || !same(f.of, b.fields[i].of) {
				return false
			}
		}
		return len(a.fields) == len(b.fields)
	case a.Kind == Enum:
		return false
	}
	return a.Lo == b.Lo && a.Hi == b.Hi && a.unbounded == b.unbounded
}

// typeOf compiles a type.
func (c *compiler) typeOf(t syntax.Type) *Type {
	switch t := t.(type) {
	case *syntax.Named:
		if t.Name == "boolean" {
			return booleans
		}
		s := c.scope.find(t.At, t.Name)
		if s.kind != symbolType {
			panic(t.At.Faultf("%q is not a type", t.Name))
		}
		return s.typ
	case *syntax.Range:
		lo, hi := c.constant(t.Lo), c.constant(t.Hi)
		if lo > hi {
			panic(t.At.Faultf("the range %d..%d has no values", lo, hi))
		}
		return &Type{Kind: Integer, Lo: lo, Hi: hi, slots: 1}
	case *syntax.Scalarset:
		size := c.constant(t.Size)
		if size < 1 {
			panic(t.At.Faultf("a scalarset of %d values: must be at least 1", size))
		}
		return &Type{Kind: Integer, Hi: size - 1, slots: 1}
	case *syntax.Enum:
		return c.enum(t)
	case *syntax.Array:
		return c.array(t)
	case *syntax.Record:
		return c.record(t)
	}
	panic(fmt.Sprintf("no such type: %T", t))
}

// enum compiles an enum and declares its members.
func (c *compiler) enum(t *syntax.Enum) *Type {
	if len(t.Members) == 0 {
		panic(t.At.Faultf("an enum without values"))
	}
	of := &Type{Kind: Enum, Hi: int64(len(t.Members) - 1), slots: 1}
	for i, m := range t.Members {
		of.names = append(of.names, m.Name)
		c.scope.declare(m.At, m.Name, &symbol{kind: symbolValue, value: literal(of, int64(i))})
	}
	return of
}

func (c *compiler) array(t *syntax.Array) *Type {
	index, elem := c.typeOf(t.Index), c.typeOf(t.Of)
	if !index.simple() {
		panic(t.At.Faultf("an index is %s: must be a range, an enum, a boolean or a scalarset", index.Describe()))
	}
	if n := index.Values(); n > slotsMax || n*uint64(elem.slots) > slotsMax {
		panic(t.At.Faultf("an array of %d elements of %d values each: at most %d values are allowed", n, elem.slots, slotsMax))
	}
	return &Type{Kind: Array, index: index, elem: elem, slots: int(index.Values()) * elem.slots}
}

func (c *compiler) record(t *syntax.Record) *Type {
	if len(t.Fields) == 0 {
		panic(t.At.Faultf("a record without fields"))
	}
	of := &Type{Kind: Record}
	seen := map[string]bool{}
	for _, v := range t.Fields {
		if seen[v.Name] {
			panic(v.At.Faultf("the field %q is declared twice", v.Name))
		}
		seen[v.Name] = true
		f := field{v.Name, c.typeOf(v.Type), of.slots}
		if of.slots += f.of.slots; of.slots > slotsMax {
			panic(v.At.Faultf("a record of more than %d values", slotsMax))
		}
		of.fields = append(of.fields, f)
	}
	return of
}
