package syntax_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/everystate/everystate/puzzle/puzzlescript/game"
	"github.com/everystate/everystate/puzzle/puzzlescript/syntax"
)

// TestBounds reads games whose expansion would be far larger than their text. Each is
// refused at the line that exceeds a bound, before much memory is taken.
func TestBounds(t *testing.T) {
	t.Parallel()
	const (
		objects = "OBJECTS\n\nBackground\nblack\n\nPlayer\nred\n\nq0\nred\n\n"
		legend  = "LEGEND\n\n"
		layers  = "\nSOUNDS\n\nCOLLISIONLAYERS\n\nBackground\nPlayer,q0\n"
		rules   = "\nRULES\n\n"
		levels  = "\nWINCONDITIONS\n\nLEVELS\n\n"
	)
	times := strings.Repeat
	lines := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format+"\n", i+1, i)
		}
		return b.String()
	}
	names := make([]string, 2400)
	for i := range names {
		names[i] = string('一' + rune(i))
	}
	each := func(word string) string { return "each = " + strings.Join(names, word) + "\n" }
	many := "many = " + times("q0 or ", 3000) + "q0\n"
	crowd := objects + strings.Join(names, "\nred\n\n") + "\nred\n\n" + legend
	together := layers + strings.Join(names, ",") + "\n"
	const tooManyNames, tooManyLayered = "more than 40000 names in the legend, with those that they stand for", "more than 20000 objects in collision layers"
	for _, c := range []struct{ name, text, want string }{
		{"properties of properties", objects + legend + lines(20_000, "q%d = q%d or q0"), "line 294 : " + tooManyNames},
		{"aggregates of aggregates", objects + legend + lines(20_000, "q%d = q%d and q0"), "line 294 : " + tooManyNames},
		{"names twice in a line", objects + legend + lines(400, "q%d = "+times("q0 or ", 1500)+"q%d"), "line 20 : " + tooManyNames},
		{"an aggregate of itself", objects + legend + "a1 = b1 and c1\nb1 = a1 and q0\nd1 = b1 and q0\n" + layers, "line 14 : You're talking about B1 but it's not defined anywhere."},
		{"a property of itself", objects + legend + "a1 = b1 or c1\nb1 = a1\nd1 = a1 or q0\n" + layers, "line 14 : You're talking about B1 but it's not defined anywhere."},
		{"layers of one property", objects + legend + many + layers + times("many\n", 50_000), "line 28 : " + tooManyLayered},
		{"one layer of properties", objects + legend + many + layers + times("many,", 3000), "line 22 : " + tooManyLayered},
		{
			"layers without objects", crowd + layers + times(",\n", 50_000),
			"a game of 50002 collision layers with 2403 objects and aggregates is too large: at most 1000 layers, and 8388608 for layers times objects and aggregates",
		},
		{
			"sounds of one property", crowd + each(" or ") + strings.Replace(together, "SOUNDS", "SOUNDS\n\n"+times("each move 1\n", 50_000), 1),
			"line 7262 : up to this sound, the sounds name too many objects",
		},
		{
			"kinds of cells", crowd + together + rules + levels + times(strings.Join(names, "")+"\n\n", 400),
			"line 7320 : up to this level, the levels have too many kinds of cells for a game of 2403 objects",
		},
		{
			"directions of a rule", objects + legend + layers + rules + times("up ", 3000) + "[ > q0 | " + times("q0 | ", 2000) + " q0 ] -> cancel\n",
			"line 24 : up to this rule, the rules name more than 4194304 objects in all",
		},
		{
			"no property", crowd + each(" or ") + together + rules + "[ > q0 | " + times("no each | ", 1000) + " q0 ] -> cancel\n",
			"line 7226 : up to this rule, the rules name more than 4194304 objects in all",
		},
		{
			"aggregates in a rule", crowd + "few = " + strings.Join(names[:400], " and ") + "\n" + layers + strings.Join(names, "\n")[:400*4] + rules + "[ > q0 | " + times("few | ", 2700) + " q0 ] -> cancel\n",
			"line 7625 : up to this rule, the rules name more than 4194304 objects in all",
		},
		{
			"properties in a rule", crowd + each(" or ") + "either = each or q0\n" + together + rules + "[ > either | " + times("q0 | ", 2000) + " q0 ] -> cancel\n",
			"line 7227 : this rule expands to too many rules: at most 65536 are allowed in all",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log syntax.Log
			g := game.Read(c.text, &log)
			if !slices.ContainsFunc(log.Messages, func(m syntax.Message) bool { return m.String() == c.want && !m.Warning }) {
				t.Errorf("%.1000s", log.Messages)
			}
			if g != nil && log.Errors == 0 {
				t.Error("it is not refused")
			}
		})
	}
}
