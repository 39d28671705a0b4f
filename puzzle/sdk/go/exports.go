//go:build wasip1

package sdk

import (
	"errors"
	"slices"
	"unsafe"

	"github.com/everystate/everystate/puzzle"
)

// module is the state of the exports. The host makes one call at a time.
var module struct {
	memory [][]uint64 // reserved by the host
	board  puzzle.Board
	layout puzzle.Layout
	words  int
	edges  puzzle.Edges
	marks  []bool
	text   string // handed out last
	fault  puzzle.InputError
	record [12]uint32
}

func address(p unsafe.Pointer) uint32 { return uint32(uintptr(p)) }

func pointer(at uint32) unsafe.Pointer { return unsafe.Pointer(uintptr(at)) }

func bytesAt(at, n uint32) []byte { return unsafe.Slice((*byte)(pointer(at)), n) }

func keysAt(at, n uint32) []uint64 {
	return unsafe.Slice((*uint64)(pointer(at)), int(n)*module.words)
}

func movesAt(at, n uint32) []puzzle.Move { return unsafe.Slice((*puzzle.Move)(pointer(at)), n) }

// handOut keeps a text alive and packs its address and length.
func handOut(text string) uint64 {
	module.text = text
	return uint64(address(unsafe.Pointer(unsafe.StringData(text))))<<32 | uint64(len(text))
}

func refuse(err error) uint32 {
	module.fault = puzzle.InputError{What: err.Error()}
	var input *puzzle.InputError
	if errors.As(err, &input) {
		module.fault = *input
	}
	return 1
}

func flag(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

//go:wasmexport es_abi_version
func abiVersion() uint32 { return 1 }

//go:wasmexport es_alloc
func alloc(bytes uint32) uint32 {
	block := make([]uint64, bytes/8+1)
	module.memory = append(module.memory, block)
	return address(unsafe.Pointer(&block[0]))
}

//go:wasmexport es_open
func open(text, textBytes, metric, metricBytes uint32) uint32 {
	boards, err := read(append([]byte(nil), bytesAt(text, textBytes)...), puzzle.ReadOptions{Metric: string(bytesAt(metric, metricBytes))})
	if err != nil {
		return refuse(err)
	}
	if len(boards) != 1 {
		return refuse(errors.New("the text has several boards: a module takes one"))
	}
	module.board = boards[0]
	module.layout = module.board.Puzzle.Layout()
	module.words = module.layout.Words()
	return 0
}

//go:wasmexport es_info
func info() uint32 {
	b, l := &module.board, module.layout
	_, onward := b.Puzzle.(puzzle.Onward)
	onward = onward && l.Reversible // modules leave out the inverse move only
	_, backward := b.Puzzle.(puzzle.Backward)
	flags := flag(l.Reversible) | flag(l.HasGoal)<<1 | flag(onward)<<2 | flag(backward)<<3 | flag(l.Alternating)<<4
	module.record = [12]uint32{uint32(l.KeyBits), uint32(l.Moves), flags}
	for i, text := range []string{b.Metric, b.Text, b.Note, b.Name} {
		module.record[4+2*i] = address(unsafe.Pointer(unsafe.StringData(text)))
		module.record[5+2*i] = uint32(len(text))
	}
	return address(unsafe.Pointer(&module.record))
}

//go:wasmexport es_error
func fault() uint32 {
	f := &module.fault
	module.record = [12]uint32{uint32(f.Line), uint32(f.Column), address(unsafe.Pointer(unsafe.StringData(f.What))), uint32(len(f.What))}
	return address(unsafe.Pointer(&module.record))
}

//go:wasmexport es_starts
func starts(out, capacity uint32) uint32 {
	keys := module.board.Puzzle.Starts()
	n := uint32(len(keys) / module.words)
	if n <= capacity {
		copy(keysAt(out, n), keys)
	}
	return n
}

//go:wasmexport es_valid
func valid(key uint32) uint32 { return flag(module.board.Puzzle.Valid(keysAt(key, 1))) }

// expand expands as many states as there is room for.
func expand(n, keys, moves, capacity uint32, f func(n uint32, out *puzzle.Edges)) uint64 {
	for {
		out := puzzle.Edges{Keys: keysAt(keys, capacity)[:0], Moves: movesAt(moves, capacity)[:0]}
		room := unsafe.SliceData(out.Keys)
		f(n, &out)
		edges := uint32(len(out.Moves))
		if edges > capacity {
			n = (n + 1) / 2
			continue
		}
		if unsafe.SliceData(out.Keys) != room {
			copy(keysAt(keys, edges), out.Keys)
		}
		if unsafe.SliceData(out.Moves) != unsafe.SliceData(movesAt(moves, 1)) {
			copy(movesAt(moves, edges), out.Moves)
		}
		return uint64(n)<<32 | uint64(edges)
	}
}

//go:wasmexport es_successors
func successors(states, n, keys, moves, capacity uint32) uint64 {
	return expand(n, keys, moves, capacity, func(n uint32, out *puzzle.Edges) {
		module.board.Puzzle.Successors(keysAt(states, n), out)
	})
}

//go:wasmexport es_apply
func apply(dst, state, move uint32) uint32 {
	return flag(module.board.Puzzle.Apply(keysAt(dst, 1), keysAt(state, 1), puzzle.Move(move)))
}

//go:wasmexport es_undo
func undo(dst, state, move uint32) uint32 {
	return flag(module.board.Puzzle.Undo(keysAt(dst, 1), keysAt(state, 1), puzzle.Move(move)))
}

//go:wasmexport es_goals
func goals(states, n, marks uint32) {
	module.board.Puzzle.Goals(keysAt(states, n), unsafe.Slice((*bool)(pointer(marks)), n))
}

//go:wasmexport es_format
func format(state uint32) uint64 { return handOut(module.board.Puzzle.Format(keysAt(state, 1))) }

//go:wasmexport es_draw
func draw(state uint32) uint64 { return handOut(module.board.Puzzle.Draw(keysAt(state, 1))) }

//go:wasmexport es_parse
func parse(text, textBytes, dst uint32) uint32 {
	key, err := module.board.Puzzle.Parse(string(bytesAt(text, textBytes)))
	if err != nil {
		return refuse(err)
	}
	copy(keysAt(dst, 1), key)
	return 0
}

//go:wasmexport es_move_name
func moveName(move uint32) uint64 { return handOut(module.board.Puzzle.FormatMove(puzzle.Move(move))) }

// onward leaves out only the inverse of the link, as the interface of modules
// requires, whatever else the puzzle would prune.
//
//go:wasmexport es_onward
func onward(states, links, n, keys, moves, capacity uint32) uint64 {
	p, words := module.board.Puzzle, module.words
	before := make([]uint64, words)
	return expand(n, keys, moves, capacity, func(n uint32, out *puzzle.Edges) {
		for i, link := range movesAt(links, n) {
			state := keysAt(states, n)[i*words : (i+1)*words]
			at := len(out.Moves)
			p.Successors(state, out)
			for p.Undo(before, state, link); at < len(out.Moves); at++ {
				if slices.Equal(out.Keys[at*words:(at+1)*words], before) {
					out.Keys = append(out.Keys[:at*words], out.Keys[(at+1)*words:]...)
					out.Moves = append(out.Moves[:at], out.Moves[at+1:]...)
					break
				}
			}
		}
	})
}

//go:wasmexport es_predecessors
func predecessors(states, n, keys, moves, capacity uint32) uint64 {
	p, ok := module.board.Puzzle.(puzzle.Backward)
	if !ok {
		return 0
	}
	return expand(n, keys, moves, capacity, func(n uint32, out *puzzle.Edges) {
		p.Predecessors(keysAt(states, n), out)
	})
}
