package core

import (
	"testing"

	"github.com/everystate/everystate/coordinator/history"
)

func TestGrey(t *testing.T) {
	t.Parallel()
	const patience = 100
	for _, test := range []struct {
		name  string
		links []link
		tries uint32
		after Ticks
		want  history.WorkerID // 0 for nobody
	}{
		{name: "nobody", tries: 5, after: 1000},
		{name: "not often", links: []link{{1, 2}}, tries: 2, after: 1000},
		{name: "not for long", links: []link{{1, 2}}, tries: 9, after: patience - 1},
		{name: "one of two", links: []link{{2, 1}}, tries: 3, after: patience, want: 1},
		{name: "both", links: []link{{1, 2}, {2, 1}}, tries: 3, after: patience, want: 2},
		{name: "whom two do not reach", links: []link{{3, 1}, {2, 1}}, tries: 3, after: patience, want: 1},
		{name: "who reaches nobody", links: []link{{1, 2}, {1, 3}}, tries: 3, after: patience, want: 1},
	} {
		var g Grey
		for epoch := range test.tries {
			for _, on := range test.links {
				g.Unreached(0, on.from, on.to, epoch)
			}
		}
		if got, is := g.Suspect(test.after, patience); got != test.want || is != (test.want != 0) {
			t.Errorf("%s: %d, %t, want %d", test.name, got, is, test.want)
		}
		g.Committed()
		if got, is := g.Suspect(test.after, patience); is {
			t.Errorf("%s: %d is suspect though a layer was made", test.name, got)
		}
	}
	var g Grey
	g.LeftOut(0, 1)
	if len(g.Again(greyFirst-1)) != 0 || len(g.Again(greyFirst)) != 1 || len(g.Again(greyFirst)) != 0 {
		t.Error("a worker is not tried again once, after a while")
	}
	g.LeftOut(0, 1)
	if len(g.Again(2*greyFirst-1)) != 0 || len(g.Again(2*greyFirst)) != 1 {
		t.Error("a worker is not tried again later the second time")
	}
}
