package security

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestReload replaces files under a server and a client that go on.
func TestReload(t *testing.T) {
	t.Parallel()
	s, next := newSet(t), newSet(t)
	var mu sync.Mutex // guards who
	var who []string
	addr := serve(t, ServerOptions{
		CertFile: s.cert("coordinator"), KeyFile: s.key("coordinator"), ClientCAFile: s.ca(), TokenFile: s.tokens(),
	}, &services{called: func(ctx context.Context) {
		id, _ := IdentityOf(ctx)
		mu.Lock()
		defer mu.Unlock()
		who = append(who, id.String())
	}})
	call := func(want string, o ClientOptions) {
		t.Helper()
		if got := said(list(t, connect(t, addr, o))); got != want {
			t.Errorf("says %q, want %q", got, want)
		}
	}
	changed := time.Now()
	replace := func(to, from string) {
		t.Helper()
		text, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		writeFile(t, to, string(text))
		// A file system may not tell two times from each other that are so close.
		changed = changed.Add(time.Minute)
		if err := os.Chtimes(to, changed, changed); err != nil {
			t.Fatal(err)
		}
	}
	call("", s.client("viewer"))
	call("", ClientOptions{CAFile: s.ca(), Token: operatorToken})

	// A token that was there is not any more. A file that makes no sense changes
	// nothing.
	fewer := filepath.Join(t.TempDir(), "fewer")
	writeFile(t, fewer, "viewer "+viewerToken+"\n")
	replace(s.tokens(), fewer)
	call("unknown token: --token-file must name a file with a valid one", ClientOptions{CAFile: s.ca(), Token: operatorToken})
	writeFile(t, fewer, "nonsense\n")
	replace(s.tokens(), fewer)
	call("", ClientOptions{CAFile: s.ca(), Token: viewerToken})

	// The certificate is of no use until its key is there.
	replace(s.cert("coordinator"), next.cert("coordinator"))
	call("", s.client("operator"))
	replace(s.key("coordinator"), next.key("coordinator"))
	replace(s.ca(), next.ca())
	call("", next.client("viewer"))

	mu.Lock()
	defer mu.Unlock()
	want := "viewer (viewer), token 8860438d (operator), token 63f73b70 (viewer), operator (operator), viewer (viewer)"
	if got := strings.Join(who, ", "); got != want {
		t.Errorf("called by %s\nwant %s", got, want)
	}
}
