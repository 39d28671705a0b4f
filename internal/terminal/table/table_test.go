package table

import (
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/terminal/paint"
)

func TestWrite(t *testing.T) {
	t.Parallel()
	tab := Table{Columns: []Column{{Title: "depth"}, {Title: "name", Left: true}, {Title: "n"}, {Left: true, Bar: true}}}
	tab.Add("0", "a", "1", "▏")
	tab.Skip()
	tab.Add("12", "", "1,000", "██")
	tab.Add("13", "bcdef", "5", "")
	var out strings.Builder
	tab.Write(&out, paint.Paint{})
	want := "depth  name       n\n" +
		"    0  a          1  ▏\n" +
		"  ...\n" +
		"   12         1,000  ██\n" +
		"   13  bcdef      5\n"
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}
