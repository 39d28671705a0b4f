package cluster

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/everystate/everystate/cmd/everystate/internal/shell"
)

// TestHealthWaits asks a process that accepts connections and never answers, until
// something is said of it.
func TestHealthWaits(t *testing.T) {
	t.Parallel()
	var config net.ListenConfig
	silent, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close() //nolint:errcheck // Nothing is sent.
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	says := &saying{enough: cancel}
	env := &shell.Env{Err: says}
	env.Credentials.Flags(pflag.NewFlagSet("", pflag.ContinueOnError))
	if err := checkHealth(ctx, env, silent.Addr().String(), time.Minute); err == nil {
		t.Error("it serves")
	}
	if want := "waiting=\"for an answer from " + silent.Addr().String() + "\"\n"; says.text != want {
		t.Errorf("says %q while it waits, not %q", says.text, want)
	}
}

// saying remembers what is written, and tells that something is.
type saying struct {
	text   string
	enough func()
}

func (s *saying) Write(p []byte) (int, error) {
	s.text += string(p)
	s.enough()
	return len(p), nil
}
