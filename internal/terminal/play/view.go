package play

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/everystate/everystate/internal/quantity"
)

// View returns the screen.
func (m *Model) View() tea.View {
	v := tea.NewView(m.Frame())
	v.AltScreen = true
	v.WindowTitle = "everystate: " + m.game().Name
	return v
}

// Sizes of the screen's parts.
const (
	gap        = 4
	panelLeast = 26
	frameLines = 5 // around the board
)

// Frame returns the text of the screen.
func (m *Model) Frame() string {
	if m.help {
		return m.helpText()
	}
	body := max(1, m.height-frameLines)
	board := look{m.paint, m.selected, m.moved}.draw(m.game().Puzzle, m.line.state())
	beside := board.width+gap+panelLeast <= m.width
	var lines []string
	if beside {
		lines = join(board, m.panel(body, m.width-board.width-gap), body)
	} else {
		lines = append(lines, board.lines[:min(len(board.lines), max(1, body-1))]...)
		lines = append(lines, m.panel(max(1, body-len(lines)), m.width)...)
	}
	for len(lines) < body {
		lines = append(lines, "")
	}
	all := append([]string{m.title(), ""}, lines[:body]...)
	all = append(all, "", m.cut(m.message()), m.paint.Faint(m.cut(m.keys())))
	for i, line := range all {
		all[i] = strings.TrimRight(line, " ")
	}
	return strings.Join(all, "\n")
}

// cut shortens a text without colours to the width of the screen.
func (m *Model) cut(text string) string { return cut(text, m.width) }

func cut(text string, width int) string {
	if runes := []rune(text); len(runes) > max(width, 1) {
		return string(runes[:max(width, 1)-1]) + "…"
	}
	return text
}

func (m *Model) title() string {
	g := m.game()
	rest := fmt.Sprintf("  %s, %s", g.Family, g.Metric)
	if len(m.games) > 1 {
		rest += fmt.Sprintf(", board %d of %d", m.which+1, len(m.games))
	}
	name := m.cut(g.Name)
	return m.paint.Bold(name) + m.paint.Faint(cut(rest, max(1, m.width-len([]rune(name)))))
}

// join puts the panel beside the board.
func join(board drawn, panel []string, height int) []string {
	var lines []string
	for i := range min(height, max(len(board.lines), len(panel))) {
		left, width := "", 0
		if i < len(board.lines) {
			left, width = board.lines[i], len([]rune(board.lines[i]))
			if strings.Contains(left, "\x1b") {
				width = board.width
			}
		}
		line := left
		if i < len(panel) {
			line += strings.Repeat(" ", board.width-width+gap) + panel[i]
		}
		lines = append(lines, line)
	}
	return lines
}

// panel shows where the state is and which moves are legal.
func (m *Model) panel(height, width int) []string {
	g := m.game()
	lines := m.facts(width)
	if m.stepping || g.Arrows && g.Family == "sokoban" {
		return lines[:min(len(lines), height)]
	}
	return append(lines, m.list(height-len(lines), width)...)
}

// facts describes where the state is.
func (m *Model) facts(width int) []string {
	g := m.game()
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, cut(fmt.Sprintf(format, args...), width)) }
	if isGoal(g.Puzzle, m.line.state()) {
		lines = append(lines, m.paint.Good("solved"))
	}
	progress := fmt.Sprintf("move %d", m.line.at)
	if len(m.line.moves) > m.line.at {
		progress += fmt.Sprintf(" of %d", len(m.line.moves))
	}
	if m.line.at > 0 {
		progress += ", by " + g.Puzzle.FormatMove(m.line.moves[m.line.at-1])
	}
	add("%s", progress)
	if m.line.at < len(m.line.moves) {
		add("next %s", g.Puzzle.FormatMove(m.line.moves[m.line.at]))
	}
	if p := m.place; p != nil {
		add("depth %d in %s", p.Depth, p.Run)
		switch {
		case p.Distance == Lost:
			add("no goal can be reached")
		case p.Distance > 0:
			add("goal distance %d", p.Distance)
		}
	}
	if m.selected >= 0 {
		add("selected: %s", m.selectedName())
	}
	return lines
}

func (m *Model) selectedName() string {
	pic := pictureOf(m.game().Puzzle, m.line.state())
	if pic == nil || m.selected >= len(pic.Pieces) {
		return "?"
	}
	if label := pic.Pieces[m.selected].Label; label != "" {
		return label
	}
	c := pic.Pieces[m.selected].Cells[0]
	return fmt.Sprintf("row %d, column %d", c.Row+1, c.Col+1)
}

// list shows as many moves as fit around the chosen one.
func (m *Model) list(height, width int) []string {
	if height < 3 {
		return nil
	}
	if len(m.choices) == 0 {
		return []string{"", "no moves"}
	}
	rows := height - 1
	first := 0
	if len(m.choices) > rows {
		rows-- // for the line with their number
		first = min(max(0, m.cursor-rows/2), len(m.choices)-rows)
	}
	lines := []string{""}
	names := 0
	for _, c := range m.choices {
		names = max(names, len([]rune(c.name)))
	}
	digits := len(fmt.Sprint(len(m.choices)))
	for i := first; i < min(first+rows, len(m.choices)); i++ {
		c := m.choices[i]
		mark := " "
		if i == m.cursor && !m.game().Arrows && !m.game().Inputs {
			mark = ">"
		}
		line := fmt.Sprintf("%s%*d %-*s", mark, digits, i+1, names, c.name)
		if d, ok := m.place.distanceAfter(c.move); ok {
			line += "  " + distanceText(d)
		}
		line = strings.TrimRight(cut(line, width), " ")
		if mark == ">" {
			line = m.paint.Bold(line)
		}
		lines = append(lines, line)
	}
	if len(m.choices) > rows {
		lines = append(lines, m.paint.Faint(fmt.Sprintf(" of %s", quantity.Counted(int64(len(m.choices)), "move"))))
	}
	return lines
}

func distanceText(d int) string {
	switch d {
	case Lost:
		return "lost"
	case Unknown:
		return ""
	}
	return fmt.Sprint(d)
}

// message returns the line below the board.
func (m *Model) message() string {
	switch {
	case m.note != "":
		return m.note
	case m.typed != "":
		return "move " + m.typed + "…"
	case m.hint.asking:
		return "searching …"
	case m.hint.shown:
		text := fmt.Sprintf("hint: %s", m.hintName())
		if m.hint.Length > 0 {
			less := ""
			if m.hint.Optimal {
				less = ", fewest"
			}
			text += fmt.Sprintf(" (%s to the goal%s; %s)", counted(m.hint.Length, m.hint.Count), less, m.hint.From)
		}
		return text + "; Enter makes it"
	}
	return ""
}

// counted formats a number of moves or pushes.
func counted(n int, what string) string {
	switch {
	case what == "push" && n != 1:
		return fmt.Sprintf("%d pushes", n)
	case what == "":
		what = "move"
	}
	return quantity.Counted(int64(n), what)
}

// keys returns the line of keys at the bottom.
func (m *Model) keys() string {
	const always = "? keys  q quit  h hint  u undo  "
	switch {
	case m.stepping:
		return "? keys  q quit  n p step  N P by 25  g G ends  space plays  m play  h hint"
	case m.game().Arrows && m.game().Family == "sokoban":
		return always + "s solve  m step  arrows walk and push"
	case m.game().Arrows && m.game().Family == "tiles":
		return always + "s solve  m step  arrows move tiles"
	case m.game().Inputs:
		return "? keys  q quit  arrows move  x action  z undo  r restart  h hint  s solve"
	case m.game().Arrows:
		return always + "s solve  m step  letter selects  arrows move"
	}
	return always + "s solve  arrows and Enter, or a number: move"
}

const help = `Always
  u         undo a move; n redoes it
  h         hint: the next move towards the nearest goal; Enter makes it
  s         solve: add a path from here to the nearest goal
  m         switch between playing and stepping
  [ ]       previous board, next board
  q         quit

Stepping
  n p       one move forward, one back (also the arrows)
  N P       25 moves forward, 25 back
  g G       to the start, to the end
  space     play, stop; + and - change the speed

Playing
  arrows    move the selected piece, or the only one that can move that way;
            in other puzzles: choose from the list of moves, Enter makes the move
  x z r     in PuzzleScript: action, undo, restart
  A ... Z   select the piece with that letter; Tab selects the next
  1 2 ...   make the move with that number
  n p ...   step, if no piece has that letter`

// helpText returns the screen of keys.
func (m *Model) helpText() string {
	lines := strings.Split(help, "\n")
	for i, line := range lines {
		if line != "" && line[0] != ' ' {
			lines[i] = m.paint.Bold(line)
		}
	}
	if len(lines) > m.height {
		lines = lines[:max(1, m.height)]
	}
	return strings.Join(lines, "\n")
}
