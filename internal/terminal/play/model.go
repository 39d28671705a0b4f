package play

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/everystate/everystate/internal/terminal/paint"
	"github.com/everystate/everystate/puzzle"
)

// Model is the state of the player. It belongs to the goroutine that calls its
// methods.
type Model struct {
	paint         paint.Paint
	games         []Game
	which         int
	width, height int

	line     line
	choices  []choice
	stepping bool // keys step along the line instead of making moves
	selected int  // a piece, or -1
	cursor   int  // in the list of moves
	typed    string
	moved    []puzzle.Cell // where the last move put a piece
	note     string        // the response to the last key
	help     bool

	running bool
	turn    int // distinguishes ticks of this playback from earlier ones
	pause   time.Duration

	place  *Place
	ctx    context.Context //nolint:containedctx // Of all that the guide is asked, for as long as the model lives.
	asked  int             // distinguishes answers to this question from earlier ones
	cancel context.CancelFunc
	hint   hint
}

// hint is what is known about the path from some state to a goal.
type hint struct {
	shown  bool
	asking bool
	Hint
	// states are the states that Moves lead through, including the first, as text.
	states []string
}

// Pauses between the moves of a playback, and the least and greatest of them.
const (
	pauseUsual = 300 * time.Millisecond
	pauseLeast = 20 * time.Millisecond
	pauseMost  = 3 * time.Second
	leap       = 25 // moves that N and P skip
)

// New returns a player of games, at least one.
func New(ctx context.Context, p paint.Paint, games []Game) *Model {
	m := &Model{paint: p, games: games, width: 80, height: 24, pause: pauseUsual, ctx: ctx}
	m.begin()
	return m
}

// begin starts the chosen game.
func (m *Model) begin() {
	g := m.game()
	m.line = newLine(g)
	m.line.replaceRest(g.Moves)
	m.stepping = len(g.Moves) > 0
	m.running, m.hint, m.place, m.note = false, hint{}, nil, ""
	m.settle(-1)
}

func (m *Model) game() *Game { return &m.games[m.which] }

// settle updates the model for a new state, in which a piece, or none, is selected.
func (m *Model) settle(selected int) {
	m.choices = m.game().offered(m.line.state())
	m.selected, m.typed = selected, ""
	m.cursor = min(m.cursor, max(0, len(m.choices)-1))
	m.hint.shown = false
	m.moved = nil
	if m.line.at == 0 {
		return
	}
	before, after := pictureOf(m.game().Puzzle, m.line.states[m.line.at-1]), pictureOf(m.game().Puzzle, m.line.state())
	if before == nil || after == nil {
		return
	}
	if s, ok := shifted(before, after); ok {
		c := before.Pieces[s.piece].Cells[0]
		m.moved = []puzzle.Cell{{Row: c.Row + s.row, Col: c.Col + s.col}}
	}
}

// Messages that commands of the model return.
type (
	placed struct {
		asked int
		place *Place
		err   error
	}
	hinted struct {
		asked int
		hint  Hint
		err   error
		solve bool
	}
	tick struct{ turn int }
)

// Init asks where the start is.
func (m *Model) Init() tea.Cmd { return m.look() }

// look asks where the current state is in the run.
func (m *Model) look() tea.Cmd {
	g := m.game()
	m.place = nil
	m.ask()
	if g.Guide == nil {
		return nil
	}
	asked, state, ctx := m.asked, m.line.state(), m.questions()
	return func() tea.Msg {
		place, err := g.Guide.Look(ctx, state)
		return placed{asked, place, err}
	}
}

// ask invalidates and cancels earlier questions.
func (m *Model) ask() {
	m.asked++
	m.hint.asking = false
	if m.cancel != nil {
		m.cancel()
		m.cancel = nil
	}
}

// questions returns the context of questions asked from now on.
func (m *Model) questions() context.Context {
	if m.cancel != nil {
		m.cancel()
	}
	var ctx context.Context
	ctx, m.cancel = context.WithCancel(m.ctx)
	return ctx
}

// Update handles a key or an answer.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case tea.KeyPressMsg:
		cmd := m.Key(msg.String())
		return m, cmd
	case placed:
		if msg.asked == m.asked {
			m.place = msg.place
			m.complain(msg.err)
		}
	case hinted:
		if msg.asked == m.asked {
			cmd := m.takePath(msg)
			return m, cmd
		}
	case tick:
		if m.running && msg.turn == m.turn {
			cmd := m.onward()
			return m, cmd
		}
	}
	return m, nil
}

func (m *Model) complain(err error) {
	if err != nil && !errors.Is(err, context.Canceled) {
		m.note = err.Error()
	}
}

// Key handles a key, given by package tea's name for it.
func (m *Model) Key(key string) tea.Cmd {
	if key == "ctrl+c" {
		m.ask()
		return tea.Quit
	}
	if m.help {
		m.help = false
		return nil
	}
	m.note = ""
	wasRunning := m.running
	m.running = false
	if cmd, ok := m.steer(key); ok {
		return cmd
	}
	if m.stepping {
		if cmd, ok := m.walk(key, wasRunning); ok {
			return cmd
		}
		m.note = fmt.Sprintf("%s does nothing here: ? shows the keys", key)
		return nil
	}
	if cmd, ok := m.choose(key); ok {
		return cmd
	}
	if cmd, ok := m.walk(key, wasRunning); ok {
		return cmd
	}
	m.note = fmt.Sprintf("%s does nothing here: ? shows the keys", key)
	return nil
}

// steer handles the keys that always mean the same.
func (m *Model) steer(key string) (tea.Cmd, bool) {
	switch key {
	case "q", "esc":
		if key == "esc" && (m.typed != "" || m.selected >= 0 || m.hint.shown || m.hint.asking) {
			m.typed, m.selected, m.hint.shown = "", -1, false
			if m.hint.asking {
				m.ask()
			}
			return nil, true
		}
		m.ask()
		return tea.Quit, true
	case "?":
		m.help = true
	case "m":
		m.stepping = !m.stepping
		m.selected, m.typed = -1, ""
	case "u", "backspace":
		if m.typed != "" {
			m.typed = m.typed[:len(m.typed)-1]
			return nil, true
		}
		return m.walkBy(-1, "this is the start"), true
	case "h":
		return m.askPath(false), true
	case "z", "r":
		if !m.game().Inputs {
			return nil, false
		}
		by := -1
		if key == "r" {
			by = -m.line.at
		}
		return m.walkBy(by, "this is the start"), true
	case "s":
		return m.askPath(true), true
	case "+", "=":
		m.pace(m.pause * 2 / 3)
	case "-":
		m.pace(m.pause * 3 / 2)
	case "[", "]":
		return m.change(key), true
	default:
		return nil, false
	}
	return nil, true
}

func (m *Model) pace(pause time.Duration) {
	m.pause = min(max(pause, pauseLeast), pauseMost)
	m.note = fmt.Sprintf("one move every %.2f s", m.pause.Seconds())
}

// change switches to another board.
func (m *Model) change(key string) tea.Cmd {
	by := 1
	if key == "[" {
		by = -1
	}
	to := m.which + by
	if to < 0 || to >= len(m.games) {
		m.note = "no more boards that way"
		return nil
	}
	m.which = to
	m.begin()
	return m.look()
}

// walk steps along the line.
func (m *Model) walk(key string, wasRunning bool) (tea.Cmd, bool) {
	const last, first = "this is the last state; s finds a path from here", "this is the start"
	switch key {
	case "n", "right":
		return m.walkBy(1, last), true
	case "p", "left":
		return m.walkBy(-1, first), true
	case "N", "pgdown":
		return m.walkBy(leap, last), true
	case "P", "pgup":
		return m.walkBy(-leap, first), true
	case "g", "home":
		return m.walkBy(-len(m.line.moves), first), true
	case "G", "end":
		return m.walkBy(len(m.line.moves), last), true
	case "space":
		if wasRunning {
			return nil, true
		}
		if m.line.at == len(m.line.moves) {
			m.line.at = 0 // once more
			m.settle(-1)
		}
		m.running = len(m.line.moves) > 0
		m.turn++
		if !m.running {
			m.note = "nothing to play; s finds a path"
			return nil, true
		}
		return tea.Batch(m.look(), m.wait()), true
	}
	return nil, false
}

// walkBy steps along the line by a number of moves.
func (m *Model) walkBy(by int, otherwise string) tea.Cmd {
	if !m.line.step(by) {
		m.note = otherwise
		return nil
	}
	m.settle(-1)
	return m.look()
}

func (m *Model) wait() tea.Cmd {
	turn := m.turn
	return tea.Tick(m.pause, func(time.Time) tea.Msg { return tick{turn} })
}

// onward makes the next move of a playback.
func (m *Model) onward() tea.Cmd {
	m.line.step(1)
	m.settle(-1)
	m.running = m.line.at < len(m.line.moves)
	if !m.running {
		return m.look()
	}
	return tea.Batch(m.look(), m.wait())
}

// choose handles the keys that make and select moves.
func (m *Model) choose(key string) (tea.Cmd, bool) {
	if name, ok := inputs[key]; ok && m.game().Inputs {
		if i := slices.IndexFunc(m.choices, func(c choice) bool { return c.name == name }); i >= 0 {
			return m.make(m.choices[i].move, -1), true
		}
		m.note = idle(name, isGoal(m.game().Puzzle, m.line.state()), m.which+1 == len(m.games))
		return nil, true
	}
	if to, ok := arrows[key]; ok {
		if m.game().Arrows {
			return m.push(key, to), true
		}
		by := to.row + to.col
		if len(m.choices) > 0 {
			m.cursor = (m.cursor + by + len(m.choices)) % len(m.choices)
		}
		m.typed = ""
		return nil, true
	}
	switch {
	case key == "enter":
		return m.enter(), true
	case key == "tab" || key == "shift+tab":
		m.next(key == "tab")
		return nil, true
	case len(key) == 1 && key >= "0" && key <= "9":
		return m.number(key), true
	}
	return nil, m.game().Arrows && m.pick(key)
}

// inputs maps keys to the moves that they make in a game.
var inputs = map[string]string{"up": "up", "left": "left", "down": "down", "right": "right", "x": "action"}

// idle explains why an input that changes nothing is not a move.
func idle(name string, solved, last bool) string {
	switch {
	case !solved:
		return name + " changes nothing"
	case !last:
		return "solved: ] goes to the next board"
	}
	return "solved: r starts over"
}

// pick selects a piece by its letter.
func (m *Model) pick(key string) bool {
	pic := pictureOf(m.game().Puzzle, m.line.state())
	piece := labelled(pic, key)
	if piece < 0 && !slices.Contains([]string{"n", "p", "g", "N", "P", "G"}, key) {
		piece = labelled(pic, strings.ToUpper(key))
	}
	if piece >= 0 {
		m.selected = piece
	}
	return piece >= 0
}

// next selects the next or previous piece that can be moved.
func (m *Model) next(forward bool) {
	if !m.game().Arrows {
		m.note = "there is nothing to select"
		if !m.game().Inputs {
			m.note = "choose moves from the list"
		}
		return
	}
	pieces := selectable(m.game().Puzzle, m.line.state())
	if len(pieces) == 0 {
		m.note = "nothing can be moved"
		return
	}
	at := 0
	for i, p := range pieces {
		switch {
		case forward && p <= m.selected:
			at = (i + 1) % len(pieces)
		case !forward && p < m.selected:
			at = i
		}
	}
	if !forward && (m.selected < 0 || m.selected <= pieces[0]) {
		at = len(pieces) - 1
	}
	m.selected = pieces[at]
}

// push moves a piece in the direction of an arrow key.
func (m *Model) push(key string, to arrow) tea.Cmd {
	p := m.game().Puzzle
	move, moved, found, several := push(p, m.line.state(), m.selected, to)
	switch {
	case !found && m.selected >= 0:
		m.note = "that piece cannot go " + key
		return nil
	case !found:
		m.note = "nothing can go " + key
		return nil
	case several:
		m.note = "several pieces can go " + key + ": select one by its letter, or with Tab"
		return nil
	}
	selected := m.selected
	if selected >= 0 {
		c := pictureOf(p, m.line.state()).Pieces[selected].Cells[0]
		selected = standing(pictureOf(p, move.state), puzzle.Cell{Row: c.Row + moved.row, Col: c.Col + moved.col})
	}
	return m.make(move.move, selected)
}

// make makes a move.
func (m *Model) make(move puzzle.Move, selected int) tea.Cmd {
	if !m.line.play(move) {
		m.note = m.game().Puzzle.FormatMove(move) + " is not legal here"
		if m.game().Random {
			m.note = idle(m.game().Puzzle.FormatMove(move), isGoal(m.game().Puzzle, m.line.state()), m.which+1 == len(m.games))
		}
		return nil
	}
	m.settle(selected)
	return m.look()
}

// enter makes the hint's move, or the one chosen in the list.
func (m *Model) enter() tea.Cmd {
	switch {
	case m.hint.shown && len(m.hint.Moves) > 0:
		return m.follow()
	case m.typed != "":
		return m.numbered(m.typed)
	case m.game().Arrows || m.game().Inputs:
		m.note = "arrows move, h asks for a hint"
		return nil
	case len(m.choices) == 0:
		m.note = "there is no move"
		return nil
	}
	return m.make(m.choices[m.cursor].move, -1)
}

// number takes a digit of a move's number. Once no longer number is possible, it
// makes the move.
func (m *Model) number(digit string) tea.Cmd {
	typed := m.typed + digit
	n, err := strconv.Atoi(typed)
	if err != nil || n < 1 || n > len(m.choices) {
		m.typed = ""
		m.note = fmt.Sprintf("there is no move %s: choose 1 to %d", typed, len(m.choices))
		return nil
	}
	if 10*n > len(m.choices) {
		return m.numbered(typed)
	}
	m.typed, m.cursor = typed, n-1
	return nil
}

func (m *Model) numbered(typed string) tea.Cmd {
	n, err := strconv.Atoi(typed)
	if err != nil || n < 1 || n > len(m.choices) {
		m.note = "there is no move " + typed
		return nil
	}
	m.cursor = n - 1
	return m.make(m.choices[n-1].move, -1)
}
