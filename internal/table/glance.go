package table

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"sync"

	"github.com/everystate/everystate/puzzle"
)

// Glance looks up single states of a stored table of a reversible puzzle. It reads only the
// chunks of the table that hold them, and makes moves by the puzzle itself, so that it needs
// neither the rest of the table nor the tables of the moves. It is safe for concurrent use.
type Glance struct {
	puzzle  puzzle.Puzzle
	locator *puzzle.Locator
	file    io.ReaderAt
	first   uint32 // checksum of the header
	words   int    // of a block
	plane   int    // words of a plane

	mu     sync.Mutex // guards the fields below
	chunks map[int][]uint64
	// depths are those of states that were looked up or passed on the way to a start.
	depths map[uint64]int32
	err    error // the first one of the file
}

const (
	glanceChunksMax = 1 << 10 // 64 MiB
	glanceDepthsMax = 1 << 19 // some 20 MB; a path to a start may have 100,000 states and more
)

// Locator returns where states are.
func (s *Space) Locator() *puzzle.Locator {
	return &puzzle.Locator{Blocks: s.Ranks.Blocks, Size: s.Ranks.Size, Rank: s.Ranks.Rank}
}

// NewGlance looks at a stored table. Its stamp must be as expected but for the number of
// successors.
func NewGlance(p puzzle.Puzzle, l *puzzle.Locator, file io.ReaderAt, stamp Stamp) (*Glance, error) {
	header := make([]byte, headerBytes)
	if _, err := file.ReadAt(header, 0); err != nil {
		return nil, short(err)
	}
	stamp.Edges = int64(binary.LittleEndian.Uint64(header[32:]))
	if !bytes.Equal(header, headerOf(stamp, uint64(l.Blocks), uint64(l.Size))) {
		return nil, fmt.Errorf("%w: its header is not that of phase %d, depth %d of this run", ErrDamaged, stamp.Phase, stamp.Depth)
	}
	words := (l.Size + wordBits - 1) / wordBits
	return &Glance{
		puzzle: p, locator: l, file: file, first: crc32.Checksum(header, crc32.MakeTable(crc32.Castagnoli)),
		words: words, plane: words * l.Blocks,
		chunks: make(map[int][]uint64), depths: make(map[uint64]int32),
	}, nil
}

// LinkOf returns the least move that leads to a state from the layer before, 0 in layer 0,
// and its depth, -1 if it is unseen.
func (g *Glance) LinkOf(key uint64) (link puzzle.Move, depth int, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	link, _, _ = g.link(key)
	depth = g.depth(key)
	return link, depth, g.err
}

// depth returns the depth of a state, -1 if it is unseen. It remembers those of the states
// on the way to a start.
func (g *Glance) depth(key uint64) int {
	if g.at(key) == 0 {
		return -1
	}
	var passed []uint64
	var depth int32
	for {
		at, known := g.depths[key]
		if known {
			depth = at
			break
		}
		passed = append(passed, key)
		_, before, ok := g.link(key)
		if !ok {
			depth = -1 // so that the last one passed, a start, has depth 0
			break
		}
		key = before
	}
	return g.remember(passed, depth)
}

// remember keeps the depths of states on the way to one of a depth, the deepest first, and
// returns that of the first. What it knows already it forgets only to make room.
func (g *Glance) remember(passed []uint64, depth int32) int {
	if len(passed) > 0 && len(g.depths)+len(passed) > glanceDepthsMax {
		clear(g.depths)
	}
	for i := len(passed) - 1; i >= 0; i-- {
		depth++
		g.depths[passed[i]] = depth
	}
	return int(depth)
}

// link returns the least move that leads to a state from one with the code before, and that
// state; false if there is none.
func (g *Glance) link(key uint64) (move puzzle.Move, before uint64, ok bool) {
	c := g.at(key)
	if c == 0 {
		return 0, 0, false
	}
	var near, around puzzle.Edges
	g.puzzle.Successors([]uint64{key}, &near)
	for _, from := range near.Keys {
		if g.at(from) != c.before() {
			continue
		}
		around.Reset()
		g.puzzle.Successors([]uint64{from}, &around)
		for i, to := range around.Keys {
			if to != key {
				continue
			}
			if by := around.Moves[i]; !ok || by < move {
				move, before, ok = by, from, true
			}
			break
		}
	}
	return move, before, ok
}

// at returns the code of a state, 0 if it cannot be read.
func (g *Glance) at(key uint64) code {
	block, item, ok := g.locator.Rank(key)
	if !ok || g.err != nil {
		return 0
	}
	w, bit := block*g.words+int(item)/wordBits, item%wordBits
	return code(g.word(0, w)>>bit&1 | g.word(1, w)>>bit&1<<1)
}

// word returns a word of a plane, 0 if it cannot be read.
func (g *Glance) word(plane, w int) uint64 {
	chunks := (g.plane + chunkWords - 1) / chunkWords
	at := plane*chunks + w/chunkWords
	words, ok := g.chunks[at]
	if !ok {
		if len(g.chunks) >= glanceChunksMax {
			clear(g.chunks)
		}
		if words, g.err = g.chunk(plane, w/chunkWords); g.err != nil {
			return 0
		}
		g.chunks[at] = words
	}
	return words[w%chunkWords]
}

// chunk reads a chunk of a plane. Its checksum covers everything before it as well, of which
// the checksum of the chunk before stands for.
func (g *Glance) chunk(plane, i int) ([]uint64, error) {
	const wordBytes = wordBits / 8
	n := min(chunkWords, g.plane-i*chunkWords)
	before := plane*((g.plane+chunkWords-1)/chunkWords) + i // chunks
	offset := headerBytes + int64(plane*g.plane+i*chunkWords)*wordBytes + int64(before)*sumBytes
	body := make([]byte, sumBytes+n*wordBytes+sumBytes)
	if _, err := g.file.ReadAt(body, offset-sumBytes); err != nil {
		return nil, short(err)
	}
	sum := g.first
	if before > 0 {
		sum = binary.LittleEndian.Uint32(body)
	}
	data := body[sumBytes : sumBytes+n*wordBytes]
	if crc32.Update(sum, crc32.MakeTable(crc32.Castagnoli), data) != binary.LittleEndian.Uint32(body[len(body)-sumBytes:]) {
		return nil, fmt.Errorf("%w: a checksum is wrong", ErrDamaged)
	}
	words := make([]uint64, n)
	for k := range words {
		words[k] = binary.LittleEndian.Uint64(data[k*wordBytes:])
	}
	return words, nil
}
