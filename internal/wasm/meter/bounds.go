package meter

import "fmt"

// localsMax bounds the local variables of a function.
const localsMax = 50_000

// The engine compiles a function in time that grows with the square of its branches and
// faster with loops in each other, and nothing interrupts it.
const (
	// nestMax bounds how deep the blocks of a function are nested. Go's compiler nests
	// them up to 600 deep.
	nestMax = 1000

	// costMax bounds the sum, over all functions, of the square of a function's branches.
	// A block or branch counts as one, a loop as five, and a table of branches as one for
	// eight of its targets: by measurements of the engine. Modules of 12 MB that Go's
	// compiler makes come to 75 million.
	costMax = 400_000_000
)

// check walks through the sections that are not rewritten and ensures that no count
// exceeds the bytes that follow: the engine reserves memory by these counts before it
// reads on. All other faults are left to the engine.
func (s section) check() error {
	r := &reader{bytes: s.body}
	var entry func()
	switch s.id {
	case sectionType:
		entry = func() {
			r.byte()
			r.take(r.count())
			r.take(r.count())
		}
	case sectionImport:
		entry = func() {
			r.name()
			r.name()
			switch r.byte() {
			case 1:
				r.byte()
				r.limits()
			case 2:
				r.limits()
			case 3:
				r.take(2)
			default:
				r.u32()
			}
		}
	case sectionFunction:
		entry = func() { r.u32() }
	case sectionTable:
		entry = func() {
			r.byte()
			r.limits()
		}
	case sectionMemory:
		entry = r.limits
	case sectionGlobal:
		entry = func() {
			r.take(2)
			r.expression()
		}
	case sectionExport:
		entry = func() {
			r.name()
			r.byte()
			r.u32()
		}
	case sectionElement:
		entry = r.elements
	case sectionCode:
		entry = func() { r.name() }
	case sectionData:
		entry = r.data
	default:
		// One number. If it is missing, the engine takes it from the next section.
		if r.u32(); r.err != nil {
			return fmt.Errorf("section %d: %w", s.id, r.err)
		}
		return nil
	}
	for range r.count() {
		entry()
		if r.err != nil {
			break
		}
	}
	if r.err == nil && len(r.bytes) > 0 {
		r.err = fmt.Errorf("%d bytes are left over", len(r.bytes))
	}
	if r.err != nil {
		return fmt.Errorf("section %d: %w", s.id, r.err)
	}
	return nil
}

// count reads the number of entries that follow, each of at least one byte.
func (r *reader) count() int {
	n := r.u32()
	if int64(n) > int64(len(r.bytes)) {
		r.fail(ErrTruncated)
		return 0
	}
	return int(n)
}

// expression skips a constant expression.
func (r *reader) expression() {
	for r.err == nil {
		if len(r.bytes) > 0 && r.bytes[0] == 0x0b {
			r.byte()
			return
		}
		r.instruction()
	}
}

// elements skips an element segment.
func (r *reader) elements() {
	flags := r.u32()
	if flags > 7 {
		r.fail(fmt.Errorf("elements with unknown flags %#x", flags))
	}
	if flags&1 == 0 {
		if flags&2 != 0 {
			r.u32()
		}
		r.expression()
	}
	if flags&3 != 0 {
		r.byte()
	}
	for range r.count() {
		if flags&4 != 0 {
			r.expression()
		} else {
			r.u32()
		}
		if r.err != nil {
			return
		}
	}
}

// data skips a data segment.
func (r *reader) data() {
	flags := r.u32()
	if flags > 2 {
		r.fail(fmt.Errorf("data with unknown flags %#x", flags))
	}
	if flags == 2 {
		r.u32()
	}
	if flags != 1 {
		r.expression()
	}
	r.name()
}
