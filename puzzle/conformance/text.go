package conformance

import (
	"errors"
	"slices"
	"strings"

	"github.com/everystate/everystate/puzzle"
)

// checkNames checks the names of moves, including invalid ids.
func (c *checker) checkNames() {
	for _, m := range c.ids(nil) {
		c.doing = said("FormatMove of move " + hex([]uint64{uint64(m)}))
		name := c.p.FormatMove(m)
		if name == "" || strings.TrimSpace(name) != name || oneLine(name) != name {
			c.fault("names", "FormatMove names move %d %s: a name must be one line without blanks at its ends", m, quote(name))
		}
	}
}

// checkFormat looks for states with the same text, and draws each state.
func (c *checker) checkFormat() {
	texts := map[string]key{}
	for _, state := range c.states {
		words := c.wordsOf(state)
		c.doing = said("Format of the state " + hex(words))
		text := c.p.Format(words)
		if strings.HasSuffix(text, "\n") {
			c.fault("format", "Format of %s ends with a newline: it must not", c.name(state[:c.words]))
		}
		if other, known := texts[text]; known {
			c.fault("canonical", "the keys %s and %s are one state, %s: equal states must have equal keys",
				hex(other[:c.words]), hex(state[:c.words]), quote(text))
		}
		texts[text] = state
		c.at("Draw", words)
		_ = c.p.Draw(words)
		if keyOf(words) != state {
			c.fault("arguments", "Format or Draw changes the state passed to it")
		}
	}
}

// checkParse parses the texts of states, and invalid texts.
func (c *checker) checkParse() {
	for i, state := range c.states {
		text := c.p.Format(c.wordsOf(state))
		c.doing = said("Parse of " + quote(text))
		got, err := c.p.Parse(text)
		switch {
		case err != nil:
			c.fault("parse", "Parse refuses what Format gives for %s: %v", c.name(state[:c.words]), err)
		case !slices.Equal(got, state[:c.words]):
			c.fault("parse", "Parse reads the key %s from what Format gives for %s", hex(got), c.name(state[:c.words]))
		}
		if i < 100 {
			c.parseBroken(c.broken(text))
		}
	}
	for _, text := range []string{"", "\n", "\x00", "?", "\xff\xfe", strings.Repeat("9", 400)} {
		c.parseBroken(text)
	}
}

// broken returns a text with a small change.
func (c *checker) broken(text string) string {
	if text == "" {
		return text
	}
	const strange = " .\n0159AZaz#@$:;-+\x00\xc3"
	at, with := c.random.below(len(text)), c.random.below(len(strange))
	switch c.random.below(4) {
	case 0:
		return text[:at]
	case 1:
		return text[:at] + text[at+1:]
	case 2:
		return text[:at] + strange[with:with+1] + text[at:]
	}
	return text[:at] + strange[with:with+1] + text[at+1:]
}

// parseBroken parses a text that may not be a state.
func (c *checker) parseBroken(text string) {
	c.doing = said("Parse of " + quote(text))
	got, err := c.p.Parse(text)
	if err != nil {
		c.checkError("parse", "Parse of "+quote(text), err)
		return
	}
	if len(got) != c.words || !puzzle.Unmerged(c.p).Valid(slices.Clone(got)) {
		c.fault("parse", "Parse reads %s as the key %s, which is not Valid", quote(text), hex(got))
	}
}

// checkError checks an error about a text.
func (c *checker) checkError(rule, what string, err error) {
	var input *puzzle.InputError
	if !errors.As(err, &input) {
		c.fault(rule, "%s fails with %T: an error about a text must be an *InputError or wrap one", what, err)
	}
	if text := err.Error(); text == "" || oneLine(text) != text {
		c.fault(rule, "%s fails with %s: an error must be one line", what, quote(text))
	}
}

// checkText reads the board's own text again.
func (c *checker) checkText() {
	if c.options.Read == nil {
		return
	}
	c.doing = said("reading the board's Text")
	boards, err := c.options.Read([]byte(c.board.Text), puzzle.ReadOptions{})
	if err != nil || len(boards) != 1 {
		c.fault("text", "the board's Text %s is read as %d boards, %v: it must be one", quote(c.board.Text), len(boards), err)
		return
	}
	again := boards[0]
	if again.Text != c.board.Text || again.Family != c.board.Family || again.Metric != c.board.Metric {
		c.fault("text", "the board's Text %s read again is %s of family %s and metric %s, but was of %s and %s",
			quote(c.board.Text), quote(again.Text), quote(again.Family), quote(again.Metric), quote(c.board.Family), quote(c.board.Metric))
	}
	if again.Puzzle.Layout() != c.layout || !slices.Equal(again.Puzzle.Starts(), c.p.Starts()) {
		c.fault("text", "the board's Text read again has the layout %+v and the starts %s, but had %+v and %s",
			again.Puzzle.Layout(), hex(again.Puzzle.Starts()), c.layout, hex(c.p.Starts()))
		return
	}
	for _, state := range c.states {
		c.doing = said("a board read again, in the state " + hex(state[:c.words]))
		if !again.Puzzle.Valid(c.wordsOf(state)) {
			c.fault("text", "in the board's Text read again %s is not Valid", c.name(state[:c.words]))
			return
		}
		if difference := differ(c.transcript(c.p, []key{state}), c.transcript(again.Puzzle, []key{state})); difference != "" {
			c.fault("text", "the board's Text read again gives different %s of %s", difference, c.name(state[:c.words]))
			return
		}
	}
}
