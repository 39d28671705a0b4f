package play

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// Settle runs a command and those that follow from it synchronously.
func (m *Model) Settle(cmd tea.Cmd) {
	for cmd != nil {
		msg := cmd()
		if batch, ok := msg.(tea.BatchMsg); ok {
			for _, one := range batch {
				m.Settle(one)
			}
			return
		}
		_, cmd = m.Update(msg)
	}
}

// Say handles a line of words: names or numbers of moves, and commands. It reports
// whether to quit.
func (m *Model) Say(line string) (leave bool) {
	m.note = ""
	for _, word := range strings.Fields(line) {
		if i := slices.IndexFunc(m.choices, func(c choice) bool { return c.name == word }); i >= 0 {
			m.Settle(m.make(m.choices[i].move, -1))
			continue
		}
		if n, err := strconv.Atoi(word); err == nil {
			m.Settle(m.numbered(strconv.Itoa(n)))
			continue
		}
		switch word {
		case "q", "quit":
			return true
		case "u", "undo":
			m.Settle(m.walkBy(-1, "this is the start"))
		case "n", "next":
			m.Settle(m.walkBy(1, "this is the last state"))
		case "h", "hint":
			m.Settle(m.askPath(false))
		case "s", "solve":
			m.Settle(m.askPath(true))
			if len(m.line.moves) > m.line.at {
				m.note = fmt.Sprintf("a path of %s: next steps along it", counted(len(m.line.moves)-m.line.at, "move"))
			}
			m.stepping = false
		case "make":
			if m.hint.shown {
				m.Settle(m.follow())
			}
		case "[", "]":
			m.Settle(m.change(word))
		case "?", "help":
			m.note = words
		default:
			m.note = word + " is not a move here; moves: " + words
		}
		if m.note != "" {
			break
		}
	}
	return false
}

const words = "the names of moves, or their numbers; undo, next, hint, make (the hint's move), solve, quit"

// Text returns the board and the facts about it, for use without a screen.
func (m *Model) Text() string {
	g := m.game()
	lines := []string{m.title()}
	lines = append(lines, look{selected: -1}.draw(g.Puzzle, m.line.state()).lines...)
	lines = append(lines, m.facts(1<<10)...)
	var moves []string
	for i, c := range m.choices {
		text := fmt.Sprintf("%d %s", i+1, c.name)
		if d, ok := m.place.distanceAfter(c.move); ok && d != Unknown {
			text += " (" + distanceText(d) + ")"
		}
		moves = append(moves, text)
	}
	if len(moves) > 0 {
		lines = append(lines, "moves: "+strings.Join(moves, ", "))
	}
	if note := strings.TrimSuffix(m.message(), "; Enter makes it"); note != "" {
		lines = append(lines, note)
	}
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}
