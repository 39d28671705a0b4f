package stored

import (
	"errors"
	"testing"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

// What a folded table needs is refused beforehand if the table is to be folded, and only then.
func TestRoomOfFolded(t *testing.T) {
	boards, err := families.Read([]byte("puzzle: hanoi\n\n4 pegs 10 discs"), puzzle.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p := boards[0].Puzzle
	foldable, ok := p.(puzzle.Foldable)
	if !ok {
		t.Fatal("the tower does not fold")
	}
	_, need := foldable.FoldNeeds()
	for _, c := range []struct {
		fold   bool
		memory int64
		want   bool
	}{{true, need, false}, {true, need - 1, true}, {false, need - 1, false}} {
		large := new(MemoryError)
		if err := exceeds(least(p, c.fold, true), c.memory); errors.As(err, &large) != c.want || c.want && large.NeedBytes != need {
			t.Errorf("folded %v, %d bytes of %d: %v", c.fold, c.memory, need, err)
		}
	}
}
