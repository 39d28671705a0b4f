package permutation

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/boardfile"
	"github.com/everystate/everystate/puzzle/permutation/definition"
	"github.com/everystate/everystate/puzzle/permutation/flat"
	"github.com/everystate/everystate/puzzle/permutation/source"
	"github.com/everystate/everystate/puzzle/permutation/structure"
)

// Family is the name of the family whose files define the moves.
const Family = "permutation"

// Notations of definitions.
const (
	notationMoves   = "moves"
	notationTws     = "tws"
	notationKPuzzle = "kpuzzle"
)

// generated returns the family. For files of other programs the default metric counts
// every multiple of a move as one.
func generated(foreign bool) source.Family {
	fam := source.Family{
		Name: Family, Aliases: []string{"permutations", notationTws, "ksolve", notationKPuzzle},
		Metrics: []string{metricMove, metricHalf, metricQuart}, Notations: []string{notationMoves, notationTws, notationKPuzzle},
		Keys: []string{"sets", "pieces", "orientations", "start", "goal", "blocked", "generators", "only", "ignore", "alike", "ignore-turns", keyModulo},
	}
	if foreign {
		fam.Metrics = []string{metricHalf, metricQuart, metricMove}
	}
	return fam
}

// Bounds of names.
const (
	labelBytesMax = 8
)

// moveReader is the reader of a file that defines moves.
type moveReader struct {
	system
	described
	solved arrangement

	name   string
	metric string
	bases  []string // names of what the file lists as moves
	others []string // names that are not moves: rotations and aliases
	modulo string   // those that are turns of the whole puzzle
}

// Looks reports whether a file describes moves.
func Looks(f *boardfile.File) bool {
	return len(f.Body) > 0 && strings.HasPrefix(f.Body[0].Trim().Text, "move ") || LooksDefined(f)
}

// LooksDefined reports whether a file is a definition of another program.
func LooksDefined(f *boardfile.File) bool { return definition.Looks(f) }

// Read reads a puzzle whose file defines the moves.
func Read(text []byte, opts puzzle.ReadOptions) ([]puzzle.Board, error) {
	return result(read(text, opts))
}

func read(text []byte, opts puzzle.ReadOptions) ([]puzzle.Board, *puzzle.InputError) {
	f, fault := boardfile.Parse(text)
	if fault != nil {
		return nil, fault
	}
	s, fault := generated(definition.Looks(f)).Open(text, opts)
	if fault != nil {
		return nil, fault
	}
	g, fault := readGenerators(s, opts)
	if fault != nil {
		return nil, fault
	}
	g.name, g.metric = s.Board.Name, s.Metric
	return finish(s, g.system, g, g.text(s.Metric), g.note())
}

func readGenerators(s *source.File, opts puzzle.ReadOptions) (*moveReader, *puzzle.InputError) {
	g := &moveReader{}
	foreign := s.Notation == notationTws || s.Notation == notationKPuzzle || s.Notation == "" && definition.Looks(s.File)
	read := g.readOwn
	if foreign {
		read = g.readForeign
	}
	if fault := read(s); fault != nil {
		return nil, fault
	}
	list, ok := s.Value("generators")
	if opts.Moves != "" {
		list, ok = boardfile.Piece{Text: opts.Moves}, true
		s.Board.Expect = puzzle.ExpectNothing() // it applied to the file's own moves
	}
	if ok {
		if fault := g.choose(list); fault != nil {
			return nil, fault
		}
	}
	if fault := g.readMasks(s); fault != nil {
		return nil, fault
	}
	if fault := g.expand(s.Metric); fault != nil {
		return nil, fault
	}
	if fault := g.readModulo(s); fault != nil {
		return nil, fault
	}
	if fault := g.readEnds(s); fault != nil {
		return nil, fault
	}
	var moves [][]uint8
	for _, t := range g.moves {
		moves = append(moves, t.From)
	}
	g.shape = flat.Of(moves)
	return g, nil
}

// readOwn reads a file in the notation of this package.
func (g *moveReader) readOwn(s *source.File) *puzzle.InputError {
	if fault := g.readPieces(s); fault != nil {
		return fault
	}
	if fault := g.readOrientations(s); fault != nil {
		return fault
	}
	if fault := g.readBlocked(s); fault != nil {
		return fault
	}
	g.start, g.goals, g.solution = g.solved, []arrangement{g.solved}, g.solved
	g.known = map[string]move{}
	for _, line := range s.Body {
		if line.Trim().Text == "" {
			continue
		}
		if fault := g.readMove(line.Trim()); fault != nil {
			return fault
		}
	}
	if len(g.bases) == 0 {
		return boardfile.Piece{}.Faultf("no moves: write one move per line, as in move A: (1 2 3)")
	}
	return nil
}

// readPieces reads the number of pieces, or their labels, set by set.
func (g *moveReader) readPieces(s *source.File) *puzzle.InputError {
	v, ok := s.Value("pieces")
	if !ok || v.Text == "" {
		return v.Faultf("no header pieces: give their number or their names")
	}
	names := []boardfile.Piece{{}}
	if list, ok := s.Value("sets"); ok {
		names = list.Fields()
	}
	parts := v.Split('/')
	if len(parts) != len(names) {
		return v.Faultf("pieces of %s, but there are %s: write / between them", plural(len(parts), "set"), plural(len(names), "set"))
	}
	var pieces []uint8
	for i, part := range parts {
		if names[i].Text != "" && !definition.IsName(names[i].Text) {
			return names[i].Faultf("%s is not a name of a set", boardfile.Quote(names[i].Text))
		}
		if slices.ContainsFunc(g.sets, func(s set) bool { return s.name == names[i].Text }) {
			return names[i].Faultf("set %s is already defined", names[i].Text)
		}
		list, fault := g.readSet(i, part)
		if fault != nil {
			return fault
		}
		g.sets = append(g.sets, set{names[i].Text, len(pieces), len(list)})
		if pieces = append(pieces, list...); len(pieces) > placesMax {
			return part.Faultf("%d pieces: there are at most %d", len(pieces), placesMax)
		}
	}
	g.solved = arrangement{pieces, make([]uint8, len(pieces))}
	return nil
}

// readSet reads the pieces of a set. A label may end with ? if the orientation is
// ignored, or with ? and the number of orientations that are distinguished.
func (g *moveReader) readSet(set int, part boardfile.Piece) ([]uint8, *puzzle.InputError) {
	words := part.Fields()
	if len(words) == 0 {
		return nil, part.Faultf("no pieces: say how many there are, or their names")
	}
	if _, err := strconv.Atoi(words[0].Text); len(words) == 1 && err == nil {
		n, fault := words[0].Number("pieces", 1, placesMax)
		if fault != nil {
			return nil, fault
		}
		var list []uint8
		for _, label := range counted(n) {
			list = append(list, g.addPiece(set, label, 0))
		}
		return list, nil
	}
	if len(words) > placesMax {
		return nil, words[placesMax].Faultf("%d pieces: there are at most %d", len(words), placesMax)
	}
	var list []uint8
	for _, w := range words {
		label, ways := w.Text, 0
		if i := strings.IndexByte(w.Text, '?'); i >= 0 {
			label, ways = w.Text[:i], 1
			if rest := w.From(i + 1); rest.Text != "" {
				var fault *puzzle.InputError
				if ways, fault = rest.Number("orientations", 1, orientationsMax); fault != nil {
					return nil, fault
				}
			}
		}
		if !definition.IsLabel(label, labelBytesMax) {
			return nil, w.Faultf("%s is not a name of a piece: must be 1 to %d letters and digits", boardfile.Quote(w.Text), labelBytesMax)
		}
		piece := g.addPiece(set, label, uint8(ways))
		if int(g.ways[piece]) != ways {
			return nil, w.Faultf("piece %s also occurs with a different orientation: pieces that are alike must have the same one", label)
		}
		list = append(list, piece)
	}
	return list, nil
}

// readOrientations reads the numbers of orientations: one number, or one per place.
func (g *moveReader) readOrientations(s *source.File) *puzzle.InputError {
	n := len(g.solved.pieces)
	g.moduli = slices.Repeat([]uint8{1}, n)
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
			g.moduli[i] = uint8(modulus)
		}
	}
	g.labelled.moduli = g.moduli
	for place, piece := range g.solved.pieces {
		modulus := g.moduli[place]
		if g.ways[piece] == 0 {
			g.ways[piece] = modulus
		}
		if modulus%g.ways[piece] != 0 {
			v, _ := s.Value("pieces")
			return v.Faultf("piece %s has %d distinguishable orientations, which must divide the %s of place %d",
				g.labels[piece], g.ways[piece], plural(int(modulus), "orientation"), place+1)
		}
	}
	return nil
}

// readBlocked reads places and the pieces that must not be there.
func (g *moveReader) readBlocked(s *source.File) *puzzle.InputError {
	v, ok := s.Value("blocked")
	if !ok {
		return nil
	}
	for _, part := range v.Split(',') {
		words := part.Fields()
		if len(words) < 2 {
			return part.Faultf("%s: write a place and the pieces that must not be there", boardfile.Quote(part.Text))
		}
		place, fault := words[0].Number("place", 1, len(g.solved.pieces))
		if fault != nil {
			return fault
		}
		for _, w := range words[1:] {
			piece := g.piece(g.setOf(place-1), w.Text)
			if piece < 0 {
				return w.Faultf("unknown piece %s; the pieces are %s", boardfile.Quote(w.Text), strings.Join(g.labelsOf(g.setOf(place-1)), " "))
			}
			if b := (block{uint8(place - 1), uint8(piece)}); !slices.Contains(g.blocked, b) {
				g.blocked = append(g.blocked, b)
			}
		}
	}
	return nil
}

// goalsMax bounds the goals of a file.
const goalsMax = 1000

// readEnds reads the goals and the start.
func (g *moveReader) readEnds(s *source.File) *puzzle.InputError {
	if v, ok := s.Value("goal"); ok {
		g.goals = nil
		if !strings.EqualFold(v.Text, "none") {
			for _, part := range v.Split(';') {
				goal, fault := g.readArrangement(part)
				if fault != nil {
					return fault
				}
				if g.goals = append(g.goals, goal); len(g.goals) > goalsMax {
					return part.Faultf("more than %d goals", goalsMax)
				}
			}
			g.start, g.solution = g.goals[0], g.goals[0]
		}
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
func (g *moveReader) readArrangement(line boardfile.Piece) (arrangement, *puzzle.InputError) {
	a, fault := g.read(line)
	if fault != nil {
		return a, fault
	}
	got, want := slices.Sorted(slices.Values(a.pieces)), slices.Sorted(slices.Values(g.solved.pieces))
	if !slices.Equal(got, want) {
		return a, line.Faultf("the pieces are not those of the puzzle, which are %s", g.line(g.solved))
	}
	g.settle(a)
	return a, nil
}

// The first words of lines of the body.
const (
	wordMove  = "move"
	wordAlias = "alias" // a name that is not a move, such as a turn of the whole puzzle
)

// readMove reads a line "move NAME: ..." or "move NAME, INVERSE: ...".
func (g *moveReader) readMove(line boardfile.Piece) *puzzle.InputError {
	i := strings.IndexByte(line.Text, ':')
	word, rest, _ := strings.Cut(line.Text[:max(i, 0)], " ")
	if i < 0 || word != wordMove && word != wordAlias {
		return line.Faultf("%s is not a move: write its name and what it does, as in move A: (1 2 3)", boardfile.Quote(line.Text))
	}
	names := boardfile.Piece{Text: rest, Line: line.Line, Column: line.Column + len(word) + 1}.Split(',')
	if len(names) > 2 {
		return names[2].Faultf("a third name: a move has one name, and one for its inverse")
	}
	t, fault := g.readTurn(line.From(i + 1).Trim())
	if fault != nil {
		return fault
	}
	for _, name := range names {
		if fault := g.addMove(name, t, word == wordMove); fault != nil {
			return fault
		}
		t = t.Inverse(g.moduli)
	}
	return nil
}

// addMove adds a move, or an alias if isMove is false.
func (g *moveReader) addMove(name boardfile.Piece, t move, isMove bool) *puzzle.InputError {
	if !definition.IsName(name.Text) || strings.HasPrefix(name.Text, "'") {
		return name.Faultf("%s is not a name of a move: must be letters, digits, ', - and _, with a letter among them", boardfile.Quote(name.Text))
	}
	if _, known := g.known[name.Text]; known {
		return name.Faultf("move %s is already defined", name.Text)
	}
	if len(g.known) == movesMax {
		return name.Faultf("more than %d moves", movesMax)
	}
	g.known[name.Text] = t
	if !isMove {
		g.others = append(g.others, name.Text)
		return nil
	}
	if why := g.idle(t, g.bases); why != "" {
		return name.Faultf("move %s %s", name.Text, why)
	}
	g.bases = append(g.bases, name.Text)
	return nil
}

// idle returns why a move adds nothing to others, or "". The canonical text must list no
// such move: its reader refuses it.
func (g *moveReader) idle(t move, others []string) string {
	if t.Equal(structure.Still(len(t.From))) {
		return "moves nothing"
	}
	for _, other := range others {
		if g.known[other].Equal(t) {
			return "does the same as " + other
		}
	}
	return ""
}

// readTurn reads the effect of a move.
func (g *moveReader) readTurn(text boardfile.Piece) (move, *puzzle.InputError) {
	inside, _, _ := strings.Cut(strings.TrimPrefix(text.Text, "("), ")")
	switch {
	case strings.HasPrefix(text.Text, "(") && strings.Trim(inside, "0123456789+, \t") == "":
		return g.readCycles(text)
	case strings.ContainsFunc(text.Text, definition.IsLetter):
		return g.product(text, notAbove)
	}
	return g.readImages(text)
}

// readCycles reads cycles such as (1 2 3)(4+1 5), or with commas, as in GAP.
func (g *moveReader) readCycles(text boardfile.Piece) (move, *puzzle.InputError) {
	t := structure.Still(len(g.moduli))
	moved := make([]bool, len(t.From))
	for text.Text != "" {
		end := strings.IndexByte(text.Text, ')')
		if text.Text[0] != '(' || end < 0 {
			return t, text.Faultf("%s is not a cycle: must be places between parentheses, as in (1 2 3)", boardfile.Quote(text.Text))
		}
		cycle := boardfile.Piece{Text: strings.ReplaceAll(text.Text[1:end], ",", " "), Line: text.Line, Column: text.Column + 1}
		if fault := g.readCycle(cycle, t, moved); fault != nil {
			return t, fault
		}
		text = text.From(end + 1).Trim()
		if strings.HasPrefix(text.Text, ",") {
			text = text.From(1).Trim()
		}
	}
	return t, nil
}

func (g *moveReader) readCycle(cycle boardfile.Piece, t move, moved []bool) *puzzle.InputError {
	words := cycle.Fields()
	if len(words) == 0 {
		return cycle.Faultf("an empty cycle: write places between the parentheses, as in (1 2 3)")
	}
	if len(words) > len(moved) {
		return cycle.Faultf("a cycle of %d places, but the puzzle has %d", len(words), len(moved))
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
		if g.moduli[from] != g.moduli[to] {
			return g.unlike(words[i], from, to)
		}
		t.From[to], t.By[to] = uint8(from), uint8(bys[i])
	}
	return nil
}

func (g *moveReader) unlike(at boardfile.Piece, from, to int) *puzzle.InputError {
	return at.Faultf("a piece of place %d, with %d orientations, cannot go to place %d, with %d",
		from+1, g.moduli[from], to+1, g.moduli[to])
}

// readPlace reads a place and a turn, such as 4+1.
func (g *moveReader) readPlace(w boardfile.Piece) (place, by int, fault *puzzle.InputError) {
	number, _, _ := strings.Cut(w.Text, "+")
	place, fault = boardfile.Piece{Text: number, Line: w.Line, Column: w.Column}.Number("place", 1, len(g.moduli))
	if fault != nil {
		return 0, 0, fault
	}
	_, by, fault = splitTurn(w, int(g.moduli[place-1]))
	return place - 1, by, fault
}

// readImages reads, for each place, the place its new piece comes from.
func (g *moveReader) readImages(text boardfile.Piece) (move, *puzzle.InputError) {
	t := structure.Still(len(g.moduli))
	words := text.Fields()
	if len(words) != len(t.From) {
		return t, text.Faultf("%s: write cycles as in (1 2 3), moves defined above, or for each of the %s where its piece comes from",
			plural(len(words), "place"), plural(len(t.From), "place"))
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
		if g.moduli[from] != g.moduli[to] {
			return t, g.unlike(w, from, to)
		}
		used[from], t.From[to], t.By[to] = true, uint8(from), uint8(by)
	}
	return t, nil
}

// text writes the puzzle with everything it depends on.
func (g *moveReader) text(metric string) string {
	var text strings.Builder
	fmt.Fprintf(&text, "puzzle: %s\nmetric: %s\n", Family, metric)
	if len(g.sets) > 1 || g.sets[0].name != "" {
		text.WriteString("sets:")
		for _, s := range g.sets {
			text.WriteString(" " + s.name)
		}
		text.WriteByte('\n')
	}
	fmt.Fprintf(&text, "pieces: %s\n", g.piecesText())
	if slices.Max(g.moduli) > 1 {
		text.WriteString("orientations:")
		for _, modulus := range g.moduli {
			text.WriteString(" " + strconv.Itoa(int(modulus)))
		}
		text.WriteByte('\n')
	}
	if g.modulo != "" {
		fmt.Fprintf(&text, "%s: %s\n", keyModulo, g.modulo)
	}
	for i, b := range g.blocked {
		text.WriteString(map[bool]string{true: "blocked: ", false: ", "}[i == 0])
		fmt.Fprintf(&text, "%d %s", b.place+1, g.labels[b.piece])
	}
	if len(g.blocked) > 0 {
		text.WriteByte('\n')
	}
	fmt.Fprintf(&text, "start: %s\ngoal: %s\n\n", g.line(g.start), g.goalText())
	for _, name := range g.bases {
		g.writeTurn(&text, wordMove, name)
	}
	for _, name := range g.others {
		g.writeTurn(&text, wordAlias, name)
	}
	return text.String()
}

// piecesText writes the pieces in solved order, set by set.
func (g *moveReader) piecesText() string {
	var parts []string
	for _, s := range g.sets {
		var words []string
		plain := true
		for i, piece := range g.solved.pieces[s.first : s.first+s.places] {
			word := g.labels[piece]
			plain = plain && word == strconv.Itoa(i+1)
			switch ways := g.ways[piece]; ways {
			case g.moduli[s.first+i]:
			case 1:
				word, plain = word+"?", false
			default:
				word, plain = word+"?"+strconv.Itoa(int(ways)), false
			}
			words = append(words, word)
		}
		if plain {
			words = []string{strconv.Itoa(s.places)}
		}
		parts = append(parts, strings.Join(words, " "))
	}
	return strings.Join(parts, " / ")
}

func (g *moveReader) goalText() string {
	if len(g.goals) == 0 {
		return "none"
	}
	var goals []string
	for _, goal := range g.goals {
		goals = append(goals, g.line(goal))
	}
	return strings.Join(goals, " ; ")
}

func (g *moveReader) writeTurn(text *strings.Builder, word, name string) {
	t := g.known[name]
	text.WriteString(word + " " + name + ":")
	for i, from := range t.From {
		text.WriteString(" " + strconv.Itoa(int(from)+1))
		if t.By[i] > 0 {
			text.WriteString("+" + strconv.Itoa(int(t.By[i])))
		}
	}
	text.WriteByte('\n')
}

// noteGoalMax bounds the length of a goal in a note.
const noteGoalMax = 100

// note describes the puzzle in one line.
func (g *moveReader) note() string {
	text := plural(len(g.start.pieces), "piece")
	if len(g.labels) < len(g.start.pieces) {
		text += fmt.Sprintf(" of %d kinds", len(g.labels))
	}
	if most := slices.Max(g.moduli); most > 1 {
		text += fmt.Sprintf(" in up to %d orientations", most)
	}
	text += ", " + plural(len(g.moves), "move")
	if g.turns != nil {
		text += fmt.Sprintf(", modulo %d turns of the whole puzzle", g.turns.Count())
	}
	switch goals := g.goalText(); {
	case len(g.goals) == 0:
		return text + "; no goal"
	case len(goals) > noteGoalMax && len(g.goals) > 1:
		return text + "; " + plural(len(g.goals), "goal")
	case len(goals) > noteGoalMax:
		return text
	default:
		return text + "; goal " + goals
	}
}
