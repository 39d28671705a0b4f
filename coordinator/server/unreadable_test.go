package server

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/everystate/everystate/coordinator/deletions"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
)

// damagedInBucket returns a coordinator without runs, and the first entry of a run's log in
// its bucket, which cannot be read.
func damagedInBucket(t *testing.T) (s *runService, entry string) {
	t.Helper()
	s = serverOn(t, vfs.NewMem())
	s.bucket = bucketIn(t)
	if err := s.bucket.Run("run").Append(t.Context(), 0, journal.Spec(history.Spec{Partitions: 1})); err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(s.bucket.Run("run").URL())
	if err != nil {
		t.Fatal(err)
	}
	entry = filepath.Join(filepath.FromSlash(u.Path), "log", "00000000")
	if err := os.WriteFile(entry, []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	return s, entry
}

// TestDeleteOfUnreadableInBucket deletes a run that came with the bucket, and whose log
// there cannot be read. It is not this coordinator's to delete, and stays: also after the
// next start.
func TestDeleteOfUnreadableInBucket(t *testing.T) {
	t.Parallel()
	s, entry := damagedInBucket(t)
	if err := s.tryImport(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.ask("run", everystatev1.Control_CONTROL_UNSPECIFIED); status.Code(err) != codes.DataLoss {
		t.Errorf("its name is given away: %v", err)
	}
	err := s.ask("run", everystatev1.Control_CONTROL_DELETE)
	if want := "`everystate delete " + s.bucket.Run("run").URL() + "`"; status.Code(err) != codes.DataLoss || !strings.Contains(err.Error(), want) {
		t.Errorf("%v; want %s", err, want)
	}
	if _, err := os.Stat(entry); err != nil || s.deleted.Pending("run") != "" || s.damaged["run"] == "" {
		t.Errorf("%v; deleted by %q; listed as %q", err, s.deleted.Pending("run"), s.damaged["run"])
	}
}

// TestResumeOfUnreadableInBucket resumes a run that came into the bucket later, and whose
// log there cannot be read.
func TestResumeOfUnreadableInBucket(t *testing.T) {
	t.Parallel()
	s, _ := damagedInBucket(t)
	if err := s.ask("run", everystatev1.Control_CONTROL_RESUME); status.Code(err) != codes.DataLoss || !strings.Contains(err.Error(), "corrupted") {
		t.Errorf("%v", err)
	}
	for _, name := range []string{"another", "..", ""} {
		if err := s.ask(name, everystatev1.Control_CONTROL_RESUME); status.Code(err) != codes.NotFound {
			t.Errorf("run %q: %v", name, err)
		}
	}
}

// TestTakeOfDeleted takes a run that was deleted here while its log in the bucket was read,
// and submits another one of that name.
func TestTakeOfDeleted(t *testing.T) {
	t.Parallel()
	s := serverOn(t, vfs.NewMem())
	spec, err := s.readSpec(toySpec)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.deleted.Add("run", []string{deletions.TheBucket}); err != nil {
		t.Fatal(err)
	}
	if err := take(s.Server, "run", journal.Begin(spec), control{}, false); err != nil || s.runs["run"] != nil {
		t.Errorf("a run that is being deleted is back: %v", err)
	}
	err = s.ask("run", everystatev1.Control_CONTROL_UNSPECIFIED)
	if status.Code(err) != codes.FailedPrecondition || !strings.Contains(err.Error(), "removed by (the bucket): try again later") {
		t.Errorf("nobody says what to do: %v", err)
	}
}
