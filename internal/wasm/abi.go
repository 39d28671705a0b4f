package wasm

import (
	"errors"
	"fmt"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// Version is the version of the ABI.
const Version = 1

// Bounds of a module's input and output.
const (
	ModuleBytesMax = 16 << 20
	TextBytesMax   = 1 << 20
	startsMax      = 1 << 16
	nameBytesMax   = 256
	logBytesMax    = 1 << 10
	faultBytesMax  = 512
)

// The batch of a call.
const (
	batchStates = 512
	batchEdges  = 4096 // or as many as there are moves, if that is more
)

// The functions that a module exports. The values index instance.functions.
type function int

const (
	fnVersion function = iota
	fnAlloc
	fnOpen
	fnInfo
	fnError
	fnStarts
	fnValid
	fnSuccessors
	fnApply
	fnUndo
	fnGoals
	fnFormat
	fnParse
	fnMoveName
	fnDraw
	fnOnward
	fnPredecessors
	functionsLen
)

const (
	i32 = api.ValueTypeI32
	i64 = api.ValueTypeI64
)

type signature struct {
	name     string
	params   int // all of them i32
	result   byte
	optional bool
}

// signatures is the ABI. A result of 0 means none.
var signatures = [functionsLen]signature{
	fnVersion:      {"es_abi_version", 0, i32, false},
	fnAlloc:        {"es_alloc", 1, i32, false},
	fnOpen:         {"es_open", 4, i32, false},
	fnInfo:         {"es_info", 0, i32, false},
	fnError:        {"es_error", 0, i32, false},
	fnStarts:       {"es_starts", 2, i32, false},
	fnValid:        {"es_valid", 1, i32, false},
	fnSuccessors:   {"es_successors", 5, i64, false},
	fnApply:        {"es_apply", 3, i32, false},
	fnUndo:         {"es_undo", 3, i32, false},
	fnGoals:        {"es_goals", 3, 0, false},
	fnFormat:       {"es_format", 1, i64, false},
	fnParse:        {"es_parse", 3, i32, false},
	fnMoveName:     {"es_move_name", 1, i64, false},
	fnDraw:         {"es_draw", 1, i64, true},
	fnOnward:       {"es_onward", 6, i64, true},
	fnPredecessors: {"es_predecessors", 5, i64, true},
}

// wasi is the only module that may be imported from.
const wasi = "wasi_snapshot_preview1"

// checkShape reports how a module deviates from the ABI.
func checkShape(m wazero.CompiledModule) error {
	var faults []error
	for _, f := range m.ImportedFunctions() {
		if from, name, _ := f.Import(); from != wasi {
			faults = append(faults, fmt.Errorf("imports %.40q.%.40q: a module may import only functions of %s", from, name, wasi))
		}
	}
	for _, f := range m.ImportedMemories() {
		from, name, _ := f.Import()
		faults = append(faults, fmt.Errorf("imports the memory %.40q.%.40q: a module must have its own", from, name))
	}
	if m.ExportedMemories()["memory"] == nil {
		faults = append(faults, errors.New(`does not export its memory as "memory"`))
	}
	exports := m.ExportedFunctions()
	for i := range signatures {
		s := &signatures[i]
		f := exports[s.name]
		switch {
		case f == nil && !s.optional:
			faults = append(faults, fmt.Errorf("does not export %s", s.name))
		case f != nil && !s.fits(f):
			faults = append(faults, fmt.Errorf("exports %s with the wrong parameters or results: must be %s", s.name, s))
		}
	}
	return errors.Join(faults...)
}

func (s signature) fits(f api.FunctionDefinition) bool {
	if len(f.ParamTypes()) != s.params {
		return false
	}
	for _, t := range f.ParamTypes() {
		if t != i32 {
			return false
		}
	}
	results := f.ResultTypes()
	if s.result == 0 {
		return len(results) == 0
	}
	return len(results) == 1 && results[0] == s.result
}

func (s signature) String() string {
	text := s.name + "("
	for i := range s.params {
		if i > 0 {
			text += ", "
		}
		text += "i32"
	}
	text += ")"
	if s.result != 0 {
		text += " -> " + api.ValueTypeName(s.result)
	}
	return text
}
