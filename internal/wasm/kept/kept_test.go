package kept

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"
)

// module returns a module with one function, which returns a number, and with bytes that
// say nothing.
func module(number byte) []byte {
	return joined(
		"\x00asm\x01\x00\x00\x00",
		"\x01\x05\x01\x60\x00\x01\x7f", // a type: no parameters, an i32
		"\x03\x02\x01\x00",             // a function of it
		"\x07\x05\x01\x01f\x00\x00",    // exported as f
		"\x0a\x06\x01\x04\x00\x41"+string(rune(number))+"\x0b",
		"\x00\x81\x80\x40\x00", string(make([]byte, 1<<20)), // a section without a name
	)
}

func joined(parts ...string) []byte { return []byte(strings.Join(parts, "")) }

// run opens the place of a module and compiles or reads the module, calls it and keeps
// it. It returns what the module returned, or false if it is kept nowhere.
func run(t *testing.T, code []byte) (number uint64, ok bool) {
	t.Helper()
	m := Open(code)
	if m == nil {
		return 0, false
	}
	defer m.Close()
	r := wazero.NewRuntimeWithConfig(t.Context(), wazero.NewRuntimeConfig().WithCompilationCache(m.Cache))
	compiled, err := r.CompileModule(t.Context(), code)
	if err != nil {
		t.Fatal(err)
	}
	instance, err := r.InstantiateModule(t.Context(), compiled, wazero.NewModuleConfig())
	if err != nil {
		t.Fatal(err)
	}
	results, err := instance.ExportedFunction("f").Call(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	m.Keep()
	if err := r.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	return results[0], true
}

// here keeps modules in a directory of the test.
func here(t *testing.T) (root string) {
	t.Helper()
	root = filepath.Join(t.TempDir(), "modules")
	In(root)
	t.Cleanup(func() { In("") })
	return root
}

// A file that was changed, or was not written to its end, is not run.
func TestOnlyWholeFiles(t *testing.T) { //nolint:paralleltest // one directory for the process
	root := here(t)
	code := module(42)
	want := func(what string) {
		t.Helper()
		if n, ok := run(t, code); !ok || n != 42 {
			t.Fatalf("%s: %d %v", what, n, ok)
		}
	}
	kept := func() (path string, body []byte) {
		t.Helper()
		paths := files(root)
		if len(paths) != 1 {
			t.Fatalf("%d files: %q", len(paths), paths)
		}
		body, err := os.ReadFile(paths[0])
		if err != nil {
			t.Fatal(err)
		}
		return paths[0], body
	}
	want("first time")
	path, body := kept()
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	want("second time")
	if after, err := os.Stat(path); err != nil || !os.SameFile(before, after) {
		t.Errorf("compiled again: %v", err)
	}
	for i := 0; i < len(body); i += 1 + len(body)/50 {
		bad := bytes.Clone(body)
		bad[i] ^= 0xff
		for _, bad := range [][]byte{bad, body[:i]} {
			if err := os.WriteFile(path, bad, 0o600); err != nil {
				t.Fatal(err)
			}
			want("damaged")
			if path, again := kept(); !bytes.Equal(again, body) {
				t.Fatalf("%s is not as it was", path)
			}
		}
	}
	if err := os.Remove(path + sumSuffix); err != nil {
		t.Fatal(err)
	}
	want("without a sum")
	unfinished := path + ".1" + tmpSuffix
	if err := os.WriteFile(unfinished, body, 0o600); err != nil {
		t.Fatal(err)
	}
	want("beside a file that is being written")
	if _, err := os.Stat(unfinished); err != nil {
		t.Error(err)
	}
	old := time.Now().Add(-2 * unfinishedMax)
	if err := os.Chtimes(unfinished, old, old); err != nil {
		t.Fatal(err)
	}
	want("beside a file that was never finished")
	if _, err := os.Stat(unfinished); err == nil {
		t.Error("an unfinished file stays")
	}
}

// Code that somebody else could have written is not run.
func TestOnlyOwnDirectories(t *testing.T) { //nolint:paralleltest // one directory for the process
	if runtime.GOOS == "windows" {
		t.Skip("directories have no permissions there")
	}
	root := here(t)
	code := module(7)
	if _, ok := run(t, code); !ok {
		t.Fatal("not kept in a directory of its own")
	}
	dir := Open(code).dir
	for _, path := range []string{root, dir} {
		if err := os.Chmod(path, 0o770); err != nil {
			t.Fatal(err)
		}
		if _, ok := run(t, code); ok {
			t.Errorf("%s: others can write to it", path)
		}
		if err := os.Chmod(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path, path+"-elsewhere"); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(path+"-elsewhere", path); err != nil {
			t.Fatal(err)
		}
		if _, ok := run(t, code); ok {
			t.Errorf("%s: a link", path)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path+"-elsewhere", path); err != nil {
			t.Fatal(err)
		}
	}
	if _, ok := run(t, code); !ok {
		t.Error("not kept in its own directory again")
	}
	In(filepath.Join(root, "file"))
	if err := os.WriteFile(filepath.Join(root, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, ok := run(t, code); ok {
		t.Error("kept in a file")
	}
	In(root)
	if Open(make([]byte, moduleBytesMin-1)) != nil {
		t.Error("a small module is kept")
	}
}

// What was used last stays.
func TestBound(t *testing.T) { //nolint:paralleltest // one directory for the process
	root := here(t)
	large := func(name string, age time.Duration) string {
		t.Helper()
		dir := filepath.Join(root, name)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "code"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(filepath.Join(dir, "code"), bytesMax/3); err != nil {
			t.Fatal(err)
		}
		used := time.Now().Add(-age)
		if err := os.Chtimes(dir, used, used); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	is := func(dir string) bool {
		_, err := os.Stat(dir)
		return err == nil
	}
	own := large("own", 4*time.Hour)
	oldest, old, last := large("a", 2*time.Hour), large("c", time.Hour), large("b", 0)
	bound(root, own)
	if is(oldest) || !is(own) || !is(old) || !is(last) {
		t.Errorf("oldest %v, own %v, old %v, last %v", is(oldest), is(own), is(old), is(last))
	}
	large("a", 2*time.Hour)
	code := module(1)
	run(t, code)
	if n, ok := run(t, code); !ok || n != 1 || is(own) || is(oldest) || !is(old) || !is(last) {
		t.Errorf("%d %v; first %v, oldest %v, old %v, last %v", n, ok, is(own), is(oldest), is(old), is(last))
	}
}

// Directories without files are bounded, too.
func TestBoundOfEmpty(t *testing.T) { //nolint:paralleltest // one directory for the process
	root := here(t)
	const most = bytesMax / moduleBytesMin
	for i := range most + 10 {
		if err := os.MkdirAll(filepath.Join(root, strconv.Itoa(i)), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	bound(root, "")
	if entries, err := os.ReadDir(root); err != nil || len(entries) != most {
		t.Errorf("%d directories, want %d: %v", len(entries), most, err)
	}
}
