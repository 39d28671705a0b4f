package guard_test

import (
	"errors"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/everystate/everystate/internal/test/fulldisk"
	"github.com/everystate/everystate/store/guard"
)

var errFirst = errors.New("first")

// TestFatalErrorEndsAllCalls comes back from a call that never ends, and makes none
// from then on.
func TestFatalErrorEndsAllCalls(t *testing.T) {
	t.Parallel()
	g := guard.New("here")
	if n, err := guard.Call(g, func() (int, error) { return 3, nil }); n != 3 || err != nil || g.Err() != nil {
		t.Errorf("before there is an error: %d, %v, %v", n, err, g.Err())
	}
	err := g.Do(func() error {
		g.Logger().Fatalf("%s: %v", "log", errFirst) // does not return
		t.Error("went on after a fatal error")
		return nil
	})
	if !errors.Is(err, errFirst) || err.Error() != "here: cannot write: first" {
		t.Errorf("the call under way returns %v", err)
	}
	g.Fail(errors.New("second"))
	err = g.Do(func() error {
		t.Error("a call was made after a fatal error")
		return nil
	})
	if !errors.Is(err, errFirst) || !errors.Is(g.Err(), errFirst) {
		t.Errorf("the first error is the one to tell: %v, %v", err, g.Err())
	}
	<-g.Failed()
}

// TestLogsAreGuarded parks who writes a log on a full disk; other files have their
// errors returned.
func TestLogsAreGuarded(t *testing.T) {
	t.Parallel()
	fault := &fulldisk.Fault{Path: "0001", Kinds: append(fulldisk.Writes(), fulldisk.Syncs()...)}
	fault.On.Store(true)
	for name, parks := range map[string]bool{"0001.log": true, "0001.sst": false} {
		g := guard.New("here")
		fs := g.FS(errorfs.Wrap(vfs.NewMem(), fault))
		returned := false
		err := g.Do(func() error {
			f, err := fs.Create(name, vfs.WriteCategoryUnspecified)
			if err != nil {
				return err
			}
			_, err = f.Write([]byte("x"))
			returned = true
			return err
		})
		if err == nil || parks != (g.Err() != nil) || !parks && !returned {
			t.Errorf("%s: %v, fatal %v", name, err, g.Err())
		}
	}
}

// TestParkDoesNotReturn keeps who calls back with an error from trying again.
func TestParkDoesNotReturn(t *testing.T) {
	t.Parallel()
	g := guard.New("here")
	tried := make(chan struct{})
	go func() {
		g.Park(errFirst)
		close(tried)
	}()
	<-g.Failed()
	select {
	case <-tried:
		t.Error("it is tried again")
	case <-time.After(10 * time.Millisecond):
	}
}
