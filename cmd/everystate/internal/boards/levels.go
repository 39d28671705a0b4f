package boards

import (
	"os"
	"slices"
	"strconv"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

// LevelNames lists, for completion, the boards of the file among some arguments: their
// numbers, each with its name after a tab, and what means all of them. It returns only
// the latter if there is no such file or it cannot be read.
func LevelNames(args []string) []string {
	names := []string{}
	for _, arg := range args {
		info, err := os.Stat(arg)
		if err != nil || info.IsDir() {
			continue
		}
		text, err := readFile(arg)
		if err != nil {
			continue
		}
		boards, err := families.ReadLoosely(text, puzzle.ReadOptions{Level: puzzle.AllLevels})
		if err != nil {
			continue
		}
		for i, b := range boards {
			name := strconv.Itoa(i + 1)
			if b.Name != "" {
				name += "\t" + b.Name
			}
			names = append(names, name)
		}
		break
	}
	return append(names, puzzle.AllLevels)
}

// SymmetryNames lists the groups of all puzzles that a user has to name, and what means none.
func SymmetryNames() []string {
	var names []string
	for _, f := range families.All() {
		for _, s := range f.Symmetries {
			if !s.Meant && !slices.Contains(names, s.Name) {
				names = append(names, s.Name)
			}
		}
	}
	return append(names, "off")
}
