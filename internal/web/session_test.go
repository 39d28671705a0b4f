package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

// TestSession logs in, and out again: the cookie is of the port, holds no token, and
// is of no use afterwards.
func TestSession(t *testing.T) {
	t.Parallel()
	source := NewLocal(LocalOptions{Dir: t.TempDir()})
	t.Cleanup(func() {
		if err := source.Close(); err != nil {
			t.Error(err)
		}
	})
	s := newServer(t, Options{ForToken: func(token string) (Source, error) {
		if token != "secret-of-mine" {
			return nil, fmt.Errorf("%w: no such token", ErrDenied)
		}
		return source, nil
	}})
	send := func(path, body string, cookies ...*http.Cookie) (code int, set []*http.Cookie) {
		method := http.MethodPost
		if body == "" {
			method = http.MethodGet
		}
		r := httptest.NewRequestWithContext(t.Context(), method, "http://"+here+path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		for _, c := range cookies {
			r.AddCookie(c)
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		result := w.Result()
		if err := result.Body.Close(); err != nil {
			t.Error(err)
		}
		return result.StatusCode, result.Cookies()
	}
	in, cookies := send(loginPath, `{"token":"secret-of-mine"}`)
	if in != http.StatusOK || len(cookies) != 1 {
		t.Fatalf("login: %d with cookies %v", in, cookies)
	}
	c := cookies[0]
	if _, port, _ := strings.Cut(here, ":"); c.Name != "everystate-session-"+port || strings.Contains(c.Value, "secret") || len(c.Value) < 20 || !c.HttpOnly || c.SameSite != http.SameSiteStrictMode {
		t.Errorf("the cookie is %v", c)
	}
	if code, _ := send("/api/runs", "", c); code != http.StatusOK {
		t.Errorf("the session is answered %d", code)
	}
	if code, _ := send("/api/runs", "", &http.Cookie{Name: c.Name, Value: "secret-of-mine"}); code != http.StatusForbidden {
		t.Errorf("a token in place of a session is answered %d", code)
	}
	if code, set := send(logoutPath, `{}`, c); code != http.StatusOK || len(set) != 1 || set[0].MaxAge >= 0 {
		t.Errorf("logout: %d with %v", code, set)
	}
	if code, _ := send("/api/runs", "", c); code != http.StatusForbidden {
		t.Errorf("a session that was ended is answered %d", code)
	}
	for _, method := range []string{http.MethodGet, http.MethodPost} { // whatever is asked for, the page asks for a token
		code, text := ask(t, s, method, "/api/runs", map[string]string{"text": small})
		if p := (problem{}); json.Unmarshal(text, &p) != nil || code != http.StatusForbidden || !p.Token {
			t.Errorf("%s without a session: %d %s", method, code, text)
		}
	}
}

func TestSessionsEnd(t *testing.T) {
	t.Parallel()
	var s sessions
	s.init()
	now := time.Now()
	name := s.begin("a", now)
	if token, ok := s.token(name, now.Add(sessionTime)); !ok || token != "a" {
		t.Errorf("it is over before its time: %q", token)
	}
	if _, ok := s.token(name, now.Add(2*sessionTime+1)); ok {
		t.Error("it goes on after its time")
	}
	first := s.begin("first", now)
	for i := range sessionsMax {
		s.begin("more", now.Add(time.Duration(i+1)))
	}
	if _, ok := s.token(first, now); ok || len(s.of) != sessionsMax {
		t.Errorf("there are %d sessions, the first is there: %v", len(s.of), ok)
	}
}

// TestGuessesAreSlowed sees that the answer to wrong tokens takes longer and longer,
// for the host that sends them alone.
func TestGuessesAreSlowed(t *testing.T) {
	t.Parallel()
	var s sessions
	s.init()
	last := time.Duration(-1)
	for range 6 {
		if d := s.wrong("here"); d <= last {
			t.Errorf("%v after %v", d, last)
		} else {
			last = d
		}
	}
	for range 100 {
		last = s.wrong("here")
	}
	if last != guessDelayMax {
		t.Errorf("it takes %v in the end", last)
	}
	if d := s.wrong("there"); d != 0 {
		t.Errorf("another host waits %v", d)
	}
	s.right("here")
	if d := s.wrong("here"); d != 0 {
		t.Errorf("it takes %v after the right one", d)
	}
	for i := range 3 * guessersMax {
		s.wrong(fmt.Sprint(i))
	}
	if len(s.guesses) > guessersMax {
		t.Errorf("%d hosts are kept", len(s.guesses))
	}
}

// TestPuzzleFails shows a run whose rules fail as failed, and does not offer to resume it,
// also in another process.
func TestPuzzleFails(t *testing.T) {
	t.Parallel()
	boards, err := families.Read([]byte("var a: 0..3;\nstartstate a := 0; end;\nrule \"x\" true ==> a := a+1; end;\n"), puzzle.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	opts := LocalOptions{
		Dir: t.TempDir(), Run: engine.Options{Workers: 1, MemoryBytes: engine.MemoryMin}, Name: func(puzzle.Board) string { return "model" },
	}
	l := NewLocal(opts)
	if _, err := l.Start(t.Context(), boards[0], history.Want{}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		waitFor(t, func() bool {
			runs, err := l.Runs(t.Context())
			if err != nil || len(runs) != 1 {
				t.Fatal(len(runs), err)
			}
			r := runs[0]
			if r.State == Queued || r.State == Running {
				return false
			}
			if r.State != Failed || !slices.Equal(r.Can, []Action{Delete}) || !strings.Contains(r.Problem, "line 3, column 21: rule x: 4 is not between 0 and 3") {
				t.Errorf("%s: %s, can %v", r.State, r.Problem, r.Can)
			}
			return true
		})
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		l = NewLocal(opts)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

// TestResumeKeepsTheLimit pauses a run and resumes it: it ends at the limit that it
// was started with, without goal distances. Resumed again it goes on beyond.
func TestResumeKeepsTheLimit(t *testing.T) {
	t.Parallel()
	const limit = 3000
	boards, err := families.Read([]byte("puzzle: tiles\n\n8 7 6\n5 4 3\n2 1 .\n"), puzzle.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	l := NewLocal(LocalOptions{
		Dir: t.TempDir(), Run: engine.Options{Workers: 1, MemoryBytes: engine.MemoryMin}, Name: func(puzzle.Board) string { return "eight" },
	})
	defer func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}()
	name, err := l.Start(t.Context(), boards[0], history.Want{MaxStates: limit})
	if err != nil {
		t.Fatal(err)
	}
	over := func() (r Run) {
		waitFor(t, func() bool {
			runs, err := l.Runs(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			r = runs[0]
			return r.State != Queued && r.State != Running
		})
		return r
	}
	if err := l.Control(t.Context(), name, Pause); err != nil && !errors.Is(err, ErrRefused) {
		t.Fatal(err)
	}
	if r := over(); r.State == Paused {
		if err := l.Control(t.Context(), name, Resume); err != nil {
			t.Fatal(err)
		}
	}
	if r := over(); r.States < limit || r.States > 3*limit || r.Enumerated || r.Distances {
		t.Errorf("with a limit of %d it has %d states, all of them: %v, distances: %v", limit, r.States, r.Enumerated, r.Distances)
	}
	for _, want := range []bool{false, true} { // the space, and then its distances
		if err := l.Control(t.Context(), name, Resume); err != nil {
			t.Fatal(err)
		}
		if r := over(); r.States != 181_440 || !r.Enumerated || r.Distances != want {
			t.Errorf("resumed it has %d states, all of them: %v, distances: %v, want %v", r.States, r.Enumerated, r.Distances, want)
		}
	}
}
