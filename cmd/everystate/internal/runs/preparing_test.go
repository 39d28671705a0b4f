package runs

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

// TestPrepare stops a run while its states are grouped, of which nothing is left, and
// makes and opens it in peace.
func TestPrepare(t *testing.T) {
	t.Parallel()
	boards, err := families.Read([]byte("puzzle: hanoi\n\n4 pegs 8 discs"), puzzle.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "run")
	env := &shell.Env{Err: &bytes.Buffer{}}
	create := func(ctx context.Context) (*engine.Run, error) {
		return Prepare(ctx, env, "tower", false, engine.Options{Store: engine.StoreTable}, func(opts engine.Options) (*engine.Run, error) {
			return engine.Create(dir, boards[0], opts)
		})
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := create(stopped); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want that it was stopped", err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("something is left: %v", err)
	}
	r, err := create(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenDir(stopped, env, dir, true, engine.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that opening it was stopped", err)
	}
	view := preparing{name: "tower", done: new(atomic.Uint64)}
	view.done.Store(math.Float64bits(0.347))
	if line, frame := view.Line(), view.Frame(80); line != `board="tower" grouped=34%` || len(frame) != 1 || !strings.Contains(frame[0], "tower: grouping symmetric states, 34 %") {
		t.Errorf("%s, %q", line, frame)
	}
}
