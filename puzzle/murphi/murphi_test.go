package murphi

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/test/puzzletest"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/conformance"
)

func TestTruth(t *testing.T) {
	puzzletest.Truth(t, "murphi.json", 7, Read, puzzletest.Usual())
}

func TestShipped(t *testing.T) {
	puzzletest.Shipped(t, "murphi", Read, puzzletest.Usual())
}

func mustRead(tb testing.TB, text string) puzzle.Board {
	tb.Helper()
	boards, err := Read([]byte(text), puzzle.ReadOptions{})
	if err != nil {
		tb.Fatalf("%v in\n%s", err, text)
	}
	return boards[0]
}

// TestConform has models with undefined values, wide keys and several starts.
func TestConform(t *testing.T) {
	for _, text := range []string{
		"var a: 0..2; b: boolean;\nstartstate a := 0 end\nruleset n: 0..2 do rule a := n end end\nrule undefine b end\nrule isundefined(b) & !isundefined(a) ==> b := a = 1 end",
		"var a: array [0..29] of 0..9;\nruleset n: 0..3 do startstate for i: 0..29 do a[i] := n end end end\nruleset i: 0..29 do rule \"next\" a[i] < 9 ==> a[i] := a[i] + 1 end end",
		"var a: -5..5;\nstartstate a := 0 end\nrule \"up\" a < 5 ==> a := a + 1 end\nrule \"down\" a > -5 ==> a := a - 1 end\ninvariant \"small\" a < 4\nassume a != -3",
	} {
		puzzletest.Run(t, mustRead(t, text), conformance.Options{Seed: 1, StatesMax: 300, Read: Read})
	}
}

// after runs the rules of a model, each of which is possible once, and returns the
// states that they lead to from the start.
func after(t *testing.T, text string) []string {
	t.Helper()
	p := mustRead(t, text).Puzzle
	var out puzzle.Edges
	p.Successors(p.Starts(), &out)
	if err := puzzle.Err(p); err != nil {
		return []string{err.Error()}
	}
	var list []string
	words := p.Layout().Words()
	for i, m := range out.Moves {
		list = append(list, p.FormatMove(m)+": "+p.Format(out.Keys[i*words:(i+1)*words]))
	}
	return list
}

// TestLanguage has statements and expressions with what they do.
func TestLanguage(t *testing.T) {
	const head = "const k: 3; type r: 0..k; e: enum {p, q}; rec: record x: r; y: boolean end\n" +
		"var a: r; b: array [e] of r; c: rec; d: e; f: rec;\n" +
		"function twice(n: r): 0..6; begin return n * 2 end;\n" +
		"procedure bump(var n: r; more: r); begin n := n + more end;\n" +
		"function pair(n: r): rec; var z: rec; begin z.x := n; z.y := n > 1; return z end;\n" +
		"function sums(n: r): 0..9; var half: r; begin half := n; return n = 0 ? 0 : sums(n - 1) + half end;\n" +
		"function pile(n: r; k: r): rec; var z: rec; begin z.x := k; if n > 0 then z := pile(n - 1, k + 1); z.y := z.x = n + k end; return z end;\n" +
		"procedure limit(n: r); begin assume n != 0 end;\n" +
		"startstate clear a; clear b; clear c; clear d; clear f end\n"
	const still = "a=0 b[p]=0 b[q]=0 c.x=0 c.y=false d=p f.x=0 f.y=false"
	for body, want := range map[string]string{
		"a := 1 + 2 * 1":          "a=3",
		"a := 7 / 2 - 7 % 2 - -0": "a=2",
		"a := d = q ? 1 : 2":      "a=2",
		"if a = 1 then a := 2 elsif a = 0 then a := 3 else a := 1 end":       "a=3",
		"switch d case q: a := 1 case p, q: a := 2 else a := 3 end":          "a=2",
		"switch a case 1: a := 1 else a := 3; end":                           "a=3",
		"for i := 3 to 1 by -1 do b[i > 2 ? p : q] := i end":                 "b[p]=3 b[q]=1",
		"for i: e do b[i] := i = q ? 2 : 1 end":                              "b[p]=1 b[q]=2",
		"while a < 3 do a := a + 1 end":                                      "a=3",
		"b[q] := twice(twice(0) + 1)":                                        "b[q]=2",
		"bump(b[q], 2); bump(b[q], 1)":                                       "b[q]=3",
		"c := pair(2); f := c":                                               "c.x=2 c.y=true f.x=2 f.y=true",
		"c.x := 1; if c != f then a := 1 end":                                "c.x=1 a=1",
		"alias z: b[q] do z := 2; a := z end":                                "b[q]=2 a=2",
		"undefine a; a := isundefined(a) ? 2 : 1":                            "a=2",
		"if !a = 1 & !(a = 2) then a := 1 end":                               "a=1",
		"if FALSE -> a / 0 = 0 then a := 1 end":                              "a=1",
		"if forall i: r do exists j: r do i + j = 3 end end then a := 1 end": "a=1",
		"if exists i := 0 to 3 by 2 do i = 1 end then a := 1 end; a := 2":    "a=2",
		"put \"x\"; put a; a := 0x3; return; a := 1":                         "a=3",
		"begin a := 1; -- a comment\n /* and\n another */ d := q;":           "a=1 d=q",
		"var z: r; begin z := 2; a ≔ z × 1;":                                 "a=2",
		"a := 1; assume a != 1":                                              "nothing",
		"a := 6 & 3 | 1 ^ 2 | 0 * ~2":                                        "a=3",
		"a := (1 << 1) + (7 >> 2) + (1 << 40) + (2 >> -0) - 2; b[p] := ~-3":  "a=3 b[p]=2",
		"if (2 & 3) = 3 && FALSE | TRUE then a := 1 else a := 2 end":         "a=2",
		"a := sums(2); bump(b[q], sums(1))":                                  "a=3 b[q]=1",
		"c := pile(2, 0)":                                                    "c.x=2 c.y=true",
		"a := a + 1; limit(a); a := a - 1; limit(a); a := a + 7":             "nothing",
	} {
		got := strings.Join(after(t, head+"rule \"it\" "+body+" end"), "\n")
		state := strings.Fields(still)
		for _, change := range strings.Fields(want) {
			name, _, _ := strings.Cut(change, "=")
			for i := range state {
				if strings.HasPrefix(state[i], name+"=") {
					state[i] = change
				}
			}
		}
		if whole := "it: " + strings.Join(state, " "); want == "nothing" && got != "" || want != "nothing" && got != whole {
			t.Errorf("%s\ngives %s\nwant  %s", body, got, want)
		}
	}
}

// TestRules has rulesets, aliases of rules, names and guards.
func TestRules(t *testing.T) {
	got := after(t, `type e: enum {p, q}
		var a: array [e] of 0..3; b: boolean
		startstate "first one" clear a; b := true; end
		ruleset x: e; n := 1 to 3 by 2 do
			alias it: a[x] do
				rule "set  to" it = 0 ==> it := n end
				rule b & n = 3 ==> it := 2 end
				rule !b ==> it := 1 end
			end
		end
		rule "set to(p,1)" a[p] := 3 end
		rule "same" a[p] := a[p] end`)
	want := []string{
		"set-to(p,1): a[p]=1 a[q]=0 b=true", "set-to(p,3): a[p]=3 a[q]=0 b=true",
		"set-to(q,1): a[p]=0 a[q]=1 b=true", "set-to(q,3): a[p]=0 a[q]=3 b=true",
		"rule-2(p,3): a[p]=2 a[q]=0 b=true", "rule-2(q,3): a[p]=0 a[q]=2 b=true",
		"set-to(p,1)#2: a[p]=3 a[q]=0 b=true",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestGoals chooses among the claims of a model.
func TestGoals(t *testing.T) {
	const text = "var a: 0..5;\nstartstate a := 0 end\nrule \"up\" a < 5 ==> a := a + 1 end\n"
	for _, c := range []struct {
		goal, claims string
		goals        int
		solution     int
		err          string
	}{
		{"", "", 0, -1, ""},
		{"", `goal "two" a = 2 cover a = 4 "four"`, 2, 2, ""},
		{"four", `goal "two" a = 2 cover a = 4 "four"`, 1, 4, ""},
		{"", `invariant "small" a < 4`, 2, 4, ""},
		{"", `invariant "small" a < 4 goal a = 1`, 0, -1, `line 4, column 1: invariant "small" does not hold, in the state a=4`},
		{"small", `invariant "small" a < 4 goal a = 1`, 2, 4, ""},
		{"broken", `invariant "small" a < 4 invariant a < 3 goal a = 1`, 3, 3, ""},
		{"", `ruleset n: 2..3 do goal "at" a = n end`, 2, 2, ""},
		{"at(3)", `ruleset n: 2..3 do goal "at" a = n end`, 1, 3, ""},
		{"back", `liveness "back" a = 3`, 1, 3, ""},
		{"", `assume "low" a < 3 goal a > 1`, 1, 2, ""},
	} {
		head := ""
		if c.goal != "" {
			head = "goal: " + c.goal + "\n\n"
		}
		board := mustRead(t, head+text+c.claims)
		s := puzzletest.Explore(board.Puzzle)
		if err := puzzle.Err(board.Puzzle); c.err != "" || err != nil {
			if err == nil || err.Error() != c.err {
				t.Errorf("%s, %s: got %v, want %s", c.goal, c.claims, err, c.err)
			}
			continue
		}
		if s.Goals != c.goals || s.Solution != c.solution {
			t.Errorf("%s, %s: %d goals, the first at %d", c.goal, c.claims, s.Goals, s.Solution)
		}
		if again := mustRead(t, board.Text); again.Note != board.Note || again.Text != board.Text {
			t.Errorf("%q is read again as %q", board.Text, again.Text)
		}
	}
}

// TestBrokenInvariant asks about a state that breaks an invariant: it can be read and
// reached, and what is wrong with it can be told, but a puzzle that goes on from it fails.
func TestBrokenInvariant(t *testing.T) {
	const text = "var a: 0..5;\nstartstate a := 0 end\nrule \"up\" a < 5 ==> a := a + 1 end\ngoal \"five\" a = 5 invariant \"low\" a < 2 assume a != 3"
	const fault = `line 4, column 19: invariant "low" does not hold, in the state a=2`
	p := mustRead(t, text).Puzzle
	state := func(text string) []uint64 {
		t.Helper()
		key, err := p.Parse(text)
		if err != nil || !p.Valid(key) {
			t.Fatalf("%s: %v", text, err)
		}
		return key
	}
	reached := make([]uint64, 1)
	if !p.Apply(reached, state("a=1"), 0) || !slices.Equal(reached, state("a=2")) {
		t.Errorf("reached %v", reached)
	}
	if err := puzzle.ErrAt(p, state("a=1")); err != nil {
		t.Errorf("a=1: %v", err)
	}
	if err := puzzle.ErrAt(p, reached); err == nil || err.Error() != fault {
		t.Errorf("a=2: %v", err)
	}
	if key, err := p.Parse("a=3"); err == nil || err.Error() != "an assumption of the model does not hold in this state" {
		t.Errorf("a=3: %v, %v", key, err)
	}
	if err := puzzle.Err(p); err != nil {
		t.Fatalf("it failed before it was to go on: %v", err)
	}
	for name, goOn := range map[string]func(p puzzle.Puzzle){
		"Successors": func(p puzzle.Puzzle) { p.Successors(reached, &puzzle.Edges{}) },
		"Apply":      func(p puzzle.Puzzle) { p.Apply(make([]uint64, 1), reached, 0) },
	} {
		p := mustRead(t, text).Puzzle
		if goOn(p); puzzle.Err(p) == nil || puzzle.Err(p).Error() != fault {
			t.Errorf("%s: %v", name, puzzle.Err(p))
		}
	}
}

// TestBroken has rules that fail while the space is explored.
func TestBroken(t *testing.T) {
	for rule, want := range map[string]string{
		"a := a + 9":                         `line 4, column 3: rule it: 9 is not between 0 and 5, in the state a=0 b[0]=undefined b[1]=undefined`,
		"a := b[a]":                          "line 4, column 7: rule it: b[...] is undefined, in",
		"b[a + 2] := 1":                      "line 4, column 5: rule it: the index 2 is not between 0 and 1, in",
		"a := deep(a)":                       `line 1, column 82: rule it: "deep" calls itself more than 10000 levels deep, in`,
		"a := 1 << 31 + a":                   "line 4, column 3: rule it: 2147483648 is not between 0 and 5, in",
		"a := 1 / a":                         "line 4, column 8: rule it: a division by 0, in",
		`assert "mine" a = 1`:                `line 4, column 1: rule it: the assertion "mine" does not hold, in`,
		`error "mine"`:                       `line 4, column 1: rule it: error "mine", in`,
		"while true do a := 1 end":           "line 3, column 1: rule it: this does not terminate: it takes more than 1048576 steps, in",
		"for i := 1 to 3 by a do a := 1 end": "line 4, column 5: rule it: a loop by 0 does not terminate, in",
	} {
		got := after(t, "var a: 0..5; b: array [0..1] of 0..5; function deep(n: 0..5): 0..5; begin return deep(n) end\nstartstate a := 0 end\nrule \"it\"\n"+rule+" end")
		if len(got) != 1 || !strings.HasPrefix(got[0], want) {
			t.Errorf("%s: got %s", rule, got)
		}
	}
}

// TestRefused has texts that are no model, and what is said of them.
func TestRefused(t *testing.T) {
	const start, rule = "startstate a := 0 end\n", "rule a := 1 end\n"
	for text, want := range map[string]string{
		"":                                       "no model: write its variables, a startstate and rules",
		"var a: 0..5;\n" + rule:                  "no start state: startstate gives the variables their first values",
		rule:                                     `line 1, column 6: unknown name "a": must be declared before its use`,
		"startstate end":                         "the model has no variables: declare them with var",
		"var a: 5..0;\n" + start:                 "line 1, column 8: the range 5..0 has no values",
		"var a: real(3,4);\n" + start:            "line 1, column 8: real types are not supported: the types are boolean, ranges, enum, scalarset, array and record",
		"var a: 0..5;\nstartstate a := 6 end":    "line 2, column 14: 6 is not between 0 and 5",
		"var a: 0..5;\nstartstate a := true end": "line 2, column 14: the value is false or true, but the variable is a number from 0 to 5",
		"var a: 0..5; a: boolean":                `line 1, column 14: "a" is declared twice`,
		"var a: 0..5\nstartstate a := 0":         `line 2, column 18: unexpected end of file: expected "end"`,
		"var a: 0..5\n" + start + "rule a = 0 a := 1 end":                                                             `line 3, column 8: unexpected "=": expected ":="`,
		"var a: 0..5\n" + start + "rule a ==> a := 1 end":                                                             "line 3, column 6: this is a number from 0 to 5, but must be false or true",
		"var a: 0..5\n" + start + "rule f(a) end":                                                                     `line 3, column 6: unknown name "f": must be declared before its use`,
		"var a: 0..5\n" + start + "function f(n: 0..5): 0..5; begin return g(n) end":                                  `line 3, column 41: unknown name "g": must be declared before its use`,
		"var a: 0..5\n" + start + "procedure f(var n: 0..5); var k: 0..5; begin f(k) end":                             `line 3, column 48: "f" calls itself with a variable of its own for the var parameter "n", which is not supported`,
		"var a: 0..5\n" + start + "function f(): 0..5; begin assume a > 1; return 1 end; rule f() = 1 ==> a := 2 end": "line 3, column 64: this calls a function that changes variables: a condition must not change them",
		"var a: 0..5\nfunction f(): 0..5; begin a := 1; return 1 end\n" + start + "rule f() = 1 ==> a := 2 end":       "line 4, column 10: this calls a function that changes variables: a condition must not change them",
		"var a: 0..5\n" + start + "ruleset n: 0..5 do rule n := 1 end end":                                            "line 3, column 27: this cannot be changed: it is a constant, a parameter without var, or the variable of a loop or ruleset",
		"goal: mine\n\nvar a: 0..5\n" + start + "goal \"yours\" a = 1":                                                `line 1, column 7: the model has no goal or invariant "mine"; it has yours`,
		"puzzle: murphi\nexit: 1\n\nvar a: 0..5\n":                                                                    `line 2, column 1: unknown header "exit"; the headers are puzzle, name, metric, notation, goal, moves, states`,
		"metric: move\n\nvar a: 0..5\n":                                                                               `line 1, column 9: unknown metric "move": must be rule`,
		"var a: array [0..99] of 0..99\nstartstate end":                                                               "the variables take 666 bits: at most 512 are allowed",
		"var a: array [0..9999] of 0..1\nstartstate end":                                                              "line 1, column 5: the variables have more than 4096 values in all",
		"var a: array [0..2000000000] of array [0..2000000000] of boolean":                                            "line 1, column 33: an array of 2000000001 elements of 1 values each: at most 65536 values are allowed",
		"var a: 0..5\n" + start + "ruleset n: 0..999; m: 0..999 do rule a := 1 end end":                               "line 3, column 33: the rules make more than 65536 rules, one per combination of parameter values",
		"var a: 0..5\n/* ": "line 2, column 1: this comment has no end: close it with */",
		"var a: 0..5\nstartstate while true do a := 1 end end":            "line 2, column 1: this does not terminate: it takes more than 1048576 steps",
		"var a: 0..5\n" + start + "goal " + strings.Repeat("(", 200):      "line 3, column 105: nested more than 100 levels deep",
		"var a: 0..5\n" + start + "goal a" + strings.Repeat(" + a", 2000): "line 3, column 4004: more than 1000 operands in a row",
	} {
		_, err := Read([]byte(text), puzzle.ReadOptions{})
		var input *puzzle.InputError
		if !errors.As(err, &input) || err.Error() != want {
			t.Errorf("%.200q\ngot  %v\nwant %s", text, err, want)
		}
	}
}

// TestHostile has models that would take long to compile or to run.
func TestHostile(t *testing.T) {
	const head = "var a: 0..5;\nstartstate a := 0 end\n"
	doubling := "alias x0: a do "
	for i := range 60 {
		doubling += fmt.Sprintf("alias x%d: x%d + x%d do ", i+1, i, i)
	}
	nested := ""
	for i := range 12 {
		nested += fmt.Sprintf("forall i%d: 0..5 do ", i)
	}
	for name, text := range map[string]string{
		"doubling aliases": head + "rule " + doubling + "a := x60 " + strings.Repeat("end ", 61) + "end",
		"nested loops":     head + "rule " + nested + "true " + strings.Repeat("end ", 12) + "==> a := 1 end",
		"many rules":       head + "ruleset n: 0..60000 do rule forall i: 0..999 do i >= 0 end ==> a := 1 end end",
		"an endless while": head + "rule while a < 6 do a := 0 end end",
	} {
		if got := after(t, text); len(got) != 1 || !strings.Contains(got[0], "steps") {
			t.Errorf("%s: got %.300s", name, got)
		}
	}
	starts := "var a: 0..60000;\nruleset n: 0..60000 do startstate for i := 0 to 9999 do a := n end end end"
	if _, err := Read([]byte(starts), puzzle.ReadOptions{}); err == nil || !strings.Contains(err.Error(), "steps in one state") {
		t.Errorf("many long start states: %v", err)
	}
	records := "type t0: record a: boolean; b: boolean end\n"
	for i := range 60 {
		records += fmt.Sprintf("t%d: record a: t%d; b: t%d end\n", i+1, i, i)
	}
	if _, err := Read([]byte(records+"var v: t60\nstartstate end\nrule end"), puzzle.ReadOptions{}); err == nil || !strings.Contains(err.Error(), "a record of more than 65536 values") {
		t.Errorf("doubling records: %v", err)
	}
}
