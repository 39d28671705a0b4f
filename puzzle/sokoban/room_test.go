package sokoban

import (
	"slices"
	"testing"

	"github.com/everystate/everystate/puzzle"
)

// TestRoomIsTheLevelsOfItsTargets takes all pulls of a room, which are those of any
// level in it.
func TestRoomIsTheLevelsOfItsTargets(t *testing.T) {
	t.Parallel()
	const text = "#####\n#@$.#\n#.$ #\n#  ##\n####"
	room, err := ReadRoom([]byte(text), 2)
	if err != nil {
		t.Fatal(err)
	}
	if room.Cells() != 8 || room.Sets() != 28 || room.Keys() != 28*8 {
		t.Fatalf("%d cells, %d sets, %d keys", room.Cells(), room.Sets(), room.Keys())
	}
	boards, err := Read([]byte(text), puzzle.ReadOptions{Metric: "backward-push"})
	if err != nil {
		t.Fatal(err)
	}
	game := boards[0].Puzzle
	starts, found := game.Starts(), false
	states := 0
	for set := range room.Sets() {
		keys := room.On(set, nil)
		found = found || slices.Equal(keys, starts)
		states += len(keys)
		for _, key := range keys {
			if !game.Valid([]uint64{key}) {
				t.Errorf("%d is not a state", key)
			}
			var got, want puzzle.Edges
			room.Pulls([]uint64{key}, &got)
			game.Successors([]uint64{key}, &want)
			if !slices.Equal(got.Keys, want.Keys) {
				t.Errorf("%d: pulls %v, want %v", key, got.Keys, want.Keys)
			}
		}
	}
	valid := 0
	for key := range room.Keys() {
		if game.Valid([]uint64{key}) {
			valid++
		}
	}
	if !found || states != valid {
		t.Errorf("solved states found: %t; %d states, want %d", found, states, valid)
	}
	if got := room.Level(0, room.On(1, nil)[0]); got != "#####\n#*+$#\n#   #\n#  ##\n####" {
		t.Errorf("drawn\n%s", got)
	}
}

func FuzzReadRoom(f *testing.F) {
	for _, text := range []string{
		"#####\n#@$.#\n#.$ #\n#  ##\n####", "####|#--#|####", "####\n#  #\n####\n# .#\n####", "  ###\n### #\n#  +#\n#####", "###", "4#|#2-#|4#",
	} {
		f.Add([]byte(text), 1)
	}
	f.Fuzz(func(t *testing.T, text []byte, boxes int) {
		room, err := ReadRoom(text, boxes)
		if err != nil {
			return
		}
		again, err := ReadRoom([]byte(room.Drawing()), boxes)
		if err != nil || again.Drawing() != room.Drawing() || again.Sets() != room.Sets() || again.Cells() != room.Cells() {
			t.Fatalf("read again (%v)\n%s", err, room.Drawing())
		}
		if sets := room.Sets(); sets > 0 {
			for _, key := range room.On(sets-1, nil) {
				if key >= room.Keys() {
					t.Errorf("key %d of %d", key, room.Keys())
				}
				var edges puzzle.Edges
				room.Pulls([]uint64{key}, &edges)
				_ = room.Level(0, key)
			}
		}
	})
}
