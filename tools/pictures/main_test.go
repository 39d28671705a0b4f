package main

import (
	"image/png"
	"os"
	"slices"
	"testing"

	"github.com/everystate/everystate/puzzle/families"
)

// TestFamilies: every family is on the sheet, and the committed sheet has a row for each
// board and is small.
func TestFamilies(t *testing.T) {
	for _, f := range families.All() {
		if !slices.ContainsFunc(boards, func(b shown) bool { return b.family == f.Name }) {
			t.Errorf("no board of %s is on the sheet", f.Name)
		}
	}
	for _, b := range boards {
		if _, err := b.read("../../puzzles"); err != nil {
			t.Errorf("%s: %v", b.family, err)
		}
	}
	file, err := os.Open("../../docs/images/pictures.png")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // Read only.
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	sheet, err := png.DecodeConfig(file)
	if err != nil {
		t.Fatal(err)
	}
	const most = 400_000
	if want := height(); info.Size() > most || sheet.Height != want {
		t.Errorf("the sheet has %d bytes and is %d high, want at most %d and %d: `make pictures`", info.Size(), sheet.Height, most, want)
	}
}
