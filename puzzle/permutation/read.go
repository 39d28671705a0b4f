package permutation

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/boardfile"
)

// Family is the name of the family whose files say what the moves are.
const Family = "permutation"

func generated() family {
	return family{
		name: Family, aliases: []string{"permutations"},
		metrics: []string{"move"}, notations: []string{"moves"},
		keys: []string{"pieces", "orientations", "start", "goal"},
	}
}

// Bounds of names.
const (
	labelBytesMax = 8
	nameBytesMax  = 16
)

// generators is a file of moves that is being read.
type generators struct {
	system
	labelled
	solved arrangement
}

// Looks reports whether a file describes moves.
func Looks(f *boardfile.File) bool {
	return len(f.Body) > 0 && strings.HasPrefix(f.Body[0].Trim().Text, "move ")
}

// Read reads a puzzle whose file says what the moves are.
func Read(text []byte, opts puzzle.ReadOptions) ([]puzzle.Board, error) {
	return result(read(text, opts))
}

func read(text []byte, opts puzzle.ReadOptions) ([]puzzle.Board, *puzzle.InputError) {
	s, fault := generated().open(text, opts)
	if fault != nil {
		return nil, fault
	}
	g := &generators{}
	if fault := g.readPieces(s); fault != nil {
		return nil, fault
	}
	if fault := g.readOrientations(s); fault != nil {
		return nil, fault
	}
	if fault := g.readEnds(s); fault != nil {
		return nil, fault
	}
	for _, line := range s.Body {
		if line.Trim().Text == "" {
			continue
		}
		if fault := g.readMove(line.Trim()); fault != nil {
			return nil, fault
		}
	}
	if len(g.turns) == 0 {
		return nil, boardfile.Piece{}.Faultf("no moves: write one move per line, as in move A: (1 2 3)")
	}
	return s.finish(g.system, &g.labelled, g.text(s.metric), g.note())
}

// readPieces reads how many pieces there are, or their labels.
func (g *generators) readPieces(s *source) *puzzle.InputError {
	v, ok := s.Value("pieces")
	words := v.Fields()
	if !ok || len(words) == 0 {
		return v.Faultf("no header pieces: give their number or their names")
	}
	if _, err := strconv.Atoi(words[0].Text); len(words) == 1 && err == nil {
		n, fault := words[0].Number("pieces", 1, placesMax)
		if fault != nil {
			return fault
		}
		g.labels, g.solved = counted(n), ordered(n)
		return nil
	}
	if len(words) > placesMax {
		return words[placesMax].Faultf("%d pieces: there are at most %d", len(words), placesMax)
	}
	g.solved = newArrangement(len(words))
	for i, w := range words {
		if !isName(w.Text, labelBytesMax, "_") {
			return w.Faultf("%s is not a name of a piece: must be 1 to %d letters and digits", boardfile.Quote(w.Text), labelBytesMax)
		}
		piece := slices.Index(g.labels, w.Text)
		if piece < 0 {
			piece = len(g.labels)
			g.labels = append(g.labels, w.Text)
		}
		g.solved.pieces[i] = uint8(piece)
	}
	return nil
}

// isName reports whether a word is of letters, digits and a few others.
func isName(word string, bytesMax int, others string) bool {
	for _, r := range word {
		if !letter(r) && !(r >= '0' && r <= '9') && !strings.ContainsRune(others, r) {
			return false
		}
	}
	return word != "" && len(word) <= bytesMax
}

func letter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

// readOrientations reads in how many ways the pieces can lie: one number, or a
// number a place.
func (g *generators) readOrientations(s *source) *puzzle.InputError {
	n := len(g.solved.pieces)
	g.system.moduli = slices.Repeat([]uint8{1}, n)
	if v, ok := s.Value("orientations"); ok {
		words := v.Fields()
		if len(words) != 1 && len(words) != n {
			return v.Faultf("%s: write one number, or one for each of the %s", plural(len(words), "orientation"), plural(n, "place"))
		}
		for i := range n {
			modulus, fault := words[i%len(words)].Number("orientations", 1, orientationsMax)
			if fault != nil {
				return fault
			}
			g.system.moduli[i] = uint8(modulus)
		}
	}
	g.labelled.moduli = g.system.moduli
	return nil
}

// readEnds reads the goal and the start.
func (g *generators) readEnds(s *source) *puzzle.InputError {
	goal := g.solved
	g.start = g.solved
	none := false
	if v, ok := s.Value("goal"); ok {
		if none = strings.EqualFold(v.Text, "none"); !none {
			var fault *puzzle.InputError
			if goal, fault = g.readArrangement(v); fault != nil {
				return fault
			}
			g.start = goal
		}
	}
	if !none {
		g.goals = []arrangement{goal}
	}
	if v, ok := s.Value("start"); ok {
		var fault *puzzle.InputError
		if g.start, fault = g.readArrangement(v); fault != nil {
			return fault
		}
	}
	return nil
}

// readArrangement reads an arrangement of all pieces.
func (g *generators) readArrangement(line boardfile.Piece) (arrangement, *puzzle.InputError) {
	a, fault := g.read(line)
	if fault != nil {
		return a, fault
	}
	got, want := slices.Sorted(slices.Values(a.pieces)), slices.Sorted(slices.Values(g.solved.pieces))
	if !slices.Equal(got, want) {
		return a, line.Faultf("the pieces are not those of the puzzle, which are %s", strings.Join(g.words(g.solved), " "))
	}
	return a, nil
}

// readMove reads a line "move NAME: ..." or "move NAME, INVERSE: ...".
func (g *generators) readMove(line boardfile.Piece) *puzzle.InputError {
	i := strings.IndexByte(line.Text, ':')
	rest, isMove := strings.CutPrefix(line.Text[:max(i, 0)], "move ")
	if i < 0 || !isMove {
		return line.Faultf("%s is not a move: write its name and what it does, as in move A: (1 2 3)", boardfile.Quote(line.Text))
	}
	names := boardfile.Piece{Text: rest, Line: line.Line, Column: line.Column + len("move ")}.Split(',')
	if len(names) > 2 {
		return names[2].Faultf("a third name: a move has one name and one for its inverse")
	}
	t, fault := g.readTurn(line.From(i + 1).Trim())
	if fault != nil {
		return fault
	}
	for _, name := range names {
		if fault := g.addMove(name, t); fault != nil {
			return fault
		}
		t = t.inverse(g.system.moduli)
	}
	return nil
}

// addMove adds a move under a name.
func (g *generators) addMove(name boardfile.Piece, t turn) *puzzle.InputError {
	if !isName(name.Text, nameBytesMax, "'_") || !letter(rune(name.Text[0])) {
		return name.Faultf("%s is not a name of a move: must be a letter and up to %d more letters, digits, ' and _", boardfile.Quote(name.Text), nameBytesMax-1)
	}
	if slices.Contains(g.names, name.Text) {
		return name.Faultf("move %s is already defined", name.Text)
	}
	if len(g.turns) == movesMax {
		return name.Faultf("more than %d moves", movesMax)
	}
	if t.equal(identity(len(t.from))) {
		return name.Faultf("move %s moves nothing", name.Text)
	}
	if i := slices.IndexFunc(g.turns, t.equal); i >= 0 {
		return name.Faultf("move %s does the same as %s", name.Text, g.names[i])
	}
	g.names, g.turns = append(g.names, name.Text), append(g.turns, t)
	return nil
}

// readTurn reads what a move does.
func (g *generators) readTurn(text boardfile.Piece) (turn, *puzzle.InputError) {
	switch {
	case strings.HasPrefix(text.Text, "("):
		return g.readCycles(text)
	case text.Text != "" && letter(rune(text.Text[0])):
		return g.readProduct(text)
	}
	return g.readImages(text)
}

// readCycles reads cycles such as (1 2 3)(4+1 5).
func (g *generators) readCycles(text boardfile.Piece) (turn, *puzzle.InputError) {
	t := identity(len(g.system.moduli))
	moved := make([]bool, len(t.from))
	for text.Text != "" {
		end := strings.IndexByte(text.Text, ')')
		if text.Text[0] != '(' || end < 0 {
			return t, text.Faultf("%s is not a cycle: must be places between parentheses, as in (1 2 3)", boardfile.Quote(text.Text))
		}
		cycle := boardfile.Piece{Text: text.Text[1:end], Line: text.Line, Column: text.Column + 1}
		if fault := g.readCycle(cycle, t, moved); fault != nil {
			return t, fault
		}
		text = text.From(end + 1).Trim()
	}
	return t, nil
}

func (g *generators) readCycle(cycle boardfile.Piece, t turn, moved []bool) *puzzle.InputError {
	words := cycle.Fields()
	if len(words) == 0 {
		return cycle.Faultf("an empty cycle: write places between the parentheses, as in (1 2 3)")
	}
	if len(words) > len(moved) {
		return cycle.Faultf("a cycle of %d places where the puzzle has %d", len(words), len(moved))
	}
	places, bys := make([]int, len(words)), make([]int, len(words))
	for i, w := range words {
		place, by, fault := g.readPlace(w)
		if fault != nil {
			return fault
		}
		if moved[place] {
			return w.Faultf("place %d is in the move twice", place+1)
		}
		moved[place], places[i], bys[i] = true, place, by
	}
	for i, from := range places {
		to := places[(i+1)%len(places)]
		if g.system.moduli[from] != g.system.moduli[to] {
			return g.unlike(words[i], from, to)
		}
		t.from[to], t.by[to] = uint8(from), uint8(bys[i])
	}
	return nil
}

func (g *generators) unlike(at boardfile.Piece, from, to int) *puzzle.InputError {
	return at.Faultf("a piece of place %d, with %d orientations, cannot go to place %d, with %d",
		from+1, g.system.moduli[from], to+1, g.system.moduli[to])
}

// readPlace reads a place and a turn, such as 4+1.
func (g *generators) readPlace(w boardfile.Piece) (place, by int, fault *puzzle.InputError) {
	number, _, _ := strings.Cut(w.Text, "+")
	place, fault = boardfile.Piece{Text: number, Line: w.Line, Column: w.Column}.Number("place", 1, len(g.system.moduli))
	if fault != nil {
		return 0, 0, fault
	}
	_, by, fault = splitTurn(w, int(g.system.moduli[place-1]))
	return place - 1, by, fault
}

// readImages reads from which place comes what arrives at each.
func (g *generators) readImages(text boardfile.Piece) (turn, *puzzle.InputError) {
	t := identity(len(g.system.moduli))
	words := text.Fields()
	if len(words) != len(t.from) {
		return t, text.Faultf("%s: write cycles as in (1 2 3), moves defined above, or for each of the %s where its piece comes from",
			plural(len(words), "place"), plural(len(t.from), "place"))
	}
	used := make([]bool, len(words))
	for to, w := range words {
		from, by, fault := g.readPlace(w)
		if fault != nil {
			return t, fault
		}
		if used[from] {
			return t, w.Faultf("place %d is in the move twice", from+1)
		}
		if g.system.moduli[from] != g.system.moduli[to] {
			return t, g.unlike(w, from, to)
		}
		used[from], t.from[to], t.by[to] = true, uint8(from), uint8(by)
	}
	return t, nil
}

// productMax bounds the moves that are made one of.
const productMax = 1000

// readProduct reads moves one after the other.
func (g *generators) readProduct(text boardfile.Piece) (turn, *puzzle.InputError) {
	t := identity(len(g.system.moduli))
	words := text.Fields()
	if len(words) > productMax {
		return t, text.Faultf("%d moves in one: there are at most %d", len(words), productMax)
	}
	for _, w := range words {
		i := slices.Index(g.names, w.Text)
		if i < 0 {
			return t, w.Faultf("move %s is not defined yet", boardfile.Quote(w.Text))
		}
		t = t.then(g.turns[i], g.system.moduli)
	}
	return t, nil
}

// text writes the puzzle with all that it depends on.
func (g *generators) text(metric string) string {
	var text strings.Builder
	fmt.Fprintf(&text, "puzzle: %s\nmetric: %s\n", Family, metric)
	pieces := strings.Join(g.words(g.solved), " ")
	if len(g.solved.pieces) == 1 && pieces == "1" || slices.Equal(g.labels, counted(len(g.solved.pieces))) {
		pieces = strconv.Itoa(len(g.labels))
	}
	fmt.Fprintf(&text, "pieces: %s\n", pieces)
	if slices.Max(g.system.moduli) > 1 {
		text.WriteString("orientations:")
		for _, modulus := range g.system.moduli {
			text.WriteString(" " + strconv.Itoa(int(modulus)))
		}
		text.WriteByte('\n')
	}
	goal := "none"
	if len(g.goals) > 0 {
		goal = strings.Join(g.words(g.goals[0]), " ")
	}
	fmt.Fprintf(&text, "start: %s\ngoal: %s\n\n", strings.Join(g.words(g.start), " "), goal)
	for id, t := range g.turns {
		text.WriteString("move " + g.names[id] + ":")
		for i, from := range t.from {
			text.WriteString(" " + strconv.Itoa(int(from)+1))
			if t.by[i] > 0 {
				text.WriteString("+" + strconv.Itoa(int(t.by[i])))
			}
		}
		text.WriteByte('\n')
	}
	return text.String()
}

// note describes the puzzle in one line.
func (g *generators) note() string {
	text := plural(len(g.start.pieces), "piece")
	if len(g.labels) < len(g.start.pieces) {
		text += fmt.Sprintf(" of %d kinds", len(g.labels))
	}
	if most := slices.Max(g.system.moduli); most > 1 {
		text += fmt.Sprintf(" in up to %d orientations", most)
	}
	text += ", " + plural(len(g.turns), "move")
	if len(g.goals) == 0 {
		return text + "; no goal"
	}
	return text + "; goal " + strings.Join(g.words(g.goals[0]), " ")
}
