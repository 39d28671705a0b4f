package kinds_test

import (
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/sweep"
	"github.com/everystate/everystate/internal/sweep/blocks"
	"github.com/everystate/everystate/internal/sweep/kinds"
	"github.com/everystate/everystate/internal/sweep/rushhour"
	"github.com/everystate/everystate/internal/sweep/rushhour/rules"
	"github.com/everystate/everystate/internal/sweep/sokoban"
)

func TestOpen(t *testing.T) {
	var all []sweep.Enumeration
	for _, given := range []rules.Rules{
		{Size: rules.Square(4), ExitRow: -1},
		{Size: rules.Square(5), ExitRow: 1, Step: true, WallsMax: 1, Lengths: []int{2}, Limits: []rules.Limit{{Vertical: true, Length: 2, Most: 3}, {Length: 2, Most: 1}}},
		{Size: rules.Square(4), ExitRow: 0, Everything: true, MinDistance: 2, Sample: 7, FullRows: true, FullColumns: true},
		{Size: rules.Square(5), ExitRow: 2, MirrorsMerged: true, PrimaryRowShared: true},
	} {
		e, err := rushhour.New(given)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	room, err := sokoban.New(sokoban.Rules{Room: "####\n#  #\n# .#\n####", Boxes: 2, MinDistance: 1, Sample: 2})
	if err != nil {
		t.Fatal(err)
	}
	board, err := blocks.New(blocks.Rules{Board: "metric: slide\ngoal: A at 0,0\n\nBA\n..\n", MinDistance: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range append(all, room, board) {
		again, err := kinds.Open(e.Rules())
		if err != nil {
			t.Errorf("%s: %v", e.Rules(), err)
			continue
		}
		if again.Rules() != e.Rules() || again.Units() != e.Units() {
			t.Errorf("read again: %d units of\n%s, want %d of\n%s", again.Units(), again.Rules(), e.Units(), e.Rules())
		}
	}
	if n := kinds.Expected(room); n != 0 {
		t.Errorf("how many states a room has is not known, not even %d", n)
	}
	if n := kinds.Expected(board); n != 12 {
		t.Errorf("two pieces on four cells are %d boards", n)
	}
	e, _ := rushhour.New(rules.Rules{Size: rules.Square(4), ExitRow: -1})
	for _, text := range []string{"", "sweep: chess\n", e.Rules() + "sample: 1/1\n", strings.Replace(e.Rules(), "4x4", "9x9", 1), strings.TrimSuffix(e.Rules(), "\n"), e.Rules() + "limits: q=1\n",
		room.Rules() + "boxes: 7\n", strings.Replace(room.Rules(), "#@", "#-", 1), board.Rules() + "goal: A at 9,9\n", strings.Replace(board.Rules(), "BA", "CA", 1),
	} {
		if _, err := kinds.Open(text); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}

// FuzzOpen opens rules that came over the network, and does a unit if it is small.
func FuzzOpen(f *testing.F) {
	for _, text := range []string{
		"room: ####/#@-#/#--#/####\nboxes: 2\nmirrors: merged\nsample: 1/2\n", "room: ----####/#####@-#/#------#/########\nboxes: 1\nmin-distance: 1\n",
		"metric: slide\ngoal: A at 0,0\nboard: BA/..\n", "metric: move\ninterchangeable: no\ngoal: #B/..\nboard: #A/B.\n",
	} {
		f.Add(strings.HasPrefix(text, "room"), text)
	}
	f.Fuzz(func(t *testing.T, room bool, text string) {
		kind := "blocks"
		if room {
			kind = "sokoban"
		}
		e, err := kinds.Open("sweep: " + kind + "\n" + text)
		if err != nil || len(text) > 120 || e.Units() < 1 {
			return
		}
		if kinds.Expected(e) < 1000 {
			found, err := e.Worker().Do(t.Context(), 0)
			if err != nil {
				t.Fatal(err)
			}
			if n := kinds.Expected(e); n > 0 && found.Totals.States != n {
				t.Errorf("%d states, want %d", found.Totals.States, n)
			}
		}
	})
}
