package families

import (
	"errors"
	"fmt"
	"strings"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/boardfile"
	"github.com/everystate/everystate/puzzle/permutation"
	"github.com/everystate/everystate/puzzle/symmetry"
)

// symmetryHeader is the header that names the group under which states are merged.
const symmetryHeader = "symmetry"

// A Symmetry is a name of a group of symmetries.
type Symmetry struct {
	Name, Summary string

	// Meant means that "on" stands for it where a board has it. The text of the board then
	// names it: what runs have stored as "on" keeps its meaning.
	Meant bool
}

// symmetries lists the groups of a family whose usual one consists of what is given.
func symmetries(usual string) []Symmetry {
	return []Symmetry{{Name: symmetryOn, Summary: usual + " that map the start and the goals to themselves"}}
}

// symmetriesOfPieces lists the groups of puzzles whose moves permute pieces.
func symmetriesOfPieces() []Symmetry {
	return append(symmetries("renamings of places and pieces"), Symmetry{
		Name: permutation.Marked, Summary: "the same, with the representative chosen by where some marked pieces lie; on means this if all pieces belong to one set and differ",
		Meant: true,
	})
}

const (
	symmetryOff = "off"
	symmetryOn  = "on"
)

// meant returns the name of the group that "on" stands for.
func (f *Family) meant(p puzzle.Symmetric) string {
	for _, s := range f.Symmetries {
		if s.Meant {
			if _, err := p.Symmetries(s.Name); err == nil {
				return s.Name
			}
		}
	}
	return symmetryOn
}

// takeSymmetry returns a text without the header that names a group, and the header.
// Lines keep their numbers.
func takeSymmetry(text []byte) ([]byte, boardfile.Piece) {
	f, fault := boardfile.Parse(text)
	if fault != nil {
		return text, boardfile.Piece{}
	}
	value, given := f.Value(symmetryHeader)
	if !given {
		return text, boardfile.Piece{}
	}
	lines := strings.SplitAfter(string(text), "\n")
	lines[value.Line-1] = ";" + strings.TrimPrefix(lines[value.Line-1], "\uFEFF")
	return []byte(strings.Join(lines, "")), value
}

// mergeSymmetric merges the states of a board as a header says, which is that of a run if the
// text is stored.
func (f *Family) mergeSymmetric(b *puzzle.Board, header boardfile.Piece, stored bool) error {
	name := strings.ToLower(header.Text)
	if name == symmetryOff || name == "" && header.Line == 0 {
		return nil
	}
	names := []string{symmetryOff}
	for _, s := range f.Symmetries {
		names = append(names, s.Name)
	}
	fault := func(format string, args ...any) error {
		return header.Faultf("symmetry %s: %s", boardfile.Quote(header.Text), fmt.Sprintf(format, args...))
	}
	known := false
	for _, other := range names {
		known = known || other == name
	}
	p, ok := b.Puzzle.(puzzle.Symmetric)
	switch {
	case len(names) == 1:
		return fault("the puzzle %s has no symmetries under which states can be merged", f.Name)
	case !known:
		last := len(names) - 1
		return header.Faultf("unknown symmetry %s: must be %s or %s", boardfile.Quote(header.Text), strings.Join(names[:last], ", "), names[last])
	case !ok:
		return fault("this board has no symmetries under which states can be merged")
	}
	if name == symmetryOn && !stored {
		name = f.meant(p)
	}
	s, err := p.Symmetries(name)
	if err != nil {
		var because *puzzle.InputError
		if errors.As(err, &because) {
			return fault("%s", because.What)
		}
		return err
	}
	merged, ok := symmetry.Merge(s)
	if !ok {
		return fault("%d moves and %d symmetries together are too many", b.Puzzle.Layout().Moves, len(s.Names))
	}
	head, body, _ := strings.Cut(b.Text, "\n\n")
	b.Puzzle, b.Text = merged, fmt.Sprintf("%s\n%s: %s\n\n%s", head, symmetryHeader, name, body)
	b.Note += fmt.Sprintf("; states merged under symmetries: %d", len(s.Names))
	return nil
}
