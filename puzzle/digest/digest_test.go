package digest

import (
	"testing"

	"github.com/everystate/everystate/puzzle"
)

func TestSumDoesNotDependOnOrder(t *testing.T) {
	salt := LayerSalt(1, 7)
	var forth, back, halves [2]Digest
	for i := range uint64(1000) {
		forth[0].AddNarrow(salt, i, puzzle.Move(i%26))
		back[0].AddNarrow(salt, 999-i, puzzle.Move((999-i)%26))
		halves[i%2].AddState(salt, []uint64{i}, puzzle.Move(i%26))
	}
	halves[0].Add(halves[1])
	if forth[0] != back[0] || forth[0] != halves[0] {
		t.Fatalf("%v, %v and %v differ", forth[0], back[0], halves[0])
	}
}

// Many states at once are as many one by one.
func TestManyAtOnce(t *testing.T) {
	salt := LayerSalt(2, 5)
	var one, each, all, of Digest
	keys, moves := make([]uint64, 100), make([]puzzle.Move, 100)
	for i := range keys {
		keys[i], moves[i] = uint64(i*i*977), puzzle.Move(i%26)
		one.AddNarrow(salt, keys[i], moves[i])
		of.AddNarrow(salt, keys[i], 7)
	}
	for _, part := range [][2]int{{0, 1}, {1, 60}, {60, 100}} {
		each.AddEach(salt, keys[part[0]:part[1]], moves[part[0]:part[1]])
		all.AddAll(salt, keys[part[0]:part[1]], 7)
	}
	if one != each || of != all {
		t.Fatalf("each: %v, want %v; all: %v, want %v", each, one, all, of)
	}
}

// Any change of a state, its depth, its phase or its link shows.
func TestEverythingCounts(t *testing.T) {
	of := func(phase uint8, depth uint32, move puzzle.Move, key ...uint64) Digest {
		var d Digest
		d.AddState(LayerSalt(phase, depth), key, move)
		return d
	}
	seen := map[Digest]string{}
	for name, d := range map[string]Digest{
		"plain":  of(1, 2, 3, 4, 5),
		"phase":  of(2, 2, 3, 4, 5),
		"depth":  of(1, 3, 3, 4, 5),
		"move":   of(1, 2, 4, 4, 5),
		"first":  of(1, 2, 3, 5, 5),
		"second": of(1, 2, 3, 4, 4),
		"order":  of(1, 2, 3, 5, 4),
	} {
		if other, ok := seen[d]; ok {
			t.Errorf("%s and %s have the same digest", name, other)
		}
		seen[d] = name
	}
}

// Published digests depend on this value.
func TestGolden(t *testing.T) {
	var d Digest
	d.AddNarrow(LayerSalt(1, 0), 0x123456789, 0)
	d.AddNarrow(LayerSalt(1, 1), 0x987654321, 5)
	if got, want := d.String(), "9a2ae2b9f1e729c55da47edf8066488e"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	back, err := FromBytes(d.Bytes())
	if err != nil || back != d {
		t.Errorf("came back as %v, %v", back, err)
	}
	if _, err := FromBytes(make([]byte, 15)); err == nil {
		t.Error("15 bytes: no error")
	}
}
