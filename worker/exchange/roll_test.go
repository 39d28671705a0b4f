package exchange

import (
	"context"
	"slices"
	"sync"
	"testing"

	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
)

// TestRoll has workers say that they have sent everything, some of them twice: all have
// when the last one has.
func TestRoll(t *testing.T) {
	t.Parallel()
	r := NewRoll(4, 1)
	for i, worker := range []int{3, 3, 1, 0, 0, 2} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := r.Wait(ctx); i < 6 && err == nil {
			t.Errorf("all have sent everything before %d has", worker)
		}
		r.Done(worker)
	}
	for _, all := range []*Roll{r, NewRoll(1, 0), nil} {
		if err := all.Wait(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// TestAllIsSaidLast has a worker's lanes finish side by side: whoever is last says that
// everything was sent, once, and to those as well to whom nothing was sent.
func TestAllIsSaidLast(t *testing.T) {
	t.Parallel()
	for _, lanes := range []int{1, 2, 5} {
		for _, candidates := range []int{0, 20} {
			p := newPair(t)
			p.at.Roll = NewRoll(2, 0)
			p.at.Roll.Lanes(lanes)
			p.expect(func(at *everystatev1.SendRequest) { at.Straight = true })
			var wait sync.WaitGroup
			for range lanes {
				out := NewOutbound(p.out.chunks, p.out.peers, p.out.counts)
				t.Cleanup(out.Close)
				wait.Go(func() {
					out.Begin(p.at)
					out.Open(t.Context())
					for i := range candidates {
						part, rec := p.scheme.RecordNarrow(uint64(i), 0)
						if err := out.Send(p.at.Target.Epoch, part, append(p.out.chunks.Get(), rec)); err != nil {
							t.Error(err)
						}
					}
					if err := out.Finish(); err != nil {
						t.Error(err)
					}
				})
			}
			wait.Wait()
			if want := int64(lanes * candidates); !slices.Equal(p.taker.all, []int64{want}) {
				t.Errorf("%d lanes: all was said to have been sent after %d of %d candidates", lanes, p.taker.all, want)
			}
		}
	}
}
