package syntax

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Position is a position in a text. Both numbers count from 1, columns in bytes.
type Position struct{ Line, Column int }

// FaultError reports what is wrong with a model, and where.
type FaultError struct {
	At   Position
	What string
}

func (f *FaultError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", f.At.Line, f.At.Column, f.What)
}

// Faultf makes a fault at a position.
func (p Position) Faultf(format string, args ...any) *FaultError {
	return &FaultError{p, fmt.Sprintf(format, args...)}
}

// nameMax bounds the characters of a name.
const nameMax = 100

// kind is the kind of a token.
type kind uint8

const (
	ending  kind = iota // the end of the text
	name                // an identifier
	keyword             // in lower case
	number
	text // a string, without its quotes
	sign
)

// token is one word of the language.
type token struct {
	kind  kind
	text  string
	value int64
	at    Position
}

// shown quotes a token for a message.
func (t token) shown() string {
	switch t.kind {
	case ending:
		return "end of file"
	case text:
		return "a string"
	case name, keyword, number, sign:
	}
	return strconv.Quote(t.text)
}

var keywords = func() map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(`alias array assert assume begin boolean by case clear const cover do else
		elsif end endalias endexists endfor endforall endfunction endif endprocedure endrecord endrule endruleset
		endstartstate endswitch endwhile enum error exists for forall function if invariant ismember isundefined
		liveness multiset of procedure put real record return rule ruleset scalarset startstate switch then to type
		undefine union var while`) {
		set[word] = true
	}
	return set
}()

// signs are the signs of more than one character, longest first, then those of one
// character.
var signs = []string{
	"==>", ":=", "..", ">=", "<=", "->", "!=", "==", "&&", "||", "<<", ">>",
	"~", "^", "!", "&", "|", "=", "<", ">", "+", "-", "*", "/", "%", "?", ":", ";", ",", ".", "(", ")", "[", "]", "{", "}",
}

// typographic replaces the Unicode characters for signs and keywords.
var typographic = strings.NewReplacer("≔", ":=", "≥", ">=", "→", "->", "≤", "<=", "≠", "!=", "⇒", "==>",
	"¬", "!", "∧", "&&", "∨", "||", "÷", "/", "∕", "/", "−", "-", "×", "*", "∀", "forall ", "∃", "exists ")

// lexer splits a text into tokens.
type lexer struct {
	text   string
	line   int
	start  int // of the line, in text
	at     int
	tokens []token
}

func (l *lexer) here() Position { return Position{l.line, l.at - l.start + 1} }

// scan reads all tokens of a text; line is the number of its first line.
func scan(source string, line int) []token {
	l := &lexer{text: source, line: line}
	for {
		l.skip()
		if l.at == len(l.text) {
			l.tokens = append(l.tokens, token{kind: ending, at: l.here()})
			return l.tokens
		}
		l.next()
	}
}

// skip skips blanks and comments.
func (l *lexer) skip() {
	for l.at < len(l.text) {
		rest := l.text[l.at:]
		switch {
		case rest[0] == '\n':
			l.at++
			l.line, l.start = l.line+1, l.at
		case strings.IndexByte(" \t\r\f\v", rest[0]) >= 0:
			l.at++
		case strings.HasPrefix(rest, "--"):
			if end := strings.IndexByte(rest, '\n'); end >= 0 {
				l.at += end
			} else {
				l.at = len(l.text)
			}
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				panic(l.here().Faultf("this comment has no end: close it with */"))
			}
			comment := rest[:end+4]
			if n := strings.Count(comment, "\n"); n > 0 {
				l.line += n
				l.start = l.at + strings.LastIndexByte(comment, '\n') + 1
			}
			l.at += len(comment)
		default:
			return
		}
	}
}

// next reads the token at the current position.
func (l *lexer) next() {
	at, rest := l.here(), l.text[l.at:]
	switch c := rest[0]; {
	case letter(c):
		n := span(rest, func(c byte) bool { return letter(c) || digit(c) || c == '_' })
		if n > nameMax {
			panic(at.Faultf("a name of %d characters: at most %d are allowed", n, nameMax))
		}
		t := token{kind: name, text: rest[:n], at: at}
		if lower := strings.ToLower(t.text); keywords[lower] {
			t.kind, t.text = keyword, lower
		}
		l.tokens, l.at = append(l.tokens, t), l.at+n
	case digit(c):
		n := span(rest, func(c byte) bool { return letter(c) || digit(c) })
		value, err := strconv.ParseInt(strings.ToLower(rest[:n]), 0, 64)
		if err != nil && !strings.HasPrefix(rest, "0x") { // 010 is ten, not eight
			value, err = strconv.ParseInt(rest[:n], 10, 64)
		} else if err == nil && c == '0' && n > 1 && digit(rest[1]) {
			value, err = strconv.ParseInt(rest[:n], 10, 64)
		}
		if err != nil || value > math.MaxInt32 {
			panic(at.Faultf("%.20q is not a number from 0 to %d", rest[:n], math.MaxInt32))
		}
		l.tokens, l.at = append(l.tokens, token{kind: number, text: rest[:n], value: value, at: at}), l.at+n
	case c == '"':
		l.str(at, rest, `"`)
	case strings.HasPrefix(rest, "“"):
		l.str(at, rest, "”")
	default:
		l.sign(at, rest)
	}
}

// str reads a string on one line, up to its closing quote.
func (l *lexer) str(at Position, rest, quote string) {
	_, begin := utf8.DecodeRuneInString(rest)
	for i := begin; i < len(rest) && rest[i] != '\n'; i++ {
		switch {
		case rest[i] == '\\':
			i++
		case strings.HasPrefix(rest[i:], quote):
			l.tokens, l.at = append(l.tokens, token{kind: text, text: rest[begin:i], at: at}), l.at+i+len(quote)
			return
		}
	}
	panic(at.Faultf("this string has no end on its line: close it with %s", quote))
}

// sign reads a sign, or a keyword written as one.
func (l *lexer) sign(at Position, rest string) {
	r, size := utf8.DecodeRuneInString(rest)
	short := strings.TrimSpace(typographic.Replace(string(r)))
	if keywords[short] {
		l.tokens, l.at = append(l.tokens, token{kind: keyword, text: short, at: at}), l.at+size
		return
	}
	if short != string(r) {
		l.tokens, l.at = append(l.tokens, token{kind: sign, text: short, at: at}), l.at+size
		return
	}
	for _, s := range signs {
		if strings.HasPrefix(rest, s) {
			l.tokens, l.at = append(l.tokens, token{kind: sign, text: s, at: at}), l.at+len(s)
			return
		}
	}
	panic(at.Faultf("unexpected character %q", r))
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }
func digit(c byte) bool  { return c >= '0' && c <= '9' }

// span returns the number of bytes at the beginning of a text that are of a class.
func span(s string, in func(byte) bool) int {
	n := 0
	for n < len(s) && in(s[n]) {
		n++
	}
	return n
}
