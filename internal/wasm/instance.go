package wasm

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/everystate/everystate/internal/wasm/meter"
	"github.com/everystate/everystate/puzzle"
)

// instance is a module with its own memory. One goroutine uses it at a time. A method
// that returns false has recorded the reason in fault; the instance is then unusable.
type instance struct {
	module    api.Module
	memory    api.Memory
	functions [functionsLen]api.Function
	steps     api.MutableGlobal
	stepsMax  int64
	log       logbook
	stack     [8]uint64
	fault     string

	words      int
	edgesMax   int
	states     uint32 // addresses of the buffers
	links      uint32
	keys       uint32
	moves      uint32
	marks      uint32
	text       uint32
	textBytes  int
	untilAudit int // states
	audits     int
	scratch    puzzle.Edges
}

func newInstance(ctx context.Context, runtime wazero.Runtime, compiled wazero.CompiledModule, stepsMax int64) (*instance, error) {
	in := &instance{stepsMax: stepsMax}
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions().WithStdout(&in.log).WithStderr(&in.log)
	module, err := runtime.InstantiateModule(ctx, compiled, config)
	if err != nil {
		return nil, fmt.Errorf("cannot be started: %s", oneLine(err.Error(), faultBytesMax))
	}
	in.module, in.memory = module, module.Memory()
	steps, ok := module.ExportedGlobal(meter.Global).(api.MutableGlobal)
	if !ok {
		return nil, errors.New("cannot be started: its steps are not counted")
	}
	in.steps = steps
	for i := range signatures {
		in.functions[i] = module.ExportedFunction(signatures[i].name)
	}
	if start := module.ExportedFunction("_initialize"); start != nil && !in.run("_initialize", start) {
		return in, nil
	}
	if v, ok := in.call(fnVersion); ok && v&math.MaxUint32 != Version {
		in.failf("es_abi_version is %d: this program knows %d", uint32(v), Version)
	}
	return in, nil
}

func (in *instance) failf(format string, args ...any) bool {
	if in.fault == "" {
		in.fault = fmt.Sprintf(format, args...)
	}
	return false
}

// call calls a function of the ABI.
func (in *instance) call(f function, args ...uint32) (uint64, bool) {
	if in.fault != "" {
		return 0, false
	}
	for i, a := range args {
		in.stack[i] = uint64(a)
	}
	ok := in.run(signatures[f].name, in.functions[f])
	return in.stack[0], ok
}

// run calls a function whose arguments are on the stack.
func (in *instance) run(name string, f api.Function) bool {
	in.steps.Set(uint64(in.stepsMax))
	in.log.text = in.log.text[:0]
	if err := f.CallWithStack(context.Background(), in.stack[:]); err != nil {
		return in.failf("%s %s", name, trapped(err, int64(in.steps.Get()), in.stepsMax, string(in.log.text)))
	}
	return true
}

// alloc allocates memory in the module.
func (in *instance) alloc(bytes int) uint32 {
	at, ok := in.call(fnAlloc, uint32(bytes))
	if ok && (uint32(at) == 0 || uint32(at)%8 != 0) {
		in.failf("es_alloc(%d) gives the address %d: must be a multiple of 8, and not 0", bytes, uint32(at))
	}
	in.at(fnAlloc, uint32(at), bytes)
	return uint32(at)
}

// at returns a part of the memory.
func (in *instance) at(f function, at uint32, bytes int) []byte {
	if in.fault != "" {
		return nil
	}
	view, ok := in.memory.Read(at, uint32(bytes))
	if !ok {
		in.failf("%s gives %d bytes at address %d, outside its memory of %d bytes", signatures[f].name, bytes, at, in.memory.Size())
	}
	return view
}

// open opens a board and allocates what calls need.
func (in *instance) open(text, metric string) (info, error) {
	var i info
	at := in.putText(text)
	metricAt := in.alloc(max(8, len(metric)))
	copy(in.at(fnAlloc, metricAt, len(metric)), metric)
	status, ok := in.call(fnOpen, at, uint32(len(text)), metricAt, uint32(len(metric)))
	if !ok {
		return i, nil
	}
	if uint32(status) != 0 {
		return i, in.inputError()
	}
	if i, ok = in.info(); ok {
		in.reserve(i.layout)
	}
	return i, nil
}

func (in *instance) reserve(l puzzle.Layout) {
	in.words = l.Words()
	in.edgesMax = max(batchEdges, l.Moves)
	in.states = in.alloc(batchStates * in.words * 8)
	in.links = in.alloc(batchStates * 2)
	in.marks = in.alloc(batchStates)
	in.keys = in.alloc(in.edgesMax * in.words * 8)
	in.moves = in.alloc(in.edgesMax * 2)
}

// putText writes a text to the memory.
func (in *instance) putText(text string) uint32 {
	if in.text == 0 || len(text) > in.textBytes {
		in.textBytes = max(1024, 2*len(text))
		in.text = in.alloc(in.textBytes)
	}
	copy(in.at(fnAlloc, in.text, len(text)), text)
	return in.text
}

// inputError reads why a text was rejected.
func (in *instance) inputError() error {
	at, ok := in.call(fnError)
	if !ok {
		return nil
	}
	record := in.at(fnError, uint32(at), 16)
	if record == nil {
		return nil
	}
	line, column := binary.LittleEndian.Uint32(record), binary.LittleEndian.Uint32(record[4:])
	text := in.at(fnError, binary.LittleEndian.Uint32(record[8:]), int(min(faultBytesMax, binary.LittleEndian.Uint32(record[12:]))))
	what := oneLine(string(text), faultBytesMax)
	if what == "" {
		what = "the puzzle module gives no reason"
	}
	const most = 1 << 30
	return &puzzle.InputError{Line: int(min(line, most)), Column: int(min(column, most)), What: what}
}

// info is what es_info returns.
type info struct {
	layout                   puzzle.Layout
	onward, backward         bool
	metric, text, note, name string
}

const (
	infoBytes = 16 + 4*8

	flagReversible  = 1
	flagGoal        = 2
	flagOnward      = 4
	flagBackward    = 8
	flagAlternating = 16
	flagsAll        = flagReversible | flagGoal | flagOnward | flagBackward | flagAlternating
)

func (in *instance) info() (i info, ok bool) {
	at, ok := in.call(fnInfo)
	record := in.at(fnInfo, uint32(at), infoBytes)
	if !ok || record == nil {
		return i, false
	}
	var n [infoBytes / 4]uint32
	for j := range n {
		n[j] = binary.LittleEndian.Uint32(record[4*j:])
	}
	switch {
	case n[0] < 1 || n[0] > 64*puzzle.WordsMax:
		return i, in.failf("es_info gives %d key bits: must be 1 to %d", n[0], 64*puzzle.WordsMax)
	case n[1] < 1 || n[1] > puzzle.MovesMax:
		return i, in.failf("es_info gives %d moves: must be 1 to %d", n[1], puzzle.MovesMax)
	case n[2] > flagsAll:
		return i, in.failf("es_info gives the flags %#x, some of which are unknown", n[2])
	case n[2]&flagOnward != 0 && (in.functions[fnOnward] == nil || n[2]&flagReversible == 0):
		return i, in.failf("es_info promises es_onward: the module must export it, and every move must be undone by a move")
	case n[2]&flagBackward != 0 && in.functions[fnPredecessors] == nil:
		return i, in.failf("es_info promises es_predecessors, which the module does not export")
	}
	i.onward, i.backward = n[2]&flagOnward != 0, n[2]&flagBackward != 0
	i.layout = puzzle.Layout{
		KeyBits: int(n[0]), Moves: int(n[1]),
		Reversible: n[2]&flagReversible != 0, Alternating: n[2]&flagAlternating != 0, HasGoal: n[2]&flagGoal != 0,
	}
	for j, s := range []struct {
		into     *string
		bytesMax int
	}{{&i.metric, nameBytesMax}, {&i.text, TextBytesMax}, {&i.note, nameBytesMax}, {&i.name, nameBytesMax}} {
		if bytes := n[5+2*j]; bytes > uint32(s.bytesMax) {
			return i, in.failf("es_info gives a text of %d bytes: at most %d", bytes, s.bytesMax)
		}
		text := in.at(fnInfo, n[4+2*j], int(n[5+2*j]))
		*s.into = string(text)
	}
	i.metric, i.note, i.name = oneLine(i.metric, nameBytesMax), oneLine(i.note, nameBytesMax), oneLine(i.name, nameBytesMax)
	return i, in.fault == ""
}

// packed reads a text that a result points to.
func (in *instance) packed(f function, arg uint32) (string, bool) {
	v, ok := in.call(f, arg)
	if ok && v&math.MaxUint32 > TextBytesMax {
		in.failf("%s gives a text of %d bytes: at most %d", signatures[f].name, uint32(v), TextBytesMax)
	}
	text := in.at(f, uint32(v>>32), int(uint32(v)))
	return string(text), in.fault == ""
}

// putStates writes states to the memory.
func (in *instance) putStates(states []uint64) {
	view := in.at(fnAlloc, in.states, len(states)*8)
	if in.fault != "" {
		return
	}
	for i, w := range states {
		binary.LittleEndian.PutUint64(view[8*i:], w)
	}
}

func (in *instance) putLinks(links []puzzle.Move) {
	view := in.at(fnAlloc, in.links, len(links)*2)
	if in.fault != "" {
		return
	}
	for i, m := range links {
		binary.LittleEndian.PutUint16(view[2*i:], uint16(m))
	}
}
