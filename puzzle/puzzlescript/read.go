package puzzlescript

import (
	"fmt"
	"slices"
	"strings"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/boardfile"
	"github.com/everystate/everystate/puzzle/puzzlescript/game"
	"github.com/everystate/everystate/puzzle/puzzlescript/machine"
	"github.com/everystate/everystate/puzzle/puzzlescript/syntax"
)

// Family is the name of the family.
const Family = "puzzlescript"

// Metric is the only metric.
const Metric = "move"

const notation = "puzzlescript"

// Bounds of a level.
const (
	cellsMax  = 1 << 16
	planesMax = 1 << 25 // objects times cells
	levelsMax = 1000
)

// Looks reports whether a file has the sections of a game.
func Looks(f *boardfile.File) bool {
	wanted := strings.Fields("objects legend collisionlayers rules winconditions levels")
	for _, line := range f.Body {
		if len(wanted) > 0 && strings.EqualFold(strings.TrimSpace(line.Text), wanted[0]) {
			wanted = wanted[1:]
		}
	}
	return len(wanted) == 0
}

// Read reads the levels of a game: the one that the header "level" or the options
// choose, or all.
func Read(text []byte, opts puzzle.ReadOptions) ([]puzzle.Board, error) {
	boards, fault := read(text, opts)
	if fault != nil {
		return nil, fault
	}
	return boards, nil
}

// header holds the headers before a game.
type header struct {
	name   string
	level  string // as ReadOptions.Level
	expect puzzle.Expect
	body   string
	lines  int             // number of lines before the body
	chance *machine.Random // of a random game
}

func readHeader(text []byte, opts puzzle.ReadOptions) (h header, fault *puzzle.InputError) {
	f, fault := boardfile.Parse(text)
	if fault != nil {
		return h, fault
	}
	if fault = f.CheckKeys("puzzle", "name", "metric", "notation", "level", "moves", "states"); fault != nil {
		return h, fault
	}
	for _, c := range []struct{ key, want, option string }{
		{"puzzle", Family, ""}, {"metric", Metric, opts.Metric}, {"notation", notation, opts.Notation},
	} {
		if v, ok := f.Value(c.key); ok && !strings.EqualFold(v.Text, c.want) {
			return h, v.Faultf("unknown %s %s: must be %s", c.key, boardfile.Quote(v.Text), c.want)
		}
		if c.option != "" && !strings.EqualFold(strings.TrimSpace(c.option), c.want) {
			return h, boardfile.Piece{}.Faultf("unknown %s %s: must be %s", c.key, boardfile.Quote(c.option), c.want)
		}
	}
	if h.name, fault = f.Name(); fault != nil {
		return h, fault
	}
	if h.expect, fault = f.Expect(); fault != nil {
		return h, fault
	}
	if v, ok := f.Value("level"); ok {
		if _, fault = v.Number("level", 1, levelsMax); fault != nil {
			return h, fault
		}
		h.level = v.Text
	}
	if opts.Level != "" {
		h.level = opts.Level
	}
	if len(f.Body) == 0 {
		return h, boardfile.Piece{}.Faultf("no game: write its sections, from objects to levels")
	}
	h.lines = f.Body[0].Line - 1
	lines := strings.Split(strings.ReplaceAll(strings.TrimPrefix(string(text), "\uFEFF"), "\r", ""), "\n")
	h.body = strings.TrimRight(strings.Join(lines[h.lines:], "\n"), " \t\n")
	return h, nil
}

func read(text []byte, opts puzzle.ReadOptions) ([]puzzle.Board, *puzzle.InputError) {
	h, fault := readHeader(text, opts)
	if fault != nil {
		return nil, fault
	}
	var log syntax.Log
	g := game.Read(h.body, &log)
	if m, faulty := log.First(); faulty || g == nil {
		return nil, h.at(m.Line, m.Text)
	}
	random, fault := h.random(g)
	switch {
	case fault != nil:
		return nil, fault
	case random > 0 && opts.Seed == "":
		return nil, h.at(random, "this rule is random: only deterministic games can be explored")
	case random > 0:
		h.chance = machine.NewRandom(opts.Seed)
	}
	levels, names := playable(g)
	switch {
	case len(levels) > levelsMax:
		return nil, h.at(syntax.NoLine, fmt.Sprintf("%d levels: at most %d are allowed", len(levels), levelsMax))
	case len(levels) == 0:
		return nil, h.at(syntax.NoLine, "a game without a level")
	}
	only, fault := puzzle.ReadOptions{Level: h.level}.LevelIndex(names)
	if fault != nil {
		return nil, fault
	}
	programs := map[[2]int]*machine.Program{}
	var boards []puzzle.Board
	for n, l := range levels {
		if only >= 0 && n != only {
			continue
		}
		board, fault := h.board(opts, g, l, n+1, programs)
		if fault != nil {
			return nil, fault
		}
		if board.Name != "" && len(levels) > 1 {
			board.Name = fmt.Sprintf("%s, level %d", board.Name, n+1)
		}
		boards = append(boards, board)
	}
	return boards, nil
}

// playable returns the levels of a game that are not messages, and the names that
// choose them: the message before each.
func playable(g *game.Game) (levels []*game.Level, names []string) {
	name := ""
	for i := range g.Levels {
		l := &g.Levels[i]
		if l.IsMessage {
			name = plainName(strings.TrimSpace(l.Message))
			continue
		}
		levels, names = append(levels, l), append(names, name)
		name = ""
	}
	return levels, names
}

// at makes a fault at a line of the game.
func (h *header) at(line int, what string) *puzzle.InputError {
	if line == syntax.NoLine || line == 0 {
		line = 0
	} else {
		line += h.lines
	}
	what = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, what)
	const bytesMax = 800
	if len(what) > bytesMax {
		what = strings.ToValidUTF8(what[:bytesMax], "") + "..."
	}
	return &puzzle.InputError{Line: line, What: what}
}

// random returns the line of a rule by which a move may have several results, or 0. It
// refuses games whose states are more than the level.
func (h *header) random(g *game.Game) (line int, fault *puzzle.InputError) {
	if g.Realtime {
		return 0, h.at(syntax.NoLine, "realtime_interval: real-time games cannot be explored")
	}
	if line := commandLine(g, "checkpoint"); line > 0 && commandLine(g, "restart") > 0 {
		return 0, h.at(line, "checkpoint: a game that also has the command restart cannot be explored: the checkpoint that it returns to is not part of a state")
	}
	for _, groups := range [][]game.Group{g.Rules, g.Late} {
		for i := range groups {
			for j := range groups[i].Rules {
				if u := &groups[i].Rules[j]; groups[i].Random || isRandom(u) {
					return u.Line, nil
				}
			}
		}
	}
	return 0, nil
}

func isRandom(u *game.Rule) bool {
	for k := range u.Rows {
		for n := range u.Rows[k].Cells {
			if p := u.Rows[k].Cells[n].Replacement; p != nil && (!p.RandomObject.Empty() || !p.RandomDirectionLayers.Empty()) {
				return true
			}
		}
	}
	return false
}

// board makes a puzzle of a level.
func (h *header) board(opts puzzle.ReadOptions, g *game.Game, l *game.Level, number int, programs map[[2]int]*machine.Program) (b puzzle.Board, fault *puzzle.InputError) {
	if n := l.Width * l.Height; n > cellsMax || n*len(g.Objects) > planesMax {
		return b, h.at(l.Line, fmt.Sprintf("a level of %d cells in a game of %d objects is too large: at most %d cells, and %d for cells times objects", n, len(g.Objects), cellsMax, planesMax))
	}
	size := [2]int{l.Width, l.Height}
	if programs[size] == nil {
		programs[size] = machine.NewProgram(g, l.Width, l.Height)
	}
	p := &level{game: g, source: l, program: programs[size], text: newAlphabet(g, l), lines: h.lines, added: opts.Added, chance: h.chance}
	w := p.take()
	won, fault := h.begin(p, w)
	if fault != nil {
		return b, fault
	}
	var ok bool
	if p.reach, ok = newReach(g, l, w.after.Cell); !ok {
		return b, h.at(l.Line, "the level is too large for its rules: what they can change cannot be determined")
	}
	var err error
	if p.fields, err = newFields(g, p.reach, w.after, machine.New(p.program)); err != nil {
		return b, h.at(l.Line, err.Error())
	}
	p.layout = puzzle.Layout{KeyBits: max(1, p.fields.bits), Moves: len(inputs), HasGoal: len(g.Conditions) > 0 || p.fields.won != nil}
	if p.fields.words > 1 {
		p.layout.KeyBits = 64 * p.fields.words
	}
	if g.NoAction {
		p.layout.Moves--
	}
	p.start = make([]uint64, p.fields.words)
	if !p.fields.pack(w.after, won, p.start) {
		return b, h.at(l.Line, "the start of the level is not one of its states")
	}
	p.give(w)
	b = puzzle.Board{
		Puzzle: p, Family: Family, Name: h.name, Metric: Metric, Above: h.lines - opts.Added, Expect: h.expect,
		Text: fmt.Sprintf("puzzle: %s\nmetric: %s\nlevel: %d\n\n%s\n", Family, Metric, number, h.body),
		Note: fmt.Sprintf("level %d, %dx%d, %s per state", number, l.Width, l.Height, bitCount(max(1, p.fields.bits))),
	}
	if b.Name == "" {
		b.Name = plainName(g.Title)
	}
	return b, nil
}

func bitCount(n int) string {
	if n == 1 {
		return "1 bit"
	}
	return fmt.Sprintf("%d bits", n)
}

// begin begins the level in w.after, and reports whether it is won immediately.
func (h *header) begin(p *level, w *worker) (won bool, fault *puzzle.InputError) {
	w.after.Begin(p.source)
	if !p.game.RulesOnStart {
		return false, nil
	}
	switch w.after.Step(0, w.spare) {
	case machine.Aborted:
		f := w.after.Fault()
		return false, h.at(f.Line, f.What)
	case machine.Restarts:
		return false, h.at(commandLine(p.game, "restart"), "restart: a level whose start rules restart it at once cannot be explored")
	case machine.Wins:
		return true, nil
	case machine.Rests:
	}
	return false, nil
}

// plainName returns a title if it is a printable name, or an empty string.
func plainName(title string) string {
	const bytesMax = 100
	if len(title) > bytesMax || slices.ContainsFunc([]rune(title), func(r rune) bool { return r < ' ' || r >= 0x7f }) {
		return ""
	}
	return title
}
