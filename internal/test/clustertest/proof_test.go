package clustertest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc"

	"github.com/everystate/everystate/coordinator/client"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/coordinator/prove"
	"github.com/everystate/everystate/coordinator/relay"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/wire"
)

// TestProof has a run proved complete by the three workers that keep it, and then leads
// them through proofs of a history that is not theirs, which they refute.
func TestProof(t *testing.T) {
	t.Parallel()
	b := boardOf(t, short)
	w := newWorld(t, "")
	c := w.coordinator("c", nil)
	all := c.workers("one", "two", "three")
	c.submit(run, b, everything())
	c.exact(run, b)
	r, err := c.client.Open(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	h := r.History()
	want := client.Proved{
		States: h.States(history.Forward), Successors: h.Generated(history.Forward), Distances: h.States(history.Goal), Versions: []string{""},
	}
	if got, err := r.Prove(t.Context(), func(int64) {}); err != nil || !equal(got, want) {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}

	p := w.proofOf(c, r)
	p.Rounds, p.SaveEvery = 5, 1
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	keepers := p.Keepers
	p.Keepers = watched(keepers, func(round uint32) {
		if round == 3 {
			cancel()
		}
	})
	if res, err := proveTo(ctx, p); err == nil {
		t.Errorf("it was not interrupted: %v", res)
	}
	left := func() (n int) {
		for _, w := range all {
			if _, err := os.Stat(filepath.Join(w.opts.Data, "runs", run, "proof", "progress.json")); err == nil {
				n++
			}
		}
		return n
	}
	if n := left(); n != len(all) {
		t.Errorf("%d workers have saved something", n)
	}
	var first atomic.Uint32
	p.Keepers = watched(keepers, func(round uint32) { first.CompareAndSwap(0, round+1) })
	var res *everystatev1.ProveRunResponse
	w.until("the interrupted proof has ended everywhere", func() bool {
		p.ID++
		res, err = proveTo(t.Context(), p)
		return err == nil
	})
	if got := res.GetProved(); int64(got.GetSuccessors()) != want.Successors || int64(got.GetStates()) != want.States {
		t.Errorf("resumed: %v", res)
	}
	w.until("nothing is left of the proof", func() bool { return left() == 0 }) // workers answer first
	if n := first.Load(); n < 3 {
		t.Errorf("it went on with round %d", int(n)-1)
	}
	p.Keepers = keepers

	for name, wrong := range map[string]struct {
		entries func() journal.Entries
		says    string
	}{
		"layers are missing":  {func() journal.Entries { return cutAt(t, p, 3) }, "is a successor of a state at depth 3, but is in no layer"},
		"a digest is another": {func() journal.Entries { return otherDigest(t, p, 2) }, "forward layer 2: digest is "},
	} {
		q := p
		q.Entries = wrong.entries()
		_, past, err := journal.Read(q.Entries)
		if err != nil {
			t.Fatal(err)
		}
		q.ID++
		q.Request.Digest = past.Digest().Bytes()
		if res, err := proveTo(t.Context(), q); err != nil || !strings.Contains(res.GetFault(), wrong.says) {
			t.Errorf("%s: %v, %v", name, res, err)
		}
	}

	all[1].end(t)
	w.until("the worker is missed", func() bool {
		_, err := r.Prove(t.Context(), func(int64) {})
		return errors.Is(err, client.ErrUnavailable) && strings.Contains(err.Error(), all[1].name())
	})
}

func equal(a, b client.Proved) bool {
	return a.States == b.States && a.Successors == b.Successors && a.Distances == b.Distances && slices.Equal(a.Versions, b.Versions)
}

// proofOf returns a proof of a run that the test leads itself.
func (w *world) proofOf(c *coordinator, r *client.Run) prove.Proof {
	clients := relay.NewClients(plaintext()...)
	w.t.Cleanup(func() {
		if err := clients.Close(); err != nil {
			w.t.Error(err)
		}
	})
	p := prove.Proof{ID: 1, Caller: "the test", Request: &everystatev1.ProveRunRequest{
		Run: run, RunIdentity: wire.Identity(r.History().Identity()), Digest: r.History().Digest().Bytes(),
	}}
	for _, e := range r.Journal() {
		p.Entries = append(p.Entries, e)
	}
	_, workers := c.get(run)
	place := r.History().Placement()
	for _, home := range place.Homes {
		name := place.Workers[home]
		k, err := clients.Keeper(name, workers[name].Address)
		if err != nil {
			w.t.Fatal(err)
		}
		p.Keepers = append(p.Keepers, k)
	}
	return p
}

// proveTo leads a proof to its end.
func proveTo(ctx context.Context, p prove.Proof) (last *everystatev1.ProveRunResponse, err error) {
	err = prove.Run(ctx, p, func(res *everystatev1.ProveRunResponse) error {
		last = res
		return nil
	})
	return last, err
}

// cutAt returns the entries up to a forward layer, and an end of the phase behind it.
func cutAt(t *testing.T, p prove.Proof, depth uint32) journal.Entries {
	t.Helper()
	for i, body := range p.Entries {
		e, err := journal.ReadEntry(body, len(p.Keepers))
		if err != nil {
			t.Fatal(err)
		}
		if e.Layer != nil && e.Layer.Depth == depth {
			return append(slices.Clone(p.Entries[:i+1]), journal.End(history.PhaseEnd{Phase: history.Forward, Layers: depth + 1, Generated: 1}))
		}
	}
	t.Fatal("no such layer")
	return nil
}

// otherDigest returns the entries with another digest of a forward layer.
func otherDigest(t *testing.T, p prove.Proof, depth uint32) journal.Entries {
	t.Helper()
	changed := slices.Clone(p.Entries)
	for i, body := range p.Entries {
		e, err := journal.ReadEntry(body, len(p.Keepers))
		if err != nil {
			t.Fatal(err)
		}
		if e.Layer != nil && e.Layer.Phase == history.Forward && e.Layer.Depth == depth {
			e.Layer.Digest[0]++
			changed[i] = journal.Layer(*e.Layer)
		}
	}
	return changed
}

// watched has f called with the round of each step that is sent to a worker.
func watched(keepers []relay.Keeper, f func(round uint32)) []relay.Keeper {
	keepers = slices.Clone(keepers)
	for i := range keepers {
		keepers[i].Proofs = watchedClient{keepers[i].Proofs, f}
	}
	return keepers
}

type watchedClient struct {
	everystatev1.ProofServiceClient
	f func(round uint32)
}

func (c watchedClient) ProveShare(ctx context.Context, opts ...grpc.CallOption) (everystatev1.ProofService_ProveShareClient, error) {
	stream, err := c.ProofServiceClient.ProveShare(ctx, opts...)
	return watchedStream{stream, c.f}, err
}

type watchedStream struct {
	everystatev1.ProofService_ProveShareClient
	f func(round uint32)
}

func (s watchedStream) Send(req *everystatev1.ProveShareRequest) error {
	if step := req.GetStep(); step != nil {
		s.f(step.GetRound())
	}
	return s.ProofService_ProveShareClient.Send(req)
}
