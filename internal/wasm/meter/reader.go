package meter

import "fmt"

// reader reads values from bytes. After an error all values are zero.
type reader struct {
	bytes []byte
	err   error
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
	r.bytes = nil
}

func (r *reader) byte() byte {
	if len(r.bytes) == 0 {
		r.fail(ErrTruncated)
		return 0
	}
	b := r.bytes[0]
	r.bytes = r.bytes[1:]
	return b
}

func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.bytes) {
		r.fail(ErrTruncated)
		return nil
	}
	b := r.bytes[:n:n]
	r.bytes = r.bytes[n:]
	return b
}

func (r *reader) u32() uint32 {
	var n uint64
	for shift := 0; shift < 35; shift += 7 {
		b := r.byte()
		n |= uint64(b&0x7f) << shift
		if b < 0x80 {
			if n > 1<<32-1 {
				break
			}
			return uint32(n)
		}
	}
	r.fail(fmt.Errorf("a number is out of range"))
	return 0
}

// skip skips a number of at most bytesMax bytes.
func (r *reader) skip(bytesMax int) {
	for range bytesMax {
		if r.byte() < 0x80 {
			return
		}
	}
	r.fail(fmt.Errorf("a number is out of range"))
}

func (r *reader) name() { r.take(int(r.u32())) }

func (r *reader) limits() {
	flags := r.byte()
	r.u32()
	if flags&1 != 0 {
		r.u32()
	}
}

// operation is what the meter needs to know of an instruction.
type operation struct {
	nest int  // blocks that it opens, or closes if negative
	cost int  // what it adds to the branches of a function, as costMax counts them
	loop bool // its body begins after it
	bulk bool // the length it works on is on top of the stack
}

// instruction skips an instruction.
func (r *reader) instruction() (op operation) {
	switch code := r.byte(); {
	case code == 0x02, code == 0x04: // block, if
		r.skip(5)
		op.nest, op.cost = 1, 1
	case code == 0x03:
		r.skip(5)
		op.nest, op.cost, op.loop = 1, 5, true
	case code == 0x0b:
		op.nest = -1
	case code == 0x0c, code == 0x0d: // br, br_if
		r.u32()
		op.cost = 1
	case code == 0x10, // call
		code >= 0x20 && code <= 0x26, // locals, globals, tables
		code == 0xd2:                 // ref.func
		r.u32()
	case code == 0x0e:
		n := r.count()
		for range n {
			r.u32()
			if r.err != nil {
				return op
			}
		}
		r.u32()
		op.cost = 1 + n/8
	case code == 0x11: // call_indirect
		r.u32()
		r.u32()
	case code == 0x1c: // select with types
		r.take(r.count())
	case code >= 0x28 && code <= 0x3e: // loads and stores
		r.memory()
	case code == 0x3f, code == 0x40, code == 0xd0: // memory.size, memory.grow, ref.null
		r.byte()
	case code == 0x41:
		r.skip(5)
	case code == 0x42:
		r.skip(10)
	case code == 0x43:
		r.take(4)
	case code == 0x44:
		r.take(8)
	case code == 0xfc:
		op.bulk = r.miscellaneous()
	case code == 0xfd:
		r.vector()
	case code <= 0x01, code == 0x05, code == 0x0f, code == 0x1a, code == 0x1b,
		code >= 0x45 && code <= 0xc4, code == 0xd1:
	default:
		r.fail(fmt.Errorf("unknown instruction %#x", code))
	}
	return op
}

// memory passes over an alignment and an offset.
func (r *reader) memory() {
	r.u32()
	r.skip(10)
}

// miscellaneous skips an instruction with prefix 0xfc, and reports whether it is a
// bulk operation.
func (r *reader) miscellaneous() bool {
	switch code := r.u32(); code {
	case 0, 1, 2, 3, 4, 5, 6, 7: // conversions
	case 8, 10, 12, 14: // memory.init, memory.copy, table.init, table.copy
		r.u32()
		r.u32()
		return true
	case 11: // memory.fill
		r.u32()
		return true
	case 15, 17: // table.grow, table.fill
		r.u32()
		return true
	case 9, 13, 16: // data.drop, elem.drop, table.size
		r.u32()
	default:
		r.fail(fmt.Errorf("unknown instruction 0xfc %d", code))
	}
	return false
}

// vector skips an instruction with prefix 0xfd.
func (r *reader) vector() {
	switch code := r.u32(); {
	case code <= 11, code == 92, code == 93:
		r.memory()
	case code == 12, code == 13:
		r.take(16)
	case code >= 21 && code <= 34:
		r.byte()
	case code >= 84 && code <= 91:
		r.memory()
		r.byte()
	case code > 255:
		r.fail(fmt.Errorf("unknown instruction 0xfd %d", code))
	}
}
