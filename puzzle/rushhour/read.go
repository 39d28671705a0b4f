package rushhour

import (
	"fmt"
	"slices"
	"strings"

	"github.com/everystate/everystate/puzzle"
)

// Family is the name of this family of puzzles.
const Family = "rush-hour"

// Read reads all boards of a file. An error is a *puzzle.InputError.
func Read(text []byte, opts puzzle.ReadOptions) ([]puzzle.Board, error) {
	r := boardReader{opts: opts}
	r.reader = reader{inHead: true, yield: r.add, broken: r.keepPlace}
	if fault := r.readAll(text); fault != nil {
		return nil, fault
	}
	return r.boards, nil
}

// boardReader turns the boards of a file into puzzles.
type boardReader struct {
	reader
	opts   puzzle.ReadOptions
	metric metric // of opts, if it names one
	boards []puzzle.Board
}

func (r *boardReader) readAll(text []byte) *puzzle.InputError {
	var fault *puzzle.InputError
	if r.opts.Metric != "" {
		if r.metric, fault = parseMetric(r.opts.Metric); fault != nil {
			return fault
		}
	}
	if r.notation, fault = parseNotation(r.opts.Notation); fault != nil {
		return fault
	}
	if fault = r.read(text); fault != nil {
		return fault
	}
	if len(r.boards) == 0 {
		return faultf("no board: the input is empty or has only headers and comments")
	}
	return nil
}

// reader reads a file line by line.
type reader struct {
	notation notation // forced by the caller

	// yield receives each board with what its line promises.
	yield func(d *drawn, expect puzzle.Expect) *puzzle.InputError
	// broken receives what is wrong with a board, and returns it, or nil to go on with the
	// next one. If broken is nil, there is no going on.
	broken func(fault *puzzle.InputError) *puzzle.InputError

	file   headers        // those before the first board
	now    headers        // those of the next board
	inHead bool           // no board yet
	given  map[string]int // by name: the line of each header since the last board
	block  []textLine
}

// read reads a whole file.
func (r *reader) read(text []byte) *puzzle.InputError {
	r.file.boardHeaders = noBoardHeaders()
	r.now = r.file
	if fault := eachLine(text, r.line); fault != nil {
		return fault
	}
	return r.endBlock()
}

// line reads the next line of the file.
func (r *reader) line(l textLine) *puzzle.InputError {
	switch {
	case strings.HasPrefix(l.text, ";"):
		return nil
	case l.text == "":
		return r.endBlock()
	case headerLine(l):
		if fault := r.endBlock(); fault != nil {
			return fault
		}
		return r.header(l)
	}
	if len(r.block) > boardsMax {
		return tooManyBoards(l.place)
	}
	r.block = append(r.block, l)
	return nil
}

// header applies a header line.
func (r *reader) header(l textLine) *puzzle.InputError {
	key, value := headerParts(l)
	name := strings.ToLower(key.text)
	if line, again := r.given[name]; again {
		return faultAt(key.place, "header %s is given twice: it is already in line %d", quote(name), line)
	}
	h := &r.now
	if r.inHead {
		h = &r.file
	}
	if fault := h.set(key, value); fault != nil {
		return fault
	}
	if r.inHead {
		r.now = r.file // the next board has the file's headers, including this one
	}
	if r.given == nil {
		r.given = map[string]int{}
	}
	r.given[name] = l.place.line
	return nil
}

// endBlock reads the boards of the block that ends here, and restores the file's
// headers.
func (r *reader) endBlock() *puzzle.InputError {
	if len(r.block) == 0 {
		return nil
	}
	r.inHead = false
	clear(r.given)
	fault := r.readBlock()
	r.block = r.block[:0]
	r.now = r.file
	r.now.boardHeaders = noBoardHeaders()
	return fault
}

// notationNow returns the notation that the options or headers force.
func (r *reader) notationNow() notation {
	if r.notation != notationAny {
		return r.notation
	}
	return r.now.notation
}

// readBlock reads the boards of a block of lines.
func (r *reader) readBlock() *puzzle.InputError {
	n := r.notationNow()
	if n == notationPairs || n == notationAny && r.block[0].text[0] == '[' {
		return r.readPairsBlock()
	}
	if r.isRows(n) {
		p, fault := pictureOfRows(r.block, r.now.size)
		if fault == nil {
			fault = r.addPicture(p, n, puzzle.ExpectNothing())
		}
		return r.pass(fault)
	}
	for _, l := range r.block {
		p, expect, fault := r.pictureOf(l, n)
		if fault == nil {
			fault = r.addPicture(p, n, expect)
		}
		if fault = r.pass(fault); fault != nil {
			return fault
		}
	}
	return nil
}

// pass returns what ends the reading, if a board has a fault or nil.
func (r *reader) pass(fault *puzzle.InputError) *puzzle.InputError {
	if fault == nil || r.broken == nil {
		return fault
	}
	return r.broken(fault)
}

// isRows reports whether the block is one board in rows rather than one board per
// line.
func (r *reader) isRows(n notation) bool {
	first := r.block[0]
	if n == notationLine || n == notationDatabase || n == notationAny && databaseLine(first) || strings.Contains(first.text, "/") {
		return false
	}
	if size := r.now.size; size != nil {
		if len(first.text) == size.cols {
			return true
		}
		return len(first.text) != size.rows*size.cols && len(first.text) <= sideMax
	}
	if len(r.block) == 1 {
		return len(first.text) <= sideMax && squareRoot(len(first.text)) == 0
	}
	return len(first.text) <= sideMax || !slices.ContainsFunc(r.block, anotherLine)
}

// anotherLine reports whether a line of a block of long lines is a board by itself.
// If none of them is, they are rows too long for any board.
func anotherLine(l textLine) bool {
	return squareRoot(len(l.text)) > 0 || strings.Contains(l.text, "/") || databaseLine(l)
}

// pictureOf reads a board on one line.
func (r *reader) pictureOf(l textLine, n notation) (*picture, puzzle.Expect, *puzzle.InputError) {
	if n == notationDatabase || n == notationAny && databaseLine(l) {
		return readDatabase(l, r.now.size)
	}
	p, fault := pictureOfLine(l, r.now.size)
	return p, puzzle.ExpectNothing(), fault
}

// readPairsBlock reads a block of lists of pairs.
func (r *reader) readPairsBlock() *puzzle.InputError {
	s := pairScanner{lines: r.block}
	for s.peek() != 0 {
		d, fault := readPairs(&s)
		if fault == nil {
			fault = r.pass(r.deliver(d, puzzle.ExpectNothing()))
		}
		if fault != nil {
			return fault
		}
	}
	return nil
}

// directions returns the headers about single-cell vehicles.
func (r *reader) directions() *directions {
	return &directions{
		vertical: r.now.vertical, horizontal: r.now.horizontal,
		exit: r.now.exit, exitKnown: r.now.exitKnown,
	}
}

// addPicture reads a picture and adds its board.
func (r *reader) addPicture(p *picture, n notation, expect puzzle.Expect) *puzzle.InputError {
	d, fault := readPicture(p, n, r.directions())
	if fault != nil {
		return fault
	}
	return r.deliver(d, expect)
}

// deliver passes a board to yield, and resets the headers that apply to it alone.
func (r *reader) deliver(d *drawn, expect puzzle.Expect) *puzzle.InputError {
	fault := r.yield(d, expect)
	r.now.boardHeaders = noBoardHeaders()
	return fault
}

// add makes a puzzle of a board and appends it.
func (r *boardReader) add(d *drawn, expect puzzle.Expect) *puzzle.InputError {
	if len(r.boards) == boardsMax {
		return tooManyBoards(d.first())
	}
	s, fault := r.now.setup(d)
	if fault != nil {
		return fault
	}
	s.metric = r.now.metric
	if r.opts.Metric != "" {
		s.metric = r.metric
	}
	g, fault := newGame(s)
	if fault != nil {
		return fault
	}
	r.boards = append(r.boards, puzzle.Board{
		Puzzle: g,
		Family: Family,
		Name:   r.now.name,
		Metric: s.metric.String(),
		Text:   canonicalText(s),
		Note:   note(s) + r.unchecked(s, expect),

		Warning: r.now.warning(s, d),
		Expect:  r.expect(s, expect),
	})
	return nil
}

// keepPlace appends a board that cannot be read, so that the others keep their numbers, if
// only one is asked for. It returns the fault otherwise.
func (r *boardReader) keepPlace(fault *puzzle.InputError) *puzzle.InputError {
	if !r.opts.OneLevel() || len(r.boards) == boardsMax {
		return fault
	}
	r.boards = append(r.boards, puzzle.Board{Name: r.now.name, Fault: fault})
	r.now.boardHeaders = noBoardHeaders()
	return nil
}

func tooManyBoards(at position) *puzzle.InputError {
	return faultAt(at, "more than %d boards in one input", boardsMax)
}

// expect combines what the board's line and the headers promise. A number of moves
// applies to its own metric only: a database line counts slides, a header counts in
// the file's metric.
func (r *boardReader) expect(s *setup, line puzzle.Expect) puzzle.Expect {
	if s.metric != metricSlide {
		line.SolutionLength = -1
	}
	if line.SolutionLength < 0 && s.metric == r.now.metric {
		line.SolutionLength = int(r.now.moves)
	}
	if line.States < 0 {
		line.States = r.now.states
	}
	return line
}

// unchecked returns the end of a board's note: a promised number of moves that is in
// another metric than the board's.
func (r *boardReader) unchecked(s *setup, line puzzle.Expect) string {
	moves, counted := int64(line.SolutionLength), metricSlide
	if moves < 0 {
		moves, counted = r.now.moves, r.now.metric
	}
	if moves < 0 || counted == s.metric {
		return ""
	}
	if moves == 1 {
		return fmt.Sprintf("; the promised 1 move is in %ss and is not checked", counted)
	}
	return fmt.Sprintf("; the promised %d moves are in %ss and are not checked", moves, counted)
}
