package server

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/store/bucket"
)

// besideBucket is a coordinator that does not know the run in its bucket, a directory.
func besideBucket(t *testing.T) (s *runService, dir string) {
	t.Helper()
	dir = t.TempDir()
	b, err := bucket.Open(t.Context(), (&url.URL{Scheme: "file", Path: filepath.ToSlash(dir)}).String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	first := serverOn(t, vfs.NewMem())
	if err := first.ask("run", everystatev1.Control_CONTROL_UNSPECIFIED); err != nil {
		t.Fatal(err)
	}
	for i, entry := range first.runs["run"].log {
		if err := b.Run("run").Append(t.Context(), i, entry); err != nil {
			t.Fatal(err)
		}
	}
	s = serverOn(t, vfs.NewMem())
	s.bucket = b
	return s, dir
}

// meanwhile is a context of a call, which does something when the call first waits.
type meanwhile struct {
	context.Context //nolint:containedctx // It is one.

	do func()
}

func (m *meanwhile) Done() <-chan struct{} {
	if do := m.do; do != nil {
		m.do = nil
		do()
	}
	return m.Context.Done()
}

// TestDeletedWhileImported has a client delete a run while another request still reads it
// from the bucket: it does not come back.
func TestDeletedWhileImported(t *testing.T) {
	t.Parallel()
	s, _ := besideBucket(t)
	err := s.importOne(&meanwhile{t.Context(), func() {
		if err := s.importOne(t.Context(), "run", false); err != nil {
			t.Error(err)
		}
		if err := s.ask("run", everystatev1.Control_CONTROL_DELETE); err != nil {
			t.Error(err)
		}
	}}, "run", false)
	if who := s.deleted.Pending("run"); err != nil || who == "" || s.runs["run"] != nil {
		t.Errorf("a run that %q has yet to remove is back: %v, %v", who, s.runs["run"] != nil, err)
	}
}

// TestResumeCannotRead resumes a run that is in the bucket and cannot be read there: it would
// be wrong that there is none.
func TestResumeCannotRead(t *testing.T) {
	t.Parallel()
	s, dir := besideBucket(t)
	if err := os.WriteFile(filepath.Join(dir, "run", "log", "00000000"), []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	for run, want := range map[string]struct {
		code codes.Code
		text string
	}{
		"run":    {codes.DataLoss, "run run cannot be read from the bucket: "},
		"../run": {codes.NotFound, "no run \"../run\" here"},
	} {
		if err := s.ask(run, everystatev1.Control_CONTROL_RESUME); status.Code(err) != want.code || !strings.Contains(status.Convert(err).Message(), want.text) {
			t.Errorf("%s: %v, want %v: %s", run, err, want.code, want.text)
		}
	}
}
