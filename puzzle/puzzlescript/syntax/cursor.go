package syntax

import (
	"slices"
	"unicode"
)

// cursor scans one line.
type cursor struct {
	text     []rune // in lower case, except for the values of some settings
	original []rune
	at       int
}

func newCursor(line string) *cursor {
	original := []rune(line)
	text := make([]rune, len(original))
	for i, r := range original {
		text[i] = unicode.ToLower(r)
	}
	return &cursor{text: text, original: original}
}

func blank(r rune) bool  { return unicode.IsSpace(r) || unicode.Is(unicode.Z, r) || r == 0xfeff }
func letter(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || r == '_' }
func ascii(r rune) bool {
	return r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}
func digit(r rune) bool { return r >= '0' && r <= '9' }
func code(r rune) bool  { return r != '(' }
func plain(r rune) bool { return !blank(r) && r != '(' && r != ')' }

func (c *cursor) end() bool { return c.at >= len(c.text) }

// peek returns the next character, or 0 at the end.
func (c *cursor) peek() rune {
	if c.end() {
		return 0
	}
	return c.text[c.at]
}

func (c *cursor) rest() []rune { return c.text[c.at:] }

// span returns the number of characters at the beginning of a text that are of a
// class.
func span(text []rune, class func(rune) bool) int {
	if i := slices.IndexFunc(text, func(r rune) bool { return !class(r) }); i >= 0 {
		return i
	}
	return len(text)
}

func (c *cursor) skipBlanks() { c.at += span(c.rest(), blank) }

// take consumes characters of a class and the blanks after them, and returns the
// characters without the blanks. If there are none, it consumes nothing and ok is
// false.
func (c *cursor) take(class func(rune) bool) (text string, ok bool) {
	n := span(c.rest(), class)
	if n == 0 {
		return "", false
	}
	text = string(c.text[c.at : c.at+n])
	c.at += n
	c.skipBlanks()
	return text, true
}

// skipCode skips to the next comment.
func (c *cursor) skipCode() { c.at += span(c.rest(), code) }

// word consumes one of the words, as far as characters are inside a word, and the
// blanks after it.
func (c *cursor) word(list []string, inside func(rune) bool) (string, bool) {
	n := span(c.rest(), inside)
	text := string(c.text[c.at : c.at+n])
	if !slices.Contains(list, text) {
		return "", false
	}
	c.at += n
	c.skipBlanks()
	return text, true
}

// fallback consumes something unexpected.
func (c *cursor) fallback() string {
	if text, ok := c.take(plain); ok {
		return text
	}
	from := c.at
	c.skipCode()
	return string(c.text[from:c.at])
}

// seed consumes the number of a sound.
func (c *cursor) seed() (string, bool) {
	n := span(c.rest(), digit)
	if n == 0 || c.at+n < len(c.text) && ascii(c.text[c.at+n]) {
		return "", false
	}
	text := string(c.text[c.at : c.at+n])
	c.at += n
	return text, true
}

// codeOf returns the first part of a line outside of comments.
func codeOf(text []rune) string {
	for len(text) > 0 && !code(text[0]) {
		text = text[1:]
	}
	return string(text[:span(text, code)])
}
