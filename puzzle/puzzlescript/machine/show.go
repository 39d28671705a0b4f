package machine

import (
	"slices"
	"strconv"
	"strings"
)

// Text returns the level as in recorded sessions: a number per cell, which names a set
// of objects that is spelled out at its first occurrence. Cells are in storage order,
// down columns, but broken into lines by the level's width.
func (s *Session) Text() string {
	b := s.m.board
	var text strings.Builder
	known := map[string]int{}
	for i := range b.size() {
		var names []string
		b.cell(i).All(func(id int) { names = append(names, s.game.Objects[id].Name) })
		slices.Sort(names)
		set := strings.Join(names, " ")
		n, ok := known[set]
		if !ok {
			n = len(known)
			known[set] = n
			text.WriteString(set + ":")
		}
		text.WriteString(strconv.Itoa(n) + ",")
		if i%b.width == b.width-1 {
			text.WriteByte('\n')
		}
	}
	return text.String()
}

// Sounds returns the seeds of the sounds that turns have played.
func (s *Session) Sounds() []string { return s.m.heard }
