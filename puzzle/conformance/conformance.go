// Package conformance checks whether a puzzle keeps the promises of package puzzle,
// and describes where it does not. It is for authors of a family or of a puzzle of
// their own.
//
// It calls every method on states near the starts, on states that random walks reach,
// and on states that it finds by changing keys at random. It shows the presence of
// faults, never their absence. The report states whether it has seen the whole space.
//
// It must never depend on a family, or on anything but its arguments: the same board
// and options give the same report. A puzzle that panics is reported; one that does
// not return, or that ends the process, cannot be handled.
package conformance

import (
	"fmt"
	"slices"
	"strings"

	"github.com/everystate/everystate/puzzle"
)

// Options controls an examination. The zero value is usable.
type Options struct {
	// Seed is the source of all random choices.
	Seed uint64

	// StatesMax bounds the states examined near the starts. Zero means 500.
	// About as many more come from walks and from changed keys.
	StatesMax int

	// MovesMax bounds the move ids that are tried in one state; if a puzzle has more,
	// they are chosen at random. Zero means 1024.
	MovesMax int

	// Read reads a board's text. If it is nil, Board.Text is not checked.
	Read func(text []byte, opts puzzle.ReadOptions) ([]puzzle.Board, error)

	// AllocsPerRun is testing.AllocsPerRun: it returns how often f allocates. If it is
	// nil, allocations are not counted.
	AllocsPerRun func(runs int, f func()) float64
}

// EnsureDefaults sets fields that are zero and have a default.
func (o *Options) EnsureDefaults() {
	if o.StatesMax == 0 {
		o.StatesMax = 500
	}
	if o.MovesMax == 0 {
		o.MovesMax = 1024
	}
}

// Finding is a broken promise.
type Finding struct {
	// Rule names the promise in a word or two, for example "undo".
	Rule string

	// What describes the fault, where it is, and what would be right, in one line.
	What string
}

func (f Finding) String() string { return f.Rule + ": " + f.What }

// Report is the result of an examination.
type Report struct {
	// Findings holds the first finding of each rule.
	Findings []Finding

	// States is the number of states examined.
	States int

	// Whole reports whether they include every reachable state.
	Whole bool
}

// Check examines a board, of which only Puzzle must be set.
func Check(board puzzle.Board, o Options) Report {
	o.EnsureDefaults()
	c := &checker{p: board.Puzzle, board: board, options: o, random: random{o.Seed}, told: map[string]bool{}}
	c.run()
	return Report{Findings: c.findings, States: len(c.states), Whole: c.whole}
}

// CheckKey examines a puzzle with any words of a key's width. Valid may report that
// they are not a state; otherwise the state's successors are checked.
func CheckKey(p puzzle.Puzzle, words []uint64) []Finding {
	c := &checker{p: p, options: Options{StatesMax: 1, MovesMax: 64}, told: map[string]bool{}, known: map[key]bool{}}
	if !c.guarded(c.checkLayout) {
		return c.findings
	}
	c.guarded(c.checkMerging)
	c.guarded(func() { c.considerKey(keyOf(words)) })
	for _, check := range c.checks() {
		c.guarded(check)
	}
	return c.findings
}

// key is a state's key, with zeros after its words.
type key [puzzle.WordsMax]uint64

// checker performs one examination.
type checker struct {
	p       puzzle.Puzzle
	board   puzzle.Board
	options Options
	random  random

	layout puzzle.Layout
	words  int
	states []key
	starts int // number of starts, which come first in states
	known  map[key]bool
	whole  bool
	merges bool // Undo always fails

	doing    func() string // the current call, for reporting a panic
	told     map[string]bool
	findings []Finding
}

// run performs the checks in an order in which each may rely on those before.
func (c *checker) run() {
	if c.p == nil {
		c.fault("board", "the board has no puzzle")
		return
	}
	if !c.guarded(c.checkLayout) || !c.guarded(c.checkStarts) {
		return
	}
	c.guarded(c.checkMerging)
	c.guarded(c.checkValid)
	if !c.guarded(c.gather) {
		return
	}
	checks := append(c.checks(), c.checkNames, c.checkText, c.checkAllocations, c.checkConcurrent, c.checkConstant)
	for _, check := range checks {
		c.guarded(check)
	}
}

// checks lists the checks that iterate over the states.
func (c *checker) checks() []func() {
	return []func(){
		c.checkMoves, c.checkBatches, c.checkBack, c.checkKinds, c.checkOnward, c.checkBackward, c.checkHomeward,
		c.checkGoals, c.checkFormat, c.checkParse, c.checkPicture, c.checkWeights, c.checkOrdered,
		func() { checkRanks(c) },
		func() { checkNumbers(c) },
		func() { checkSymmetries(c) },
	}
}

// fault records the first finding of a rule.
func (c *checker) fault(rule, format string, args ...any) {
	if !c.told[rule] {
		c.told[rule] = true
		c.findings = append(c.findings, Finding{rule, oneLine(fmt.Sprintf(format, args...))})
	}
}

// guarded runs a check and reports whether it completed without new findings.
func (c *checker) guarded(check func()) (well bool) {
	before := len(c.findings)
	defer func() {
		if e := recover(); e != nil {
			c.fault("panic", "%s panics: %v", c.doing(), e)
			well = false
		}
	}()
	check()
	return len(c.findings) == before
}

// at names the calls that follow, for reporting a panic.
func (c *checker) at(method string, state []uint64) {
	state = slices.Clone(state)
	c.doing = func() string { return method + " of " + c.name(state) }
}

// said is a call that is known beforehand.
func said(call string) func() string { return func() string { return call } }

// name shows a state by its key and, if it has one, its text.
func (c *checker) name(state []uint64) string {
	text, panics := c.textOf(state)
	if panics {
		return "state " + hex(state)
	}
	return "state " + hex(state) + " " + quote(text)
}

func (c *checker) textOf(state []uint64) (text string, panics bool) {
	defer func() { panics = recover() != nil }()
	return c.p.Format(slices.Clone(state)), false
}

// move shows a move by its name, if it has one, or by its id.
func (c *checker) move(m puzzle.Move) (text string) {
	defer func() {
		if recover() != nil {
			text = fmt.Sprintf("move %d", m)
		}
	}()
	return fmt.Sprintf("move %d (%s)", m, oneLine(c.p.FormatMove(m)))
}

func (c *checker) wordsOf(k key) []uint64 { return slices.Clone(k[:c.words]) }

func keyOf(words []uint64) (k key) {
	copy(k[:], words)
	return k
}

// keysOf concatenates keys, as puzzles take them.
func (c *checker) keysOf(states []key) []uint64 {
	keys := make([]uint64, 0, len(states)*c.words)
	for _, s := range states {
		keys = append(keys, s[:c.words]...)
	}
	return keys
}

// hex shows the words of a key.
func hex(words []uint64) string { return strings.Trim(fmt.Sprintf("%x", words), "[]") }

// quote shows a text on one line, with slashes for line breaks.
func quote(text string) string {
	const bytesMax = 300
	if len(text) > bytesMax {
		text = text[:bytesMax] + "..."
	}
	return `"` + strings.ReplaceAll(text, "\n", " / ") + `"`
}

// oneLine replaces characters that would end a line.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, text)
}

// random is a small generator (splitmix64), identical everywhere.
type random struct{ state uint64 }

func (r *random) next() uint64 {
	r.state += 0x9e3779b97f4a7c15
	z := r.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below returns a number less than n.
func (r *random) below(n int) int { return int(r.next() % uint64(n)) }
