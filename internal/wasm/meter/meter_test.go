package meter_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/tetratelabs/wazero"

	"github.com/everystate/everystate/internal/wasm/meter"
)

// modules returns those of the tests of package wasm.
func modules(tb testing.TB) map[string][]byte {
	tb.Helper()
	paths, err := filepath.Glob("../testdata/*.wasm")
	if err != nil || len(paths) == 0 {
		tb.Fatalf("no modules: %v", err)
	}
	all := make(map[string][]byte)
	for _, p := range paths {
		if all[filepath.Base(p)], err = os.ReadFile(p); err != nil {
			tb.Fatal(err)
		}
	}
	return all
}

// TestAdd checks that what is made is a module with a counter, always the same.
func TestAdd(t *testing.T) {
	t.Parallel()
	r := wazero.NewRuntime(t.Context())
	for name, module := range modules(t) {
		counted, err := meter.Add(module)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		again, err := meter.Add(module)
		if err != nil || !bytes.Equal(counted, again) {
			t.Errorf("%s: another module the second time: %v", name, err)
		}
		m, err := r.InstantiateWithConfig(t.Context(), counted, wazero.NewModuleConfig().WithName(name))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if m.ExportedGlobal(meter.Global) == nil {
			t.Errorf("%s has no counter", name)
		}
		for n := range module {
			// A cut between sections leaves a module, if an empty one.
			_, _ = meter.Add(module[:n])
		}
	}
	if err := r.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// FuzzAdd looks for modules that the engine takes and does not take any more when
// they have a counter.
func FuzzAdd(f *testing.F) {
	for _, m := range modules(f) {
		f.Add(m)
	}
	f.Add([]byte("\x00asm\x01\x00\x00\x00"))
	f.Add([]byte("\x00asm\x01\x00\x00\x00\x04\x04\x01\x70\x00\x01"))
	f.Fuzz(func(t *testing.T, module []byte) {
		counted, err := meter.Add(module)
		if err != nil {
			return // the engine might take more memory than there is
		}
		r := wazero.NewRuntimeWithConfig(t.Context(), wazero.NewRuntimeConfigInterpreter().WithMemoryLimitPages(16))
		defer func() { _ = r.Close(t.Context()) }()
		if _, valid := r.CompileModule(t.Context(), module); valid != nil {
			return
		}
		if _, err := r.CompileModule(t.Context(), counted); err != nil {
			t.Errorf("a valid module is valid no more: %v", err)
		}
	})
}
