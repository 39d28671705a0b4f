package paged

import "encoding/binary"

// A candidate is the place of a state in its page, in the low bits, and the move that leads
// there.
type candidate uint32

const (
	placeBits = 24
	placeMask = 1<<placeBits - 1
)

// noLink is greater than any move of a candidate.
const noLink = 1<<(32-placeBits) - 1

// poolChunk is how many candidates of a range are together in a pool.
const poolChunk = 64

// pool holds candidates by range, in a fixed amount of memory. It belongs to one worker.
type pool struct {
	slab  []candidate // chunks
	after []int32     // by chunk: the one that was filled before it for the same range, or -1
	head  []int32     // by range: the chunk being filled, or -1
	used  []uint8     // of it; poolChunk if there is none
	taken int         // chunks
}

const (
	poolChunkBytes = poolChunk*4 + 4
	poolPageBytes  = 5 // for each range, besides
)

func newPool(ranges int, bytes int64) *pool {
	chunks := max(1, bytes/poolChunkBytes)
	p := &pool{slab: make([]candidate, chunks*poolChunk), after: make([]int32, chunks), head: make([]int32, ranges), used: make([]uint8, ranges)}
	p.reset()
	return p
}

// reset drops all candidates.
func (p *pool) reset() {
	for i := range p.head {
		p.head[i], p.used[i] = -1, poolChunk
	}
	p.taken = 0
}

// add adds a candidate, and returns false if there is no room.
func (p *pool) add(at int, c candidate) bool {
	if p.used[at] == poolChunk && !p.grow(at) {
		return false
	}
	p.slab[int(p.head[at])*poolChunk+int(p.used[at])] = c
	p.used[at]++
	return true
}

// grow gives a range another chunk.
func (p *pool) grow(at int) bool {
	if p.taken == len(p.after) {
		return false
	}
	p.after[p.taken] = p.head[at]
	p.head[at], p.used[at] = int32(p.taken), 0
	p.taken++
	return true
}

// has reports whether a range has candidates.
func (p *pool) has(at int) bool { return p.head[at] >= 0 }

// each calls f with the candidates of a range, some at a time.
func (p *pool) each(at int, f func([]candidate)) {
	n := int(p.used[at])
	for c := p.head[at]; c >= 0; c = p.after[c] {
		f(p.slab[int(c)*poolChunk:][:n])
		n = poolChunk
	}
}

// append appends the candidates of a range to a buffer, as bytes.
func (p *pool) append(at int, b []byte) []byte {
	p.each(at, func(candidates []candidate) {
		for _, c := range candidates {
			b = binary.LittleEndian.AppendUint32(b, uint32(c))
		}
	})
	return b
}

// candidatesOf returns the candidates that append has appended, in a buffer.
func candidatesOf(b []byte, buf []candidate) []candidate {
	buf = buf[:0]
	for ; len(b) >= 4; b = b[4:] {
		buf = append(buf, candidate(binary.LittleEndian.Uint32(b)))
	}
	return buf
}

// generation returns where the candidates for a layer are.
func generation(depth uint32) int { return int(depth & 1) }
