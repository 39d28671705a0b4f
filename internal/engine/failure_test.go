package engine

import (
	"testing"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

// TestPuzzleFails explores a model in which several states of a layer break an
// invariant: the run names the same one each time, and is sound.
func TestPuzzleFails(t *testing.T) {
	t.Parallel()
	const model = "type r: 0..3; var a: array [r] of 0..9;\nstartstate for i: r do a[i] := 0 end end\n" +
		"ruleset i: r do rule \"up\" a[i] < 9 ==> a[i] := a[i] + 1 end end\ngoal \"nine\" a[0] = 9 invariant \"low\" forall i: r do a[i] < 4 end"
	named := ""
	for range 10 {
		boards, err := families.Read([]byte(model), puzzle.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		opts := Options{Workers: 4, Partitions: 64, MemoryBytes: 128 << 20}
		r, err := Create(dir, boards[0], opts)
		if err != nil {
			t.Fatal(err)
		}
		_, err = r.Explore(t.Context(), history.Want{})
		if err == nil || named != "" && err.Error() != named {
			t.Fatalf("%v, then %v", named, err)
		}
		named = err.Error()
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		if r, err = Open(dir, Options{ReadOnly: true}); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Verify(t.Context(), func(int64) {}); err != nil {
			t.Errorf("the run is not sound: %v", err)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
