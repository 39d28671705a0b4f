package stored

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"slices"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/table"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/store"
)

// The records of the last layers of a phase are kept beside its table. The deepest and
// the hardest states are asked for most, and regenerating their layers takes as long as
// the search.

// lastSuffix is the extension of the files with the last layers.
const lastSuffix = ".last"

// lastStates is how many states the last layers have at most, together.
const lastStates = 1 << 16

const (
	lastMagic  = "EVLAST01"
	lastHeader = 40
)

// lastLayers are consecutive layers, of which the last one is the phase's.
type lastLayers struct {
	phase  history.Phase
	layers []madeLayer
	// keys and links are those of all layers, lastStates at most.
	keys  []uint64
	links []puzzle.Move
}

// madeLayer is a layer as it was made: its records are sorted if they are written.
type madeLayer struct {
	history.Layer
	keys  []uint64
	links []puzzle.Move
}

// each lists the layer.
func (l *madeLayer) each(f func(keys []uint64, link func(i int) puzzle.Move)) error {
	f(l.keys, func(i int) puzzle.Move { return l.links[i] })
	return nil
}

// add remembers the layer that a search of a phase has just made, if it is small.
func (l *lastLayers) add(search table.Search, p history.Phase, made table.Layer) error {
	if n := len(l.layers); l.phase != p || made.States > lastStates || n > 0 && l.layers[n-1].Depth+1 != made.Depth {
		l.phase = p
		l.forget(len(l.layers))
	}
	if made.States == 0 || made.States > lastStates {
		return nil
	}
	if l.keys == nil {
		l.keys, l.links = make([]uint64, 0, lastStates), make([]puzzle.Move, 0, lastStates)
	}
	left, n := len(l.keys), 0
	for ; left+int(made.States) > lastStates; n++ {
		left -= len(l.layers[n].keys)
	}
	l.forget(n)
	err := search.Each(func(keys []uint64, link func(i int) puzzle.Move) {
		l.keys = append(l.keys, keys...)
		for i := range keys {
			l.links = append(l.links, link(i))
		}
	})
	if err != nil {
		l.forget(len(l.layers))
		return err
	}
	l.layers = append(l.layers, madeLayer{
		history.Layer{Phase: p, Depth: made.Depth, PartStates: made.PartStates}, l.keys[left:], l.links[left:],
	})
	return nil
}

// forget forgets the first n layers.
func (l *lastLayers) forget(n int) {
	first := 0
	for i := range l.layers[:n] {
		first += len(l.layers[i].keys)
	}
	if n == len(l.layers) {
		first = len(l.keys)
	}
	l.keys, l.links = slices.Delete(l.keys, 0, first), slices.Delete(l.links, 0, first)
	l.layers = slices.Delete(l.layers, 0, n)
	at := 0
	for i := range l.layers {
		end := at + len(l.layers[i].keys)
		l.layers[i].keys, l.layers[i].links = l.keys[at:end], l.links[at:end]
		at = end
	}
}

// upTo returns the last layers up to a depth that are remembered.
func (l *lastLayers) upTo(p history.Phase, depth uint32) []madeLayer {
	if l.phase != p {
		return nil
	}
	layers := l.layers
	for len(layers) > 0 && layers[len(layers)-1].Depth > depth {
		layers = layers[:len(layers)-1]
	}
	if len(layers) == 0 || layers[len(layers)-1].Depth != depth {
		return nil
	}
	return layers
}

// lastPath returns the path of the last layers of the table that ends at a depth.
func (t *Tables) lastPath(p history.Phase, depth uint32) string {
	return t.path(p, depth) + lastSuffix
}

// writeLast writes the last layers up to a depth, if they are known.
func (t *Tables) writeLast(last *lastLayers, p history.Phase, depth uint32) error {
	layers := last.upTo(p, depth)
	if layers == nil {
		return nil
	}
	b := slices.Grow(t.lastHead(p, depth, len(layers)), 8*len(last.keys)+4)
	for i := range layers {
		sorted, err := t.sort(layers[i].each, layers[i].Layer, 0)
		if err != nil {
			return err
		}
		for _, rec := range sorted.recs {
			b = binary.LittleEndian.AppendUint64(b, rec)
		}
	}
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
	if err := store.ReplaceFile(t.fs, t.lastPath(p, depth), b); err != nil {
		return fmt.Errorf("write the last layers: %w", err)
	}
	return nil
}

// lastHead returns the header of the last layers, of which there are n.
func (t *Tables) lastHead(p history.Phase, depth uint32, n int) []byte {
	id := t.history.Identity()
	b := append(make([]byte, 0, lastHeader), lastMagic...)
	b = append(b, id[:]...)
	b = binary.LittleEndian.AppendUint32(b, uint32(p))
	b = binary.LittleEndian.AppendUint32(b, depth)
	return binary.LittleEndian.AppendUint64(b, uint64(n))
}

// readLast reads the last layers of a phase: none if they were not kept, a
// *store.CorruptionError if they are damaged.
func (t *Tables) readLast(p history.Phase) ([]*sorted, error) {
	if t.given != nil {
		return nil, nil
	}
	committed := t.history.Layers(p)
	depth := committed[len(committed)-1].Depth
	path := t.lastPath(p, depth)
	f, err := t.fs.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the last layers: %w", err)
	}
	const most = lastHeader + 8*lastStates + 4
	info, err := f.Stat()
	var body []byte
	if err == nil {
		body = make([]byte, min(info.Size(), most+1))
		_, err = io.ReadFull(f, body)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("read the last layers: %w", err)
	}
	damage := func(what string) ([]*sorted, error) { return nil, &store.CorruptionError{Where: path, What: what} }
	end := len(body) - 4
	switch {
	case end < lastHeader || end > most-4:
		return damage(fmt.Sprintf("has %d bytes", len(body)))
	case crc32.Checksum(body[:end], crc32.MakeTable(crc32.Castagnoli)) != binary.LittleEndian.Uint32(body[end:]):
		return damage("has a wrong checksum")
	}
	n := binary.LittleEndian.Uint64(body[lastHeader-8:])
	if n > math.MaxInt32 || int(n) > len(committed) || !bytes.Equal(body[:lastHeader], t.lastHead(p, depth, int(n))) {
		return damage("is not of this run and layer")
	}
	var layers []*sorted
	rest := body[lastHeader:end]
	for _, layer := range committed[len(committed)-int(n):] {
		s := newSorted(layer)
		if len(rest) < 8*s.starts[len(s.starts)-1] {
			return damage("is too short")
		}
		s.recs = make([]uint64, s.starts[len(s.starts)-1])
		for i := range s.recs {
			s.recs[i] = binary.LittleEndian.Uint64(rest[8*i:])
		}
		rest = rest[8*len(s.recs):]
		layers = append(layers, s)
	}
	if len(rest) > 0 {
		return damage("is too long")
	}
	return layers, nil
}

// newSorted returns a layer without its records.
func newSorted(layer history.Layer) *sorted {
	s := &sorted{phase: layer.Phase, depth: layer.Depth, starts: make([]int, 1, len(layer.PartStates)+1)}
	for _, states := range layer.PartStates {
		s.end++
		s.starts = append(s.starts, s.starts[len(s.starts)-1]+int(states))
	}
	return s
}

// fromLast returns a layer that is among the last ones of its phase, or nil. Where they
// are damaged they are as good as not kept: the table has everything. The caller holds
// t.mu.
func (t *Tables) fromLast(layer history.Layer) *sorted {
	if t.lastRead[layer.Phase] == nil {
		layers, err := t.readLast(layer.Phase)
		if err != nil || layers == nil {
			layers = []*sorted{}
		}
		t.lastRead[layer.Phase] = layers
	}
	i := slices.IndexFunc(t.lastRead[layer.Phase], func(s *sorted) bool { return s.depth == layer.Depth })
	if i < 0 {
		return nil
	}
	return t.lastRead[layer.Phase][i]
}

// verifyLast compares a layer with what is kept of it among the last ones.
func verifyLast(kept []*sorted, layer history.Layer, collect func() (*sorted, error)) error {
	i := slices.IndexFunc(kept, func(s *sorted) bool { return s.depth == layer.Depth })
	if i < 0 {
		return nil
	}
	made, err := collect()
	if err != nil || slices.Equal(kept[i].recs, made.recs) {
		return err
	}
	return faultIn(layer, "the records kept of the last layers are others")
}
