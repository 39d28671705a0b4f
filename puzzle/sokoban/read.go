package sokoban

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/boardfile"
)

// Family is the name of this family of puzzles.
const Family = "sokoban"

// Read reads all levels of a text. An error is a *puzzle.InputError.
func Read(text []byte, opts puzzle.ReadOptions) ([]puzzle.Board, error) {
	r := newReader()
	if fault := r.readAll(text, opts); fault != nil {
		return nil, fault
	}
	boards := make([]puzzle.Board, 0, len(r.levels))
	for i := range r.levels {
		board, fault := r.board(&r.levels[i])
		switch {
		case fault == nil:
		case opts.OneLevel(): // which may be another one
			board = puzzle.Board{Name: r.levels[i].name.text, Fault: fault}
		default:
			return nil, fault
		}
		boards = append(boards, board)
	}
	return boards, nil
}

// notations are all recognised automatically.
var notations = []string{"xsb", "sok", "rle"}

func (r *reader) readAll(text []byte, opts puzzle.ReadOptions) *puzzle.InputError {
	if n := opts.Notation; n != "" && !known(n, notations) {
		return &puzzle.InputError{What: fmt.Sprintf("unknown notation %s: must be %s", boardfile.Quote(n), strings.Join(notations, ", "))}
	}
	var asked metric
	if opts.Metric != "" {
		var fault *puzzle.InputError
		if asked, fault = parseMetric(boardfile.Piece{Text: opts.Metric}); fault != nil {
			return fault
		}
	}
	if fault := r.read(text); fault != nil {
		return fault
	}
	if len(r.levels) == 0 {
		return &puzzle.InputError{What: "no level: the input has no rows with walls #"}
	}
	r.counted, r.asked = r.metric, opts.Prune
	if opts.Metric != "" {
		r.metric = asked
	}
	return nil
}

func known(name string, names []string) bool {
	for _, n := range names {
		if strings.EqualFold(n, name) {
			return true
		}
	}
	return false
}

// Looks reports whether a file without a header "puzzle:" looks like a collection of
// levels: it has a row with a wall and a symbol that only Sokoban uses.
func Looks(f *boardfile.File) bool {
	for _, l := range f.Body {
		if row, fault := rowPart(l, false); fault == nil && strings.Contains(row.Text, "#") && strings.ContainsAny(row.Text, "@+$*") {
			return true
		}
	}
	return false
}

// board makes a puzzle of a level.
func (r *reader) board(e *entry) (puzzle.Board, *puzzle.InputError) {
	l, fault := newLevel(&e.drawing)
	if fault != nil {
		return puzzle.Board{}, fault
	}
	p := r.prune
	if r.asked && p == pruneNone {
		p = pruneDead | pruneFreeze
	}
	if r.metric == metricBackward {
		p = pruneNone // states reached by undoing pushes are never unsolvable
	}
	g := newGame(l, r.metric, p)
	board := puzzle.Board{
		Puzzle: g,
		Family: Family,
		Name:   e.name.text,
		Metric: r.metric.String(),
		Text:   g.text(),
		Note:   g.note(),
		Expect: puzzle.ExpectNothing(),
	}
	switch {
	case r.metric == r.counted:
		board.Expect = e.expect
	case e.expect != puzzle.ExpectNothing():
		board.Note += fmt.Sprintf("; the promise is in the metric %s and is not checked", r.counted)
	}
	return board, nil
}

// text writes the level with all headers that it needs.
func (g *game) text() string {
	text := fmt.Sprintf("puzzle: %s\nmetric: %s\n", Family, g.metric)
	if g.pruned != pruneNone {
		text += fmt.Sprintf("prune: %s\n", g.pruned)
	}
	return text + "\n" + g.draw(&g.boxes, g.player) + "\n"
}

// note describes the level in one line, including what was assumed.
func (g *game) note() string {
	text := fmt.Sprintf("%s on %s", plural(g.count, "box"), plural(len(g.places), "cell"))
	switch g.metric {
	case metricBackward:
		text += fmt.Sprintf("; backwards from %s: depth is the fewest pushes to one", plural(len(g.starts)/g.words(), "solved state"))
	case metricMove:
		text += "; moves are player steps"
	case metricPush:
	}
	switch g.pruned {
	case pruneNone:
	case pruneDead:
		text += "; pruned: pushes onto dead cells"
	case pruneFreeze:
		text += "; pruned: pushes that freeze boxes off targets"
	case pruneDead | pruneFreeze:
		text += "; pruned: pushes onto dead cells or that freeze boxes off targets"
	}
	if g.outside > 0 {
		text += fmt.Sprintf("; boxes and targets beyond the player's reach left out: %d", g.outside)
	}
	return text
}

// readState reads the only level of a text.
func readState(text string) (*drawing, *puzzle.InputError) {
	r := newReader()
	if fault := r.read([]byte(text)); fault != nil {
		return nil, fault
	}
	switch len(r.levels) {
	case 0:
		return nil, &puzzle.InputError{What: "no level: the text has no rows with walls #"}
	case 1:
		return &r.levels[0].drawing, nil
	}
	return nil, r.levels[1].drawing.start().Faultf("a second level: a state is one level")
}

// entry is a level of a collection.
type entry struct {
	drawing drawing
	name    name
	expect  puzzle.Expect
}

// name is a level's name and where it comes from.
type name struct {
	text string
	from source
}

// source is where a name comes from, the most reliable last.
type source uint8

const (
	fromNowhere  source = iota
	fromText            // text between blank lines
	fromTextNear        // text just above or below the level
	fromTitle
	fromTitleNear
	fromHeader
)

// reader reads a collection line by line.
type reader struct {
	metric  metric
	counted metric // that the input counts in
	prune   prune
	asked   bool // the caller asked for pruning
	own     bool // a header puzzle was given: headers are checked
	given   map[string]int

	levels []entry
	next   entry // with its name and what is promised
	inside bool  // the previous line is a row
	below  bool  // no blank line since the last level
	left   int   // squares still allowed
}

func newReader() *reader {
	return &reader{left: inputSquaresMax, given: map[string]int{}, next: entry{expect: puzzle.ExpectNothing()}}
}

// read reads a whole text.
func (r *reader) read(text []byte) *puzzle.InputError {
	if len(text) > boardfile.TextBytesMax {
		return &puzzle.InputError{What: fmt.Sprintf("the input is larger than %d MiB", boardfile.TextBytesMax>>20)}
	}
	column := 1
	const byteOrderMark = "\uFEFF"
	rest, marked := strings.CutPrefix(string(text), byteOrderMark)
	if marked {
		column += len(byteOrderMark)
	}
	r.own = ownHeader(rest)
	commentsEnd := strings.LastIndex(strings.ToLower(rest), commentEnd)
	commenting := false
	for number, read := 1, 0; read < len(rest); number++ {
		raw, _, _ := strings.Cut(rest[read:], "\n")
		l := boardfile.Piece{Text: strings.TrimRight(raw, " \t\r"), Line: number, Column: column}
		read, column = read+len(raw)+1, 1
		lower := strings.ToLower(l.Text)
		switch {
		case commenting:
			commenting = !strings.HasPrefix(lower, commentEnd)
		case lower == "comment:" && read < commentsEnd:
			commenting, r.inside = true, false
		default:
			if fault := r.line(l); fault != nil {
				return fault
			}
		}
	}
	r.blank()
	return nil
}

// commentEnd ends a multi-line comment.
const commentEnd = "comment-end:"

// ownHeader reports whether a text has a header "puzzle:".
func ownHeader(text string) bool {
	for line := range strings.Lines(text) {
		if key, _, found := strings.Cut(line, ":"); found && strings.EqualFold(strings.TrimSpace(key), "puzzle") {
			return true
		}
	}
	return false
}

// line reads the next line.
func (r *reader) line(l boardfile.Piece) *puzzle.InputError {
	if l.Text == "" {
		r.blank()
		return nil
	}
	row, fault := rowPart(l, r.inside)
	if fault != nil {
		return fault
	}
	if row.Text != "" {
		return r.row(row)
	}
	r.inside = false
	if key, value, ok := header(l); ok {
		return r.header(key, value)
	}
	r.text(l)
	return nil
}

// row reads a line of a level.
func (r *reader) row(l boardfile.Piece) *puzzle.InputError {
	if !r.inside {
		if len(r.levels) == levelsMax {
			return l.Faultf("more than %d levels in one input", levelsMax)
		}
		r.levels = append(r.levels, r.next)
		r.next = entry{expect: puzzle.ExpectNothing()}
		for _, key := range []string{"name", "moves", "states"} {
			delete(r.given, key)
		}
	}
	r.inside, r.below = true, true
	return r.levels[len(r.levels)-1].drawing.add(l, &r.left)
}

// blank reads a blank line: what precedes it is not near anything below.
func (r *reader) blank() {
	r.inside, r.below = false, false
	n := &r.next.name
	switch n.from {
	case fromTextNear:
		n.from = fromText
	case fromTitleNear:
		n.from = fromTitle
		// Between two blank lines a title belongs to the level above, if that has
		// none: otherwise titles precede their levels.
		if last := r.last(); last != nil && last.name.from < fromTitle {
			last.name, *n = *n, name{}
		}
	default:
	}
}

// last returns the level above, or nil.
func (r *reader) last() *entry {
	if len(r.levels) == 0 {
		return nil
	}
	return &r.levels[len(r.levels)-1]
}

// call names the level above if the line is just below it and the name is more
// reliable than the one it has; otherwise it names the next level.
func (r *reader) call(text string, from source) {
	n := name{text, from}
	if last := r.last(); last != nil && r.below && last.name.from < from {
		last.name = n
		return
	}
	if r.next.name.from <= from {
		r.next.name = n
	}
}

// text reads a line of text, which may be the name of a level.
func (r *reader) text(l boardfile.Piece) {
	text := strings.Trim(l.Text, "; \t")
	if usableName(text) && !isMoves(text) {
		r.call(text, fromTextNear)
	}
}

// isMoves reports whether a line is a path written in letters.
func isMoves(text string) bool {
	return len(text) > 3 && strings.Trim(text, "udlrUDLR0123456789()") == ""
}

// usableName reports whether a text can be a level's name. Names are printed to
// terminals, so they must not contain control characters.
func usableName(text string) bool {
	const nameBytesMax = 100
	return text != "" && len(text) <= nameBytesMax && utf8.ValidString(text) && strings.IndexFunc(text, controls) < 0
}

// controls reports whether a character moves the cursor, changes the direction of
// writing or ends a line.
func controls(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp)
}

// header splits a line "key: value". The key is in lower case.
func header(l boardfile.Piece) (key, value boardfile.Piece, ok bool) {
	l = l.Trim()
	i := strings.IndexByte(l.Text, ':')
	if i < 1 || l.Text[0] == ';' {
		return key, value, false
	}
	key = boardfile.Piece{Text: strings.ToLower(l.Text[:i]), Line: l.Line, Column: l.Column}.Trim()
	for _, r := range key.Text {
		if (r < 'a' || r > 'z') && r != '-' && r != ' ' {
			return key, value, false
		}
	}
	return key, l.From(i + 1).Trim(), true
}

// collectionKeys are headers of collections that do not concern the puzzle.
var collectionKeys = []string{
	"author", "collection", "comment", "comment-end", "copyright", "date", "date created", "date of last change",
	"difficulty", "email", "homepage", "id", "level", "level set", "licence", "license", "rating", "set", "solution", "source",
	"time", "website",
}

// header reads a header line.
func (r *reader) header(key, value boardfile.Piece) *puzzle.InputError {
	switch key.Text {
	case "title":
		if usableName(value.Text) {
			r.call(value.Text, fromTitleNear)
		}
		return nil
	case "puzzle":
		r.dropText()
		return nil
	case "name", "moves", "states", "metric", "prune":
		r.dropText()
	default:
		if r.own && len(r.levels) == 0 && !known(key.Text, collectionKeys) {
			return key.Faultf("unknown header %s; the headers are puzzle, metric, prune, name, moves, states, and title, author and the like", boardfile.Quote(key.Text))
		}
		return nil
	}
	if line, again := r.given[key.Text]; again && r.own {
		return key.Faultf("header %s is given twice: it is already in line %d", boardfile.Quote(key.Text), line)
	}
	r.given[key.Text] = key.Line
	fault := r.set(key, value)
	if fault != nil && !r.own && (key.Text == "moves" || key.Text == "states") {
		return nil // another program's collection may mean something else by them
	}
	return fault
}

// dropText drops text above headers: it is not a name.
func (r *reader) dropText() {
	if r.next.name.from <= fromTextNear {
		r.next.name = name{}
	}
}

// set applies one of the family's own headers.
func (r *reader) set(key, value boardfile.Piece) (fault *puzzle.InputError) {
	switch key.Text {
	case "name":
		if value.Text != "" && !usableName(value.Text) {
			return value.Faultf("name %s: must be 1 to 100 bytes without control characters", boardfile.Quote(value.Text))
		}
		r.next.name = name{value.Text, fromHeader}
		return nil
	case "moves":
		n, fault := value.Number("moves", 0, 1<<30)
		if fault == nil {
			r.next.expect.SolutionLength = n
		}
		return fault
	case "states":
		n, fault := value.Number("states", 0, 1<<62)
		if fault == nil {
			r.next.expect.States = int64(n)
		}
		return fault
	}
	if len(r.levels) > 0 {
		return key.Faultf("header %s after the first level: it applies to all levels and must come before them", key.Text)
	}
	if key.Text == "metric" {
		r.metric, fault = parseMetric(value)
		return fault
	}
	r.prune, fault = parsePrune(value)
	return fault
}
