package wasm

import (
	"errors"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/everystate/everystate/puzzle"
)

func readModule(tb testing.TB, name string) []byte {
	tb.Helper()
	module, err := os.ReadFile("testdata/" + name + ".wasm")
	if err != nil {
		tb.Fatal(err)
	}
	return module
}

// explore counts what can be reached, in batches as the engine does it, until the
// puzzle fails.
func explore(p puzzle.Puzzle) int {
	seen := map[uint64]bool{}
	var layer []uint64
	for _, s := range p.Starts() {
		seen[s] = true
		layer = append(layer, s)
	}
	var out puzzle.Edges
	marks := make([]bool, 1<<12)
	for len(layer) > 0 && puzzle.Err(p) == nil {
		p.Goals(layer, marks[:len(layer)])
		out.Reset()
		p.Successors(layer, &out)
		layer = nil
		for _, k := range out.Keys {
			if !seen[k] {
				seen[k] = true
				layer = append(layer, k)
			}
		}
	}
	return len(seen)
}

// TestLies opens and explores a module that does one thing wrong at a time.
func TestLies(t *testing.T) {
	t.Parallel()
	module := readModule(t, "liar")
	opts := Options{Name: "liar.wasm", StepsMax: 1 << 22, MemoryBytesMax: 4 << 20}
	for _, test := range []struct{ lie, want string }{
		{"nothing", ""},
		{"open-trap", "es_open traps: unreachable"},
		{"open-loop", "es_open does not finish within 4194304 steps"},
		{"grow", "es_open traps: unreachable"}, // and not the host
		{"bits", "es_info gives 600 key bits"},
		{"metric", "es_info gives no metric"},
		{"text", "the text that es_info gives for the board is read as a different board"},
		{"start", "es_valid refuses start 0"},
		{"trap", "es_successors traps: unreachable"},
		{"loop", "es_successors does not finish"},
		{"recurse", "es_successors traps: stack overflow"},
		{"forks", "es_successors does not finish"},
		{"fill", "es_successors does not finish"},
		{"outside", "es_successors traps: out of bounds memory access"},
		{"key", "es_successors gives a key of more than the 12 bits in es_info"},
		{"move", "es_successors gives move 2: ids must be less than 2"},
		{"order", "es_successors does not give the moves of a state in increasing order"},
		{"batch", "gives different edges alone than together with other states"},
		{"none", "es_successors has expanded 0 of 1 states"},
		{"more", "es_successors has expanded 2 of 1 states"},
		{"many", "es_successors gives 4097 edges, but there is room for 4096"},
		{"valid", "which es_valid refuses"},
		{"apply", "but not according to es_apply"},
		{"undo", "es_undo does not lead back"},
		{"unequal", "equal states have unequal keys"},
		{"one-way", "es_info says that every move can be undone by a move"},
		{"kinds", "es_info says that every move leads from one kind of state to the other, but from key"},
		{"escape", "es_format returns a text that is not lines of printable characters"},
		{"outside-format", "outside its memory of 131072 bytes"},
		{"long", "es_format gives a text of 2147483647 bytes"},
	} {
		t.Run(test.lie, func(t *testing.T) {
			t.Parallel()
			board, err := Open(module, test.lie, opts)
			states := 0
			if err == nil {
				states = explore(board.Puzzle)
				err = puzzle.Err(board.Puzzle)
			}
			if test.want == "" {
				if err != nil || states != 4096 {
					t.Fatalf("%d states, %v", states, err)
				}
				return
			}
			var failure *ModuleError
			if !errors.As(err, &failure) || !strings.Contains(err.Error(), test.want) ||
				!strings.HasPrefix(err.Error(), "puzzle module liar.wasm: ") || strings.Contains(err.Error(), "\n") {
				t.Fatalf("the error is %v\nwant a failure with %q", err, test.want)
			}
			if board.Puzzle != nil {
				saysNothing(t, board.Puzzle)
			}
		})
	}
}

// saysNothing checks that a puzzle that has failed answers with nothing.
func saysNothing(t *testing.T, p puzzle.Puzzle) {
	t.Helper()
	var out puzzle.Edges
	mark := []bool{true}
	key := []uint64{1}
	p.Successors(key, &out)
	p.Goals(key, mark)
	_, err := p.Parse("0001")
	if out.Len() > 0 || mark[0] || p.Valid(key) || p.Apply(key, key, 0) || p.Undo(key, key, 0) || err == nil || p.Format(key) == "" || p.FormatMove(0) == "" {
		t.Error("the puzzle has failed and still answers")
	}
}

// TestFailsOnce asks a module that fails from several goroutines.
func TestFailsOnce(t *testing.T) {
	t.Parallel()
	board, err := Open(readModule(t, "liar"), "trap", Options{})
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() { explore(board.Puzzle) })
	}
	wait.Wait()
	if err := puzzle.Err(board.Puzzle); err == nil || !strings.Contains(err.Error(), "unreachable") {
		t.Errorf("the error is %v", err)
	}
}

// TestRefused says what is wrong with what is not a module of a puzzle.
func TestRefused(t *testing.T) {
	t.Parallel()
	liar := readModule(t, "liar")
	for _, test := range []struct {
		name   string
		module []byte
		want   string
	}{
		{"empty", nil, "not a WebAssembly module"},
		{"text", []byte("puzzle: tiles\n"), "not a WebAssembly module"},
		{"truncated", liar[:len(liar)-7], "truncated"},
		{"large", make([]byte, ModuleBytesMax+1), "has 16777217 bytes: at most 16777216"},
		{"no exports", []byte("\x00asm\x01\x00\x00\x00"), `does not export its memory as "memory"; does not export es_abi_version; `},
		{"import", []byte("\x00asm\x01\x00\x00\x00\x01\x04\x01\x60\x00\x00\x02\x09\x01\x03env\x01f\x00\x00"), `imports "env"."f": a module may import only functions of`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := Open(test.module, "nothing", Options{Name: "m"})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("the error is %v, want %q", err, test.want)
			}
		})
	}
	_, err := Open(liar, "", Options{})
	var input *puzzle.InputError
	if !errors.As(err, &input) || input.Line != 1 || input.Column != 1 || input.What != "a board is the name of a lie" {
		t.Errorf("an empty board: %v", err)
	}
	board, err := Open(liar, "nothing", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := board.Puzzle.Parse("00x1"); !errors.As(err, &input) || input.Column != 3 {
		t.Errorf("a state that is none: %v", err)
	}
	if _, err := ReadStored(board.Text, string(liar[:100]), 0); err == nil || !strings.Contains(err.Error(), "is incomplete") {
		t.Errorf("a module that is truncated: %v", err)
	}
	if again, err := ReadStored(board.Text, string(liar), 0); err != nil || again.Text != board.Text {
		t.Errorf("read again: %v", err)
	}
}
