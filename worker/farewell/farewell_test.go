package farewell

import (
	"log/slog"
	"strings"
	"testing"
)

func TestSay(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		runs []string
		want []string
	}{
		{nil, []string{"level=INFO msg=drained\n"}},
		{[]string{"a"}, []string{"level=WARN", "leave with this worker", "runs=a data=/data\n"}},
		{strings.Split("abcdefghij", ""), []string{`runs="a, b, c, d, e, f, g, h and 2 more"`}},
	} {
		var out strings.Builder
		Say(slog.New(slog.NewTextHandler(&out, nil)), "/data", test.runs)
		for _, want := range test.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%v: %q, not %q", test.runs, out.String(), want)
			}
		}
	}
}
