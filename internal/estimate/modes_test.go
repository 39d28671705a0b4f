package estimate

import (
	"os"
	"testing"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

// The needs of spaces whose runs were measured: 3x4 tiles as a table of 60 MB in 149 MB of
// memory, and with its frontier alone 75 MB at the peak.
func TestNeeds(t *testing.T) {
	needs := func(file, symmetry string, m Machines) map[Mode]Need {
		t.Helper()
		text, err := os.ReadFile("../../puzzles/" + file)
		if err != nil {
			t.Fatal(err)
		}
		boards, err := families.ReadWith(text, []families.Header{{Key: "symmetry", Value: symmetry}}, puzzle.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		p := boards[0].Puzzle
		e, err := Of(t.Context(), p, Options{States: 100_000, Steps: 200_000})
		if err != nil {
			t.Fatal(err)
		}
		all := make(map[Mode]Need)
		for _, n := range e.NeedsOf(p, m) {
			all[n.Mode] = n
		}
		return all
	}
	within := func(what string, got, low, high float64) {
		t.Helper()
		if got < low || got > high {
			t.Errorf("%s: %.0f, want %.0f to %.0f", what, got, low, high)
		}
	}
	one := Machines{Workers: 1, Lanes: 2, Memory: 1 << 30, MemoryMin: 32 << 20, SuccessorNanos: 10}
	tiles := needs("tiles/big-3x4.txt", "off", one)
	within("table on disk", tiles[Table].Disk.Likely, 59e6, 61e6)
	within("table in memory", tiles[Table].Memory, 85e6, 150e6)
	within("measured peak", 75e6, tiles[Frontier].Disk.Low, tiles[Frontier].Disk.High)
	within("layers in memory", tiles[Layers].Memory, 32<<20, 32<<20)
	within("layers on disk", tiles[Layers].Disk.Likely, tiles[Frontier].Disk.Likely, 1e10)

	// With 32 MiB, 441 MB were on disk at the peak, and the search took 20 s of processor time.
	less := one
	less.Memory = 32 << 20
	pages := needs("tiles/big-3x4.txt", "off", less)[Table]
	if !pages.Pages || tiles[Table].Pages {
		t.Errorf("pages: %v with less memory, %v with more", pages.Pages, tiles[Table].Pages)
	}
	within("measured peak of pages", 441e6, pages.Disk.Low, pages.Disk.Likely)
	within("pages in memory", pages.Memory, 32<<20, 32<<20)
	within("time for pages", pages.Seconds.Likely, 8, 13)

	// A table of merged states is never kept as pages.
	less.Memory = 1 << 10
	if merged := needs("permutation/skewb.txt", "on", less)[Table]; merged.Pages || merged.Unmerged || merged.Memory == 0 {
		t.Errorf("merged states as a table: %+v", merged)
	}

	// A table of the second phase of the cube was 300 MiB, made in 1 GiB: it merges nothing,
	// and holds one of 16 blocks.
	for symmetry, unmerged := range map[string]bool{"on": true, "off": false} {
		cube := needs("permutation/cube-phase-two.txt", symmetry, one)[Table]
		within("folded table on disk, symmetry "+symmetry, cube.Disk.Likely, 290e6, 320e6)
		within("folded table in memory, symmetry "+symmetry, cube.Memory, 0.6e9, 1.2e9)
		if cube.Unmerged != unmerged {
			t.Errorf("symmetry %s: %+v", symmetry, cube)
		}
	}

	// Two workers with a lane each kept the corners of the cube in 3.9 bits per state in the end.
	two := Machines{Workers: 2, Lanes: 1, Memory: 256 << 20, MemoryMin: 32 << 20, SuccessorNanos: 10}
	corners := needs("permutation/rubiks-cube-corners.txt", "off", two)
	within("divided table on disk", corners[Table].Disk.Likely, 88_179_840*3.9/8, corners[Layers].Disk.Likely)
	within("time for a divided table", corners[Table].Seconds.Likely, corners[Layers].Seconds.Likely, 2*corners[Layers].Seconds.Likely)

	without := needs("tiles/big-3x4.txt", "off", two)
	two.GoalDistance = true
	with := needs("tiles/big-3x4.txt", "off", two)
	within("goal distances beside a divided table on disk", with[Table].Disk.Likely, 1.2*without[Table].Disk.Likely, with[Layers].Disk.Likely)

	goals, several, undivided, both := one, one, one, one
	goals.GoalDistance, several.Workers, undivided.Workers, both.Workers = true, 3, 3, 3
	undivided.Undivided, both.GoalDistance = "some reason", true
	for name, c := range map[string]struct {
		needs map[Mode]Need
		not   map[Mode]bool
	}{
		"tiles":          {tiles, nil},
		"goal distances": {needs("tiles/3x3.txt", "off", goals), map[Mode]bool{Frontier: true}},
		"several":        {needs("tiles/3x3.txt", "off", several), nil},
		"undivided":      {needs("tiles/3x3.txt", "off", undivided), map[Mode]bool{Table: true}},
		"both":           {needs("tiles/3x3.txt", "off", both), map[Mode]bool{Frontier: true}},
		"merged":         {needs("permutation/topspin-9-3.txt", "on", one), nil},
		"merged pegs":    {needs("peg/cross.txt", "on", one), nil},
		"rush hour":      {needs("rushhour/small-5x5.txt", "off", one), nil},
		"graded":         {needs("peg/triangle-15.txt", "off", one), nil},
		"irreversible":   {needs("sokoban/rooms.txt", "off", one), map[Mode]bool{Frontier: true, Table: true}},
	} {
		for mode, n := range c.needs {
			if (n.Not != "") != c.not[mode] || n.Not == "" && (n.Seconds.Likely <= 0 || n.Disk.Low > n.Disk.Likely || n.Disk.Likely > n.Disk.High || n.Memory < 32<<20) {
				t.Errorf("%s: %+v", name, n)
			}
		}
	}
}
