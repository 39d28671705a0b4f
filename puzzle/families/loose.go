package families

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/peg"
)

// looseBytesMax bounds the texts for which several readings are tried.
const looseBytesMax = 1 << 20

// ReadLoosely is Read for texts that people type and paste. If Read rejects a text,
// the layout of other programs is removed (frames, blanks, commas and brackets, curly
// quotes, XML), and boards that can then be read have a warning that states what was
// removed. If none can, the error is that of the original text, with the puzzles that
// would read it.
func ReadLoosely(text []byte, opts puzzle.ReadOptions) ([]puzzle.Board, error) {
	boards, err := Read(text, opts)
	var fault *puzzle.InputError
	if err == nil || len(text) > looseBytesMax || !errors.As(err, &fault) {
		return boards, err
	}
	collection, broken := levelsOfXML(text)
	if broken != nil {
		return nil, broken
	}
	_, named, _ := header(text)
	unknown := named == 0 && recognise(text).Looks == nil
	var told *puzzle.InputError // about the first variant that looks like something; "[(" does already
	for _, v := range variants(string(text), collection) {
		boards, other := Read([]byte(v.text), opts)
		if other != nil {
			if unknown && told == nil && !bytes.HasPrefix(text, []byte("[(")) && recognise([]byte(v.text)).Looks != nil && errors.As(other, new(*puzzle.InputError)) {
				told = &puzzle.InputError{What: "read " + v.how + ": " + other.Error()}
			}
			continue
		}
		for i := range boards {
			boards[i].Warn("read " + v.how)
		}
		return boards, nil
	}
	switch {
	case told != nil:
		return nil, told
	case unknown && !errors.As(err, new(*OptionError)):
		if near := readers(text, opts); len(near) > 0 {
			told := *fault
			told.What += "; did you mean --puzzle " + strings.Join(near, " or --puzzle ") + "?"
			return nil, &told
		}
	}
	return nil, err
}

// readers returns the families, except the default, that would read a text if it named
// them.
func readers(text []byte, opts puzzle.ReadOptions) []string {
	var names []string
	if lines := strings.Split(string(text), "\n"); opts.Notation != "" || headLines(lines) == len(lines) {
		return nil
	}
	for _, f := range All()[1:] {
		head := []byte("puzzle: " + f.Name + "\n")
		if _, err := f.Read(slices.Concat(head, text), puzzle.ReadOptions{Metric: opts.Metric}); err == nil {
			names = append(names, f.Name)
		}
	}
	return names
}

// A variant is a text without the layout of another program.
type variant struct{ text, how string }

// variants returns the variants of a text, each with more removed than the one before.
func variants(text, collection string) []variant {
	if collection != "" {
		return []variant{{collection, "as an XML collection of levels"}}
	}
	var all []variant
	var done []string
	brackets, blanks := meant(text)
	for _, step := range []struct {
		how  string
		take func([]string) []string
	}{
		{"with straight quotes and plain blanks", eachLine(plain.Replace)},
		{"tab by tab", tabbed},
		{"with its groups of turns written out", eachLine(grouped)},
		{"without commas and brackets", unless(brackets, unlisted)},
		{"without its frame", unframed},
		{"turn by turn", eachLine(turnByTurn)},
		{"digit by digit", digitByDigit},
		{"without the blanks between its cells", unless(blanks, unspaced)},
		{"in capitals", capitals},
	} {
		lines := strings.Split(text, "\n")
		head := headLines(lines)
		next := strings.Join(append(lines[:head:head], step.take(lines[head:])...), "\n")
		if next == text {
			continue
		}
		text, done = next, append(done, step.how)
		all = append(all, variant{text, strings.Join(done, ", ")})
	}
	return all
}

// unless returns take, or what leaves lines as they are.
func unless(not bool, take func([]string) []string) func([]string) []string {
	if not {
		return func(lines []string) []string { return lines }
	}
	return take
}

// moveLine matches a move of a permutation puzzle.
var moveLine = regexp.MustCompile(`(?m)^\s*(move|alias)\s[^\n]*:`)

// meant reports whether brackets or blanks have a meaning in a text: the moves of a
// permutation puzzle are cycles in brackets or lists without, and a blank is no hole in peg
// solitaire.
func meant(text string) (brackets, blanks bool) {
	name, line, _ := header([]byte(text))
	f, ok := ByName(name)
	return moveLine.MatchString(text), line > 0 && ok && f.Name == peg.Family
}

// headLines returns the number of lines before the board: headers, comments and blank
// lines.
func headLines(lines []string) int {
	for i, line := range lines {
		line = strings.TrimSpace(line)
		if line != "" && line[0] != ';' && !headerLine.MatchString(line) {
			return i
		}
	}
	return len(lines)
}

var headerLine = regexp.MustCompile(`^[A-Za-z][A-Za-z-]*\s*:`)

// eachLine applies a function to each line.
func eachLine(take func(string) string) func([]string) []string {
	return func(lines []string) []string {
		taken := make([]string, len(lines))
		for i, line := range lines {
			taken[i] = take(line)
		}
		return taken
	}
}

// plain replaces typographic characters with those on keyboards.
var plain = strings.NewReplacer("\u2019", "'", "\u2018", "'", "\u2032", "'", "\u00b4", "'", "`", "'",
	"\u201c", `"`, "\u201d", `"`, "\u00a0", " ", "\u2212", "-", "\uff0c", ",")

var (
	quoted    = regexp.MustCompile(`(^|[\[({,\s])(?:'([^',\[\]]+)'|"([^",\[\]]+)")($|[\])},\s])`)
	noValue   = regexp.MustCompile(`([,\[({][ \t]*)(,)`)
	quotedRow = regexp.MustCompile(`'([^',\[\]\n]{3,})'|"([^",\[\]\n]{3,})"`)
	listEnd   = regexp.MustCompile(`[\])}]\s*[,;]?`)
	listed    = strings.NewReplacer("[", " ", "(", " ", "{", " ", ",", " ")
)

// unlisted splits lists of lists into rows: a row ends where a list ends.
func unlisted(lines []string) []string {
	text := strings.Join(lines, "\n")
	if !strings.ContainsAny(text, ",[{(") {
		return lines
	}
	text = quotedRow.ReplaceAllString(text, "\n$1$2\n") // a list of rows
	for before := ""; before != text; {
		before, text = text, noValue.ReplaceAllString(quoted.ReplaceAllString(text, "$1$2$3$4"), "$1.$2")
	}
	var rows []string
	for row := range strings.SplitSeq(listed.Replace(listEnd.ReplaceAllString(text, "\n")), "\n") {
		if row = strings.TrimSpace(row); row != "" {
			rows = append(rows, row)
		}
	}
	return rows
}

// tabbed takes what stands between two tabs as a cell, which may be empty. A tab
// before every row indents the board.
func tabbed(lines []string) []string {
	text := strings.TrimRight(strings.Join(lines, "\n"), " \r\n")
	if !strings.Contains(text, "\t") {
		return lines
	}
	indented := !slices.ContainsFunc(strings.Split(text, "\n"), func(row string) bool { return !strings.HasPrefix(row, "\t") })
	var rows []string
	empty := false
	for row := range strings.SplitSeq(text, "\n") {
		if indented {
			row = row[1:]
		}
		cells := strings.Split(strings.TrimRight(row, "\r"), "\t")
		for i, cell := range cells {
			if strings.TrimSpace(cell) == "" {
				cells[i], empty = ".", true
			}
		}
		rows = append(rows, strings.Join(cells, " "))
	}
	if !empty {
		return lines // blanks and tabs are the same
	}
	return rows
}

var rule = regexp.MustCompile(`^\|(?:\s*:?-{3,}:?\s*\|){2,}$`) // of a Markdown table

var bars = strings.NewReplacer("│", "|", "║", "|", "┃", "|")

const framing = "+-=_|┌┐└┘├┤┬┴┼─│═║╔╗╚╝╠╣╦╩╬━┃┏┓┗┛┣┫┳┻╋╭╮╯╰ "

// unframed removes the lines of a frame, and its bars at the ends of rows and between
// cells. A row may lack a bar where the exit is.
func unframed(lines []string) []string {
	if !strings.ContainsAny(strings.Join(lines, ""), "|│║┃") {
		return lines
	}
	var rows []string
	for _, line := range lines {
		line = strings.TrimSpace(line)
		if line == "" || rule.MatchString(line) || strings.Trim(line, framing) == "" && !strings.ContainsAny(line, "|│║┃") || strings.ContainsAny(line, "+┼├╠╬┣╋") && strings.Trim(line, framing) == "" {
			continue
		}
		row := strings.Trim(line, "|│║┃>→")
		if strings.Contains(bars.Replace(row), "|") {
			cells := strings.Split(bars.Replace(row), "|")
			for i, cell := range cells {
				if strings.TrimSpace(cell) == "" {
					cells[i] = "."
				}
			}
			row = strings.Join(cells, " ")
		}
		rows = append(rows, strings.TrimSpace(row))
	}
	return rows
}

var (
	turns = regexp.MustCompile(`^(?:[URFDLB](?:2'?|'2?)?\s*){2,}$`)
	turn  = regexp.MustCompile(`([URFDLB])(2|')?['2]?\s*`)
)

// turnByTurn separates the turns of a cube by blanks. A half turn is its own inverse.
func turnByTurn(line string) string {
	if !turns.MatchString(strings.TrimSpace(line)) {
		return line
	}
	line = strings.ReplaceAll(strings.ReplaceAll(line, "2'", "2"), "'2", "2")
	return strings.TrimSpace(turn.ReplaceAllString(line, "$1$2 "))
}

// digitByDigit separates tiles by blanks: of boards of up to ten, or of sixteen in
// hexadecimal.
func digitByDigit(lines []string) []string {
	digits := strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \t\r\n/", r) {
			return -1
		}
		return r
	}, strings.ToUpper(strings.Join(lines, "\n")))
	most := "0123456789ABCDEF"
	if n := len(digits); n < 4 || n > 10 && n != len(most) {
		return lines
	}
	for _, digit := range most[:len(digits)] {
		if !strings.ContainsRune(digits, digit) {
			return lines
		}
	}
	spread := make([]string, len(lines))
	for i, line := range lines {
		for _, r := range strings.ToUpper(line) {
			switch at := strings.IndexRune(most, r); {
			case at >= 0:
				spread[i] += fmt.Sprintf(" %d", at)
			case r == '/':
				spread[i] += " /"
			}
		}
		spread[i] = strings.TrimSpace(spread[i])
	}
	return spread
}

// unspaced removes the blanks from rows whose cells are single characters.
func unspaced(lines []string) []string {
	rows := make([]string, len(lines))
	for i, line := range lines {
		fields := strings.Fields(line)
		if slices.ContainsFunc(fields, func(f string) bool { return len([]rune(f)) > 1 }) {
			return lines
		}
		rows[i] = strings.Join(fields, "")
	}
	return rows
}

// capitals converts a board of several rows to capitals if it has none, unless it is
// unclear which symbols are pieces: "o" beside dots, and "x".
func capitals(lines []string) []string {
	text := strings.Join(lines, "\n")
	rows := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '/' })
	if len(rows) < 2 || strings.ToLower(text) != text || strings.Contains(text, "o") && strings.Contains(text, ".") || strings.Contains(text, "x") {
		return lines
	}
	return strings.Split(strings.ReplaceAll(strings.ToUpper(text), "O", "o"), "\n")
}

// levelsOfXML reads the levels of an .slc collection: elements Level with rows L. It
// returns nothing for a text that is not XML.
func levelsOfXML(text []byte) (string, *puzzle.InputError) {
	if !bytes.HasPrefix(bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\uFEFF"))), []byte("<")) {
		return "", nil
	}
	var out strings.Builder
	d := xml.NewDecoder(bytes.NewReader(text))
	d.CharsetReader = func(_ string, text io.Reader) (io.Reader, error) { return latin(text) }
	row := false
	for {
		token, err := d.Token()
		switch {
		case errors.Is(err, io.EOF) && out.Len() > 0:
			return out.String(), nil
		case errors.Is(err, io.EOF):
			err = errors.New("it has no element Level")
			fallthrough
		case err != nil:
			line, column := d.InputPos()
			what := strings.TrimPrefix(strings.TrimPrefix(err.Error(), "XML syntax error on "), fmt.Sprintf("line %d: ", line))
			return "", &puzzle.InputError{Line: line, Column: column, What: "not an XML collection of levels: " + what}
		}
		switch t := token.(type) {
		case xml.StartElement:
			row = t.Name.Local == "L"
			if t.Name.Local != "Level" {
				continue
			}
			out.WriteString("\n")
			for _, a := range t.Attr {
				if a.Name.Local == "Id" && !strings.ContainsAny(a.Value, "\r\n") {
					fmt.Fprintf(&out, "Title: %s\n", a.Value)
				}
			}
		case xml.CharData:
			if row {
				out.WriteString(strings.Trim(string(t), "\r\n") + "\n")
			}
		case xml.EndElement:
			row = false
		}
	}
}

// latin reads a text that says that it is not in UTF-8, as collections of levels do:
// bytes that are not UTF-8 are taken as Latin-1, as they only stand in names.
func latin(text io.Reader) (io.Reader, error) {
	all, err := io.ReadAll(io.LimitReader(text, looseBytesMax))
	if err != nil || utf8.Valid(all) {
		return bytes.NewReader(all), err
	}
	runes := make([]rune, len(all))
	for i, b := range all {
		runes[i] = rune(b)
	}
	return strings.NewReader(string(runes)), nil
}
