package blocks

import (
	"testing"

	"github.com/everystate/everystate/puzzle"
)

// TestPlacementsAreTheValidKeys counts placements in three ways: cell by cell, piece
// by piece, and by asking which numbers are keys.
func TestPlacementsAreTheValidKeys(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]uint64{
		"BAAC\nBAAC\nDEEF\nDGHF\nI..J":    65880, // Hua Rong Dao, as published
		"AB\n..":                          12,
		"BB\n..":                          2,
		"interchangeable: no\n\nABC\nD..": 360,
		"AAB\nA.B\nCC.":                   0,
		"AA#\nAB.\n.B.":                   0,
		"goal: .B/..\n\nBC\n..":           6,
		"AABB\nCCDD\nE...":                0,
	} {
		boards, err := Read([]byte(text), puzzle.ReadOptions{})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		p, _ := PlacementsOf(boards[0].Puzzle)
		n, ok := p.Count()
		if !ok || want > 0 && n != want {
			t.Errorf("%s: %d placements, want %d", text, n, want)
		}
		layout := boards[0].Puzzle.Layout()
		if layout.KeyBits > 22 {
			continue
		}
		seen := map[uint64]bool{}
		for key := range p.All() {
			if seen[key[0]] || !boards[0].Puzzle.Valid(key) {
				t.Fatalf("%s: key %d is not a state, or comes twice", text, key[0])
			}
			seen[key[0]] = true
		}
		valid := uint64(0)
		for key := range uint64(1) << layout.KeyBits {
			if boards[0].Puzzle.Valid([]uint64{key}) {
				valid++
			}
		}
		if uint64(len(seen)) != n || valid != n {
			t.Errorf("%s: counted %d, listed %d, valid %d", text, n, len(seen), valid)
		}
	}
}

// TestManyPlacementsAreCounted counts what nobody could list.
func TestManyPlacementsAreCounted(t *testing.T) {
	t.Parallel()
	boards, err := Read([]byte("A...\n....\n....\nBCDE"), puzzle.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p, _ := PlacementsOf(boards[0].Puzzle)
	if n, ok := p.Count(); !ok || n != 16*1365 {
		t.Errorf("%d placements of one piece and four others on 16 cells", n)
	}
	if boards, err = Read([]byte("interchangeable: no\n\nABCDEFGHIJKLMNOP\n................\n"), puzzle.ReadOptions{}); err != nil {
		t.Fatal(err)
	}
	p, _ = PlacementsOf(boards[0].Puzzle)
	if n, ok := p.Count(); ok {
		t.Errorf("%d placements of sixteen pieces on 32 cells: which of them are left is too much to know", n)
	}
	if _, ok := PlacementsOf(nil); ok {
		t.Error("no puzzle has placements")
	}
}
