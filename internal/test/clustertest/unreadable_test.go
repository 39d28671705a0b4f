package clustertest

import (
	"bytes"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/everystate/everystate/coordinator/client"
)

// TestUnreadableInBucket damages an entry of a run's log in the bucket, and has a
// coordinator with an empty disk find it: the run is listed with the reason, its name is
// not given away, and nothing is written to its log. Once the entry is back, it is found.
// The same with an entry that is gone, but there the coordinator looks again by itself.
func TestUnreadableInBucket(t *testing.T) {
	t.Parallel()
	b := boardOf(t, short)
	at := fileBucket(t)
	w := newWorld(t, at)
	c := w.coordinator("c", nil)
	c.workers("one")
	c.submit(run, b, everything())
	c.exact(run, b)

	u, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(filepath.FromSlash(u.Path), run, "log")
	entry := filepath.Join(log, "00000003")
	good, err := os.ReadFile(entry)
	if err != nil {
		t.Fatal(err)
	}
	bad := bytes.Clone(good)
	bad[len(bad)/2] ^= 1
	if err := os.WriteFile(entry, bad, 0o600); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(log)
	if err != nil {
		t.Fatal(err)
	}

	again := func(machine string) *coordinator {
		c.end(t)
		c = w.coordinator(machine, nil)
		return c
	}
	again("another").until("the run is listed with the reason", func() bool {
		all, _, err := c.client.List(t.Context())
		return err == nil && len(all) == 1 && all[0].State == client.Failed && strings.Contains(all[0].Failure, "00000003: corrupted")
	})
	if _, err := c.client.Submit(t.Context(), run, b.spec(), everything()); err == nil || !strings.Contains(err.Error(), "cannot be read") {
		t.Errorf("its name is given away: %v", err)
	}
	if now, err := os.ReadDir(log); err != nil || len(now) != len(entries) {
		t.Errorf("%d entries, %v; there were %d", len(now), err, len(entries))
	}

	if err := os.WriteFile(entry, good, 0o600); err != nil {
		t.Fatal(err)
	}
	found := func() bool {
		s, err := c.client.Look(t.Context(), run)
		return err == nil && s.State != client.Failed && s.Complete
	}
	again("a third").until("the run is found", found)

	aside := filepath.Join(t.TempDir(), "aside")
	if err := os.Rename(entry, aside); err != nil {
		t.Fatal(err)
	}
	again("a fourth").until("the run is listed with the entry that is missing", func() bool {
		all, _, err := c.client.List(t.Context())
		return err == nil && len(all) == 1 && all[0].State == client.Failed && strings.Contains(all[0].Failure, "entry 3 is missing, and there are later ones")
	})
	if err := os.Rename(aside, entry); err != nil {
		t.Fatal(err)
	}
	c.until("the run is found again", found)
}
