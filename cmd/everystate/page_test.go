package main

import (
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
)

// caller asks a page what its bearer of a token may.
type caller struct{ base, token string }

// ask returns the code and the body of an answer.
func (c caller) ask(t *testing.T, method, path, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, c.base+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if c.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if err := res.Body.Close(); err != nil {
		t.Error(err)
	}
	return res.StatusCode, string(text)
}

// may returns whether the page offers changes, and what it offers of the run small.
func (c caller) may(t *testing.T) (change bool, can []string) {
	t.Helper()
	_, text := c.ask(t, http.MethodGet, "/api/info", "")
	var info struct {
		ReadOnly bool `json:"read_only"`
	}
	if err := json.Unmarshal([]byte(text), &info); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	_, text = c.ask(t, http.MethodGet, "/api/runs", "")
	var runs []struct {
		Name string   `json:"name"`
		Can  []string `json:"can"`
	}
	if err := json.Unmarshal([]byte(text), &runs); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	for _, r := range runs {
		if r.Name == "small" {
			return !info.ReadOnly, r.Can
		}
	}
	t.Fatalf("there is no run small: %s", text)
	return false, nil
}

// pageOf returns where the page of a service is.
func pageOf(t *testing.T, p *serviceProcess) string {
	t.Helper()
	p.until(t, "the page is served")
	found := regexp.MustCompile(`page is served" address=(\S+)`).FindStringSubmatch(p.log())
	if found == nil {
		t.Fatal(p.log())
	}
	return "http://" + found[1]
}

// The page of a coordinator lets a viewer look, and an operator do something.
func TestPageRoles(t *testing.T) {
	t.Parallel()
	s := newTrial(t)
	c := startService(t, "coordinator", "--listen", "127.0.0.1:0", "--data", t.TempDir(), "--token-file", s.file("tokens"), "--http", "127.0.0.1:0")
	must(t, with(s.token("operator"), "submit", puzzleFile(t, "small-5x5.txt"), "--coordinator", c.addr, "--name", "small")...)
	base := pageOf(t, c)
	for _, test := range []struct {
		name, token string
		change      bool
	}{{"operator", trialOperator, true}, {"viewer", trialViewer, false}} {
		page := caller{base, test.token}
		change, can := page.may(t)
		if change != test.change || (len(can) > 0) != test.change {
			t.Errorf("%s: the page lets change: %t, offers %q", test.name, change, can)
		}
		code, text := page.ask(t, http.MethodPost, "/api/runs/small/pause", "{}")
		if (code == http.StatusOK) != test.change || !test.change && code != http.StatusForbidden {
			t.Errorf("%s: pause: %d %s", test.name, code, text)
		}
		code, text = page.ask(t, http.MethodPost, "/api/runs", `{"text":"puzzle: tiles\n\n1 2\n3 _","metric":""}`)
		if (code == http.StatusOK) != test.change || !test.change && code != http.StatusForbidden {
			t.Errorf("%s: start: %d %s", test.name, code, text)
		}
	}
	for _, token := range []string{"", "something-else-0123456789", trialWorker} {
		if code, text := (caller{base, token}).ask(t, http.MethodGet, "/api/runs", ""); code != http.StatusForbidden {
			t.Errorf("token %q: %d %s", token, code, text)
		}
	}
}

// With --http-read-only even an operator only looks.
func TestPageReadOnly(t *testing.T) {
	t.Parallel()
	c := startService(t, "coordinator", "--listen", "127.0.0.1:0", "--data", t.TempDir(), "--http", "127.0.0.1:0", "--http-read-only")
	must(t, "submit", puzzleFile(t, "small-5x5.txt"), "--coordinator", c.addr, "--name", "small")
	page := caller{base: pageOf(t, c)}
	if change, _ := page.may(t); change {
		t.Error("the page offers changes")
	}
	for _, path := range []string{"/api/runs/small/cancel", "/api/runs"} {
		if code, text := page.ask(t, http.MethodPost, path, "{}"); code != http.StatusForbidden {
			t.Errorf("%s: %d %s", path, code, text)
		}
	}
}

// Nobody opens the page to other machines by accident.
func TestPageStaysHere(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"serve", "--listen", "0.0.0.0:0"},
		{"serve", "--listen", ":0"},
		{"serve", "--listen", "10.0.0.1:8000"},
		{"coordinator", "--data", t.TempDir(), "--http", "0.0.0.0:0"},
	} {
		if r := call("", args...); r.code != exit.Usage || !strings.Contains(r.errs, "is reachable from other machines") {
			t.Errorf("%q: exit code %d, %q", args, r.code, r.errs)
		}
	}
}
