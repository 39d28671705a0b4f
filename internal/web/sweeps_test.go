package web

import (
	"bytes"
	"net/http"
	"testing"

	"github.com/everystate/everystate/internal/sweep/browse"
)

// TestSweepsRefuse answers requests that make no sense, and those for what is not there.
func TestSweepsRefuse(t *testing.T) {
	t.Parallel()
	s := newServer(t, Options{Sweeps: browse.New(t.TempDir())})
	if names := want[[]string](t, s, http.MethodGet, "/api/sweeps", nil); len(names) != 0 {
		t.Errorf("%v", names)
	}
	for path, code := range map[string]int{
		"/api/sweeps/none?offset=0&limit=24": http.StatusNotFound, "/api/sweeps/none/cards": http.StatusNotFound,
		"/api/sweeps/..%2F..?offset=0&limit=24": http.StatusNotFound, "/api/sweeps/none?offset=-1&limit=24": http.StatusBadRequest,
		"/api/sweeps/none?offset=0&limit=1000": http.StatusBadRequest, "/api/sweeps/none?offset=0&limit=24&moves=a-b": http.StatusBadRequest,
	} {
		got, body := ask(t, s, http.MethodGet, path, nil)
		if got != code {
			t.Errorf("%s: %d %s, want %d", path, got, body, code)
		}
		if code == http.StatusNotFound && (bytes.Contains(body, []byte("run")) || !bytes.Contains(body, []byte("there is no such sweep"))) {
			t.Errorf("%s says %s", path, body)
		}
	}
}
