// Package boardfile splits the text of a board into what all families share, the
// header lines, and what is the family's own, the body:
//
//	; a comment
//	puzzle: tiles
//	name: The first one
//	goal: 1 2 / 3 0
//
//	0 1
//	2 3
//
// A header is a line "key: value" before the body whose key begins with a letter.
// Lines that begin with ";" are comments. A blank line ends the headers; without
// headers, the body begins at once. Any line ends are accepted, and a byte order mark
// is ignored.
//
// It must never depend on a family: callers define the keys, the values and the body.
package boardfile

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/everystate/everystate/puzzle"
)

// Bounds of a text.
const (
	TextBytesMax  = 16 << 20
	nameBytesMax  = 100
	quoteBytesMax = 40
)

// A Piece is a part of one line, with its position. Both numbers count from 1, columns
// in bytes.
type Piece struct {
	Text         string
	Line, Column int
}

// Faultf makes an input error at the position of the piece.
func (p Piece) Faultf(format string, args ...any) *puzzle.InputError {
	return &puzzle.InputError{Line: p.Line, Column: p.Column, What: fmt.Sprintf(format, args...)}
}

// From returns the piece from byte i on.
func (p Piece) From(i int) Piece { return Piece{p.Text[i:], p.Line, p.Column + i} }

// Trim returns the piece without the blanks around it.
func (p Piece) Trim() Piece {
	left := strings.TrimLeft(p.Text, " \t")
	return Piece{strings.TrimRight(left, " \t"), p.Line, p.Column + len(p.Text) - len(left)}
}

// Fields returns the pieces between blanks.
func (p Piece) Fields() []Piece {
	var fields []Piece
	for p = p.Trim(); p.Text != ""; p = p.Trim() {
		end := strings.IndexAny(p.Text, " \t")
		if end < 0 {
			end = len(p.Text)
		}
		fields = append(fields, Piece{p.Text[:end], p.Line, p.Column})
		p = p.From(end)
	}
	return fields
}

// Split returns the trimmed pieces between separators, at least one.
func (p Piece) Split(separator byte) []Piece {
	var pieces []Piece
	for {
		i := strings.IndexByte(p.Text, separator)
		if i < 0 {
			return append(pieces, p.Trim())
		}
		pieces = append(pieces, Piece{p.Text[:i], p.Line, p.Column}.Trim())
		p = p.From(i + 1)
	}
}

// Number reads the piece as a number from lo to hi.
func (p Piece) Number(what string, lo, hi int) (int, *puzzle.InputError) {
	n, err := strconv.Atoi(p.Text)
	if err != nil || n < lo || n > hi {
		return 0, p.Faultf("%s %s is not a number from %d to %d", what, Quote(p.Text), lo, hi)
	}
	return n, nil
}

// A Header is a line "key: value". The key is in lower case.
type Header struct {
	Key   Piece
	Value Piece
}

// A File is a text split into headers and body.
type File struct {
	Headers []Header
	// Body holds the lines after the headers without comments, trailing blanks, and
	// blank lines at its beginning and end. Leading blanks are kept.
	Body []Piece
}

// Parse splits a text. It does not interpret keys or body. A text without a body is
// valid.
func Parse(text []byte) (*File, *puzzle.InputError) {
	if len(text) > TextBytesMax {
		return nil, &puzzle.InputError{What: fmt.Sprintf("the input is larger than %d MiB", TextBytesMax>>20)}
	}
	f := &File{}
	column := 1
	const byteOrderMark = "\uFEFF"
	if rest, marked := bytes.CutPrefix(text, []byte(byteOrderMark)); marked {
		text, column = rest, 1+len(byteOrderMark)
	}
	for number := 1; len(text) > 0; number++ {
		raw, rest, _ := bytes.Cut(text, []byte("\n"))
		if i := badByte(raw); i >= 0 {
			at := Piece{"", number, column + i}
			return nil, at.Faultf("byte 0x%02x: the input is not text", raw[i])
		}
		if fault := f.add(Piece{strings.TrimRight(string(raw), " \t\r"), number, column}); fault != nil {
			return nil, fault
		}
		text, column = rest, 1
	}
	for n := len(f.Body); n > 0 && f.Body[n-1].Text == ""; n-- {
		f.Body = f.Body[:n-1]
	}
	return f, nil
}

// add adds the next line.
func (f *File) add(l Piece) *puzzle.InputError {
	if strings.HasPrefix(l.Text, ";") {
		return nil
	}
	if len(f.Body) > 0 {
		f.Body = append(f.Body, l)
		return nil
	}
	if l.Text == "" {
		return nil
	}
	h, ok := headerOf(l)
	if !ok {
		f.Body = append(f.Body, l)
		return nil
	}
	for _, earlier := range f.Headers {
		if earlier.Key.Text == h.Key.Text {
			return h.Key.Faultf("header %s is given twice: it is already in line %d", Quote(h.Key.Text), earlier.Key.Line)
		}
	}
	f.Headers = append(f.Headers, h)
	return nil
}

// headerOf splits a header line.
func headerOf(l Piece) (Header, bool) {
	l = l.Trim()
	i := strings.IndexByte(l.Text, ':')
	if i < 1 {
		return Header{}, false
	}
	key := Piece{strings.ToLower(l.Text[:i]), l.Line, l.Column}.Trim()
	for j, r := range key.Text {
		if letter := r >= 'a' && r <= 'z'; !letter && (j == 0 || r != '-') {
			return Header{}, false
		}
	}
	return Header{Key: key, Value: l.From(i + 1).Trim()}, true
}

// Value returns the value of a header, and whether it was given.
func (f *File) Value(key string) (Piece, bool) {
	for _, h := range f.Headers {
		if h.Key.Text == key {
			return h.Value, true
		}
	}
	return Piece{}, false
}

// CheckKeys reports the first header whose key is not among the known ones.
func (f *File) CheckKeys(known ...string) *puzzle.InputError {
	for _, h := range f.Headers {
		found := false
		for _, k := range known {
			found = found || h.Key.Text == k
		}
		if !found {
			return h.Key.Faultf("unknown header %s; the headers are %s", Quote(h.Key.Text), strings.Join(known, ", "))
		}
	}
	return nil
}

// Name returns the value of the header "name", or an empty string. Names are printed
// to terminals, so they must not contain control characters.
func (f *File) Name() (string, *puzzle.InputError) {
	v, _ := f.Value("name")
	if i := strings.IndexFunc(v.Text, controls); i >= 0 {
		r, _ := utf8.DecodeRuneInString(v.Text[i:])
		return "", v.From(i).Faultf("a name must not contain control characters: %U", r)
	}
	if len(v.Text) > nameBytesMax {
		return "", v.Faultf("a name of %d bytes: at most %d are allowed", len(v.Text), nameBytesMax)
	}
	return v.Text, nil
}

// IsName reports whether a text is valid as a name.
func IsName(text string) bool {
	return text != "" && len(text) <= nameBytesMax && strings.IndexFunc(text, controls) < 0
}

// Expect returns the promises of the headers "moves" and "states".
func (f *File) Expect() (puzzle.Expect, *puzzle.InputError) {
	e := puzzle.ExpectNothing()
	if v, ok := f.Value("moves"); ok {
		n, fault := v.Number("moves", 0, 1<<30)
		if fault != nil {
			return e, fault
		}
		e.SolutionLength = n
	}
	if v, ok := f.Value("states"); ok {
		n, fault := v.Number("states", 0, 1<<62)
		if fault != nil {
			return e, fault
		}
		e.States = int64(n)
	}
	return e, nil
}

// Quote shows a piece of the input on one line, whatever it contains.
func Quote(text string) string {
	if len(text) > quoteBytesMax {
		return strconv.Quote(text[:quoteBytesMax]) + "..."
	}
	return strconv.Quote(text)
}

// controls reports whether a character moves the cursor, changes the direction of
// writing or ends a line.
func controls(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp)
}

// badByte returns the index of the first byte that is not valid text, or -1.
func badByte(raw []byte) int {
	for i := 0; i < len(raw); {
		r, size := utf8.DecodeRune(raw[i:])
		if raw[i] == 0 || r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}
