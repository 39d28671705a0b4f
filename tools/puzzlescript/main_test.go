package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestShared replays the recorded sessions and compilations of the reference
// implementation, which lie beside the repository and are no part of it.
func TestShared(t *testing.T) {
	for file, records := range map[string]int{"sessions.json": 235, "errors.json": 150} {
		t.Run(file, func(t *testing.T) {
			if testing.Short() {
				t.Skip("seconds")
			}
			path := filepath.Join("..", "..", "..", "shared", "puzzlescript", file)
			data, err := os.ReadFile(path)
			if errors.Is(err, fs.ErrNotExist) {
				t.Skipf("%s is not there: the recordings of the reference are not replayed", path)
			}
			if err != nil {
				t.Fatal(err)
			}
			var told strings.Builder
			agree, all, err := replay(data, &told)
			if err != nil || agree != all || all < records {
				t.Errorf("%d of %d agree, %v\n%s", agree, all, err, told.String())
			}
		})
	}
}

const push = `title Push
========
OBJECTS
========
Background
black
Player
white
Crate
orange
Wall
gray
=======
LEGEND
=======
. = Background
P = Player
* = Crate
# = Wall
=======
SOUNDS
=======
Crate move 36772507
================
COLLISIONLAYERS
================
Background
Player, Wall, Crate
======
RULES
======
[ > Player | Crate ] -> [ > Player | > Crate ]
==============
WINCONDITIONS
==============
=======
LEVELS
=======
#####
#P*.#
#####
`

// after is the level after a step to the right, in the order of recordings.
const after = "background wall:0,0,0,0,background:1,\n0,0,background player:2,0,0,\nbackground crate:3,0,0,0,0,\n"

// TestReplay has records that agree, and the same with one thing changed.
func TestReplay(t *testing.T) {
	session := func(change func(r map[string]any)) map[string]any {
		r := map[string]any{
			"name": "push", "source": push, "inputs": []any{3, 3, "tick", 0, "undo", 3, "restart", 3},
			"level": 0, "seed": nil, "level_at_end": after, "sounds": []string{"36772507", "36772507", "36772507"},
		}
		change(r)
		return r
	}
	faulty := strings.Replace(push, "[ > Player | Crate ] ->", "[ > Player | Crate ]", 1)
	compilation := func(errors int, messages ...string) map[string]any {
		return map[string]any{"name": "no arrow", "source": faulty, "messages": messages, "errors": errors}
	}
	arrow := "line 32 : A rule has to have an arrow in it. There's no arrow here! Consider reading up about rules - you're clearly doing something weird"
	for _, c := range []struct {
		record map[string]any
		told   string // a part of what is printed, or nothing
	}{
		{session(func(map[string]any) {}), ""},
		{session(func(r map[string]any) { r["level"] = "0" }), ""},
		{session(func(r map[string]any) { r["inputs"] = []any{} }), "the level at the end is"},
		{session(func(r map[string]any) { r["sounds"] = []string{"1"} }), "sounds are [36772507 36772507 36772507], should be [1]"},
		{session(func(r map[string]any) { r["inputs"] = []any{5} }), "unknown input 5"},
		{session(func(r map[string]any) { r["level"] = 1 }), "there is no such level"},
		{session(func(r map[string]any) { r["source"] = "x" }), "the game cannot be played"},
		{compilation(1, arrow), ""},
		{compilation(2, arrow), "1 errors, should be 2"},
		{compilation(1, "line 1 : x"), `no "line 1 : x" among line 32`},
	} {
		data, err := json.Marshal([]any{c.record})
		if err != nil {
			t.Fatal(err)
		}
		var told strings.Builder
		agree, all, err := replay(data, &told)
		if err != nil || all != 1 || (agree == 1) != (c.told == "") || !strings.Contains(told.String(), c.told) {
			t.Errorf("%d of %d agree, %v, told %q, want %q", agree, all, err, told.String(), c.told)
		}
	}
	if _, _, err := replay([]byte(`[{"source":""}]`), os.Stdout); err == nil {
		t.Error("a record of neither kind is taken")
	}
}
