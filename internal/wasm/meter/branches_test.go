package meter_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/tetratelabs/wazero"

	"github.com/everystate/everystate/internal/wasm/meter"
)

// functions returns a module of functions without parameters, local variables and results.
func functions(bodies ...[]byte) []byte {
	size := func(b []byte) []byte { return append(binary.AppendUvarint(nil, uint64(len(b))), b...) }
	n := byte(len(bodies))
	m := []byte("\x00asm\x01\x00\x00\x00\x01\x04\x01\x60\x00\x00")
	m = slices.Concat(m, []byte{3}, size(append([]byte{n}, make([]byte, n)...)))
	code := []byte{n}
	for _, body := range bodies {
		code = append(code, size(slices.Concat([]byte{0}, body, []byte{0x0b}))...)
	}
	return slices.Concat(m, []byte{10}, size(code))
}

// TestBranches adds counters to functions of many branches, which the engine compiles in
// bounded time or never gets to see.
func TestBranches(t *testing.T) {
	t.Parallel()
	const block, loop, when, end = "\x02\x40", "\x03\x40", "\x41\x00\x04\x40", "\x0b"
	times := func(text string, n int) []byte { return bytes.Repeat([]byte(text), n) }
	nested := func(open string, n int) []byte { return append(times(open, n), times(end, n)...) }
	table := func(n int) []byte {
		return slices.Concat([]byte("\x41\x00\x0e"), binary.AppendUvarint(nil, uint64(n)), make([]byte, n+1))
	}
	r := wazero.NewRuntime(t.Context())
	for _, c := range []struct {
		name   string
		bodies [][]byte
		want   string // empty if it is compiled
	}{
		{"blocks", [][]byte{nested(block, 1000)}, ""},
		{"loops", [][]byte{nested(loop, 600)}, ""},
		{"conditions", [][]byte{nested(when, 1000), times(when+end, 1000)}, ""},
		{"table", [][]byte{table(10_000)}, ""},
		{"deep blocks", [][]byte{nested(block, 1001)}, "function 0: blocks are nested more than 1000 deep"},
		{"deep loops", [][]byte{nil, nested(loop, 500_000)}, "function 1: blocks are nested more than 1000 deep"},
		{"deep conditions", [][]byte{nested(when, 1001)}, "function 0: blocks are nested more than 1000 deep"},
		{"many loops", [][]byte{times(loop+end, 5000)}, "function 0: 25000 blocks and branches, which take too long to compile: make it several functions"},
		{"large table", [][]byte{table(1 << 20)}, "function 0: 131073 blocks and branches, which take too long to compile: make it several functions"},
		{"many functions", slices.Repeat([][]byte{times(when+end, 10_000)}, 9), "function 4: 10000 blocks and branches, which take too long to compile: make it several functions"},
	} {
		counted, err := meter.Add(functions(c.bodies...))
		if c.want != "" {
			if err == nil || err.Error() != c.want {
				t.Errorf("%s: got %v, want %s", c.name, err, c.want)
			}
			continue
		}
		if err == nil {
			_, err = r.CompileModule(t.Context(), counted)
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if err := r.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestEmptySections refuses sections without the number that they consist of.
func TestEmptySections(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{"\x08": "section 8: the module is truncated", "\x0c": "section 12: the module is truncated"} {
		if _, err := meter.Add([]byte("\x00asm\x01\x00\x00\x00" + id + "\x00")); !errors.Is(err, meter.ErrTruncated) || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
