package web

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/edit"
)

// TestEdit analyses boards as they are edited, and answers with a text that gives the
// same board.
func TestEdit(t *testing.T) {
	t.Parallel()
	s := newServer(t, Options{ReadOnly: true}) // nothing is changed by it
	text, err := os.ReadFile("../../puzzles/rushhour/jam-93.txt")
	if err != nil {
		t.Fatal(err)
	}
	a := want[edited](t, s, http.MethodPost, "/api/edit", map[string]string{"text": string(text)})
	if a.States != 24132 || !a.Complete || a.Outcome != "solved" || a.Distance != 93 || len(a.Solution) != 93 || a.Hardest == nil || a.Hardest.Distance != 93 {
		t.Errorf("%+v", a)
	}
	if again := want[edited](t, s, http.MethodPost, "/api/edit", map[string]string{"text": a.Text}); again.States != a.States || again.Distance != a.Distance || again.Text != a.Text {
		t.Errorf("read again: %+v", again)
	}
	// As the page sends it: line 6 is the second row of the board.
	code, body := ask(t, s, http.MethodPost, "/api/edit", map[string]string{"text": "puzzle: rush-hour\nmetric: step\ngoal: A\n\nAA.B\n...?\n"})
	var p problem
	if err := json.Unmarshal(body, &p); err != nil || code != http.StatusUnprocessableEntity || p.Line != 6 || p.Column != 4 {
		t.Errorf("%d %s", code, body)
	}
	for _, text := range []string{"3 pegs 4 discs", strings.Repeat("A", 1<<20)} {
		if code, body := ask(t, s, http.MethodPost, "/api/edit", map[string]string{"text": text}); code != http.StatusUnprocessableEntity {
			t.Errorf("%.20s: %d %s", text, code, body)
		}
	}
	n := want[struct {
		Notations []struct{ Name, Text string } `json:"notations"`
	}](t, s, http.MethodPost, "/api/notations", map[string]string{"text": string(text)})
	if len(n.Notations) < 5 {
		t.Errorf("%+v", n)
	}
}

// TestEditWaits bounds the boards that are read and analysed at once, and forgets those whose
// caller has gone.
func TestEditWaits(t *testing.T) {
	t.Parallel()
	s := newServer(t, Options{})
	s.editing.limits = edit.Limits{StatesMax: 10, EdgesMax: 1000, Time: s.editing.limits.Time}
	s.editing.limits.Search.NodesMax = 5
	for range editsAtOnce {
		s.editing.now <- struct{}{}
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	board := map[string]string{"text": small}
	for _, path := range []string{"/api/edit", "/api/notations", "/api/check"} {
		if code, body := ask(t, s, http.MethodPost, path, board, func(r *http.Request) { *r = *r.WithContext(gone) }); len(body) > 0 {
			t.Errorf("%s: who has gone gets %d %s", path, code, body)
		}
	}
	if len(s.editing.now) != editsAtOnce {
		t.Errorf("%d are analysed", len(s.editing.now))
	}
	<-s.editing.now
	a := want[edited](t, s, http.MethodPost, "/api/edit", board)
	if a.Complete || a.States > 20 || a.Outcome != "unknown" || a.Distance != -1 || a.Hardest != nil {
		t.Errorf("within 10 states: %+v", a)
	}
}
