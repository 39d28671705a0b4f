// Package meter rewrites a WebAssembly module so that it can neither run forever nor
// grow tables without bound: every iteration of a loop, every call of a function and
// every 16 bytes of a bulk operation take one step from a counter, and the module
// traps when none is left. Unlike seconds, steps are the same on every machine.
//
// It must never change what a module computes, nor judge whether the module is valid:
// that is up to the engine that compiles the result.
package meter

import (
	"errors"
	"fmt"
)

// Global is the exported name of the counter, a mutable i64.
const Global = "everystate_steps"

// TableMax is the largest number of entries of a table.
const TableMax = 1 << 20

// ErrTruncated reports a module that ends in the middle.
var ErrTruncated = errors.New("the module is truncated")

// The ids of sections.
const (
	sectionCustom   = 0
	sectionType     = 1
	sectionImport   = 2
	sectionFunction = 3
	sectionTable    = 4
	sectionMemory   = 5
	sectionGlobal   = 6
	sectionExport   = 7
	sectionStart    = 8
	sectionElement  = 9
	sectionCode     = 10
	sectionData     = 11
	sectionCount    = 12
)

// order is the place of each section: ids are not in order.
var order = [...]int{
	sectionType: 1, sectionImport: 2, sectionFunction: 3, sectionTable: 4, sectionMemory: 5,
	sectionGlobal: 7, sectionExport: 8, sectionStart: 9, sectionElement: 10, sectionCount: 11, sectionCode: 12, sectionData: 13,
}

const header = "\x00asm\x01\x00\x00\x00"

// section is a section of a module: its id and its bytes.
type section struct {
	id   byte
	body []byte
}

// Add returns the module with a step counter.
func Add(module []byte) ([]byte, error) {
	sections, err := split(module)
	if err != nil {
		return nil, err
	}
	m := &metered{sections: sections}
	if err := m.count(); err != nil {
		return nil, err
	}
	return m.rewrite()
}

// split splits a module into sections, without custom sections except the names.
func split(module []byte) ([]section, error) {
	if len(module) < len(header) || string(module[:len(header)]) != header {
		return nil, errors.New("not a WebAssembly module: it does not begin with \\0asm and version 1")
	}
	r := &reader{bytes: module[len(header):]}
	var sections []section
	last := 0
	for len(r.bytes) > 0 {
		id := r.byte()
		body := r.take(int(r.u32()))
		if r.err != nil {
			return nil, r.err
		}
		if id == sectionCustom {
			continue
		}
		if int(id) >= len(order) || order[id] == 0 {
			return nil, fmt.Errorf("section %d is of an unknown kind", id)
		}
		if order[id] <= last {
			return nil, fmt.Errorf("section %d is out of order", id)
		}
		last = order[id]
		s := section{id, body}
		if err := s.check(); err != nil {
			return nil, err
		}
		sections = append(sections, s)
	}
	return sections, nil
}

// metered is a module being rewritten.
type metered struct {
	sections  []section
	types     uint32 // of the module itself
	functions uint32 // including imported ones
	globals   uint32 // likewise
	defined   uint32 // the module's own functions
	cost      int    // of compiling the functions so far; see costMax
}

func (m *metered) find(id byte) *reader {
	for _, s := range m.sections {
		if s.id == id {
			return &reader{bytes: s.body}
		}
	}
	return &reader{bytes: []byte{0}}
}

// count finds the indices of what will be added.
func (m *metered) count() error {
	types, functions, globals := m.find(sectionType), m.find(sectionFunction), m.find(sectionGlobal)
	m.types, m.defined, m.globals = types.u32(), functions.u32(), globals.u32()
	imports := m.find(sectionImport)
	for range imports.u32() {
		imports.name()
		imports.name()
		switch kind := imports.byte(); kind {
		case 0:
			imports.u32()
			m.functions++
		case 1:
			imports.byte()
			imports.limits()
		case 2:
			imports.limits()
		case 3:
			imports.byte()
			imports.byte()
			m.globals++
		default:
			return fmt.Errorf("an import of unknown kind %d", kind)
		}
		if imports.err != nil {
			break
		}
	}
	m.functions += m.defined
	return errors.Join(types.err, functions.err, globals.err, imports.err)
}

// rewrite writes the module with the additions.
func (m *metered) rewrite() ([]byte, error) {
	out := []byte(header)
	added := map[byte][]byte{
		// (i32) -> (i32)
		sectionType:     {0x60, 1, 0x7f, 1, 0x7f},
		sectionFunction: leb(nil, m.types),
		// a mutable i64 that is 0
		sectionGlobal: {0x7e, 1, 0x42, 0, 0x0b},
		sectionExport: append(append(leb(nil, uint32(len(Global))), Global...), leb([]byte{3}, m.globals)...),
		sectionCode:   m.charge(),
	}
	done := map[byte]bool{}
	emit := func(id byte, body []byte) {
		out = append(out, id)
		out = leb(out, uint32(len(body)))
		out = append(out, body...)
		done[id] = true
	}
	// before writes the sections due before a place that the module lacks.
	before := func(place int) {
		for _, id := range []byte{sectionType, sectionFunction, sectionGlobal, sectionExport, sectionCode} {
			if order[id] < place && !done[id] {
				emit(id, append([]byte{1}, added[id]...))
			}
		}
	}
	for _, s := range m.sections {
		before(order[s.id])
		body := s.body
		var err error
		switch s.id {
		case sectionTable:
			body, err = boundTables(body)
		case sectionCode:
			body, err = m.code(body)
		}
		if err != nil {
			return nil, err
		}
		if more := added[s.id]; more != nil {
			r := &reader{bytes: body}
			n := r.u32()
			if r.err != nil {
				return nil, r.err
			}
			body = append(append(leb(nil, n+1), r.bytes...), more...)
		}
		emit(s.id, body)
	}
	before(len(order) + 1)
	return out, nil
}

// charge returns the function that takes the steps of a bulk operation. It gets the
// operation's length, and returns it.
func (m *metered) charge() []byte {
	g := leb(nil, m.globals)
	b := []byte{0} // locals
	b = append(append(b, 0x23), g...)
	b = append(b, 0x20, 0, 0xad, 0x42, 4, 0x88, 0x7d) // length as i64, >> 4, subtracted
	b = append(append(b, 0x24), g...)
	b = m.step(b)
	b = append(b, 0x20, 0, 0x0b)
	return append(leb(nil, uint32(len(b))), b...)
}

// step appends the code that takes one step.
func (m *metered) step(b []byte) []byte {
	b = leb(append(b, 0x23), m.globals)      // global.get
	b = append(b, 0x42, 1, 0x7d)             // i64.const 1, i64.sub
	b = leb(append(b, 0x24), m.globals)      // global.set
	b = leb(append(b, 0x23), m.globals)      // global.get
	b = append(b, 0x42, 0, 0x53)             // i64.const 0, i64.lt_s
	return append(b, 0x04, 0x40, 0x00, 0x0b) // if, unreachable, end
}

// boundTables gives every table a maximum size.
func boundTables(body []byte) ([]byte, error) {
	r := &reader{bytes: body}
	n := r.u32()
	out := leb(nil, n)
	for range n {
		kind, flags, least := r.byte(), r.byte(), r.u32()
		most := uint32(TableMax)
		if flags&1 != 0 {
			most = min(most, r.u32())
		}
		switch {
		case r.err != nil:
			return nil, r.err
		case flags > 1:
			return nil, fmt.Errorf("a table with unknown flags %#x", flags)
		case least > TableMax:
			return nil, fmt.Errorf("a table of %d entries: at most %d", least, TableMax)
		}
		out = leb(leb(append(out, kind, 1), least), most)
	}
	return out, r.err
}

// code rewrites the bodies of all functions.
func (m *metered) code(section []byte) ([]byte, error) {
	r := &reader{bytes: section}
	n := r.u32()
	out := leb(make([]byte, 0, len(section)*5/4), n)
	var body []byte
	for i := range n {
		f := &reader{bytes: r.take(int(r.u32()))}
		if r.err != nil {
			return nil, r.err
		}
		var err error
		if body, err = m.function(body[:0], f); err != nil {
			return nil, fmt.Errorf("function %d: %w", i, err)
		}
		out = append(leb(out, uint32(len(body))), body...)
	}
	return out, nil
}

// function appends a function's body with its steps.
func (m *metered) function(out []byte, r *reader) ([]byte, error) {
	start := r.bytes
	locals := uint64(0)
	for range r.u32() {
		locals += uint64(r.u32())
		r.byte()
		if r.err != nil {
			return nil, r.err
		}
	}
	if locals > localsMax {
		return nil, fmt.Errorf("%d local variables: at most %d", locals, localsMax)
	}
	out = append(out, start[:len(start)-len(r.bytes)]...)
	out = m.step(out)
	depth, branches := 0, 0
	for len(r.bytes) > 0 && r.err == nil {
		start = r.bytes
		op := r.instruction()
		if r.err != nil {
			return nil, r.err
		}
		if depth += op.nest; depth > nestMax {
			return nil, fmt.Errorf("blocks are nested more than %d deep", nestMax)
		}
		branches += op.cost
		if op.bulk {
			out = leb(append(out, 0x10), m.functions) // call charge
		}
		out = append(out, start[:len(start)-len(r.bytes)]...)
		if op.loop {
			out = m.step(out)
		}
	}
	if m.cost += branches * branches; m.cost > costMax {
		return nil, fmt.Errorf("%d blocks and branches, which take too long to compile: make it several functions", branches)
	}
	return out, r.err
}

// leb appends an unsigned number.
func leb(b []byte, n uint32) []byte {
	for n >= 0x80 {
		b = append(b, byte(n)|0x80)
		n >>= 7
	}
	return append(b, byte(n))
}
