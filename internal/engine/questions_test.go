package engine

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/query"
)

// BenchmarkQuestions puts questions to the run with goal distances whose
// directory EVERYSTATE_BENCH_RUN names: what they take depends on its size.
func BenchmarkQuestions(b *testing.B) {
	dir := os.Getenv("EVERYSTATE_BENCH_RUN")
	if dir == "" {
		b.Skip("EVERYSTATE_BENCH_RUN names no run")
	}
	open := func() *Run {
		r, err := Open(dir, Options{ReadOnly: true})
		if err != nil {
			b.Fatal(err)
		}
		return r
	}
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			if err := open().Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
	r := open()
	defer func() {
		if err := r.Close(); err != nil {
			b.Error(err)
		}
	}()
	space, ctx := r.Space(), context.Background()
	deepest, err := space.Deepest(ctx)
	if err != nil {
		b.Fatal(err)
	}
	hardest, err := space.Hardest(ctx, 1)
	if err != nil {
		b.Fatal(err)
	}
	b.Logf("%d states, %d layers", r.History().States(history.Forward), len(r.History().Layers(history.Forward)))
	for _, q := range []struct {
		name string
		ask  func() error
	}{
		{"hardest", func() error { _, err := space.Hardest(ctx, 10); return err }},
		{"deepest", func() error { _, err := space.Deepest(ctx); return err }},
		{"first-goal", func() error { _, err := space.FirstGoal(ctx); return err }},
		{"from-start", func() error { _, err := space.FromStart(ctx, deepest); return err }},
		{"to-goal", func() error { _, err := space.ToGoal(ctx, hardest.States[0]); return err }},
		{"show", func() error {
			place, err := space.Locate(ctx, deepest)
			if err != nil {
				return err
			}
			_, err = space.Successors(ctx, deepest, place)
			return err
		}},
		{"unreachable", func() error {
			key := append([]uint64(nil), deepest...)
			for {
				key[0] ^= 1 // no state, or another one
				switch _, err := space.Locate(ctx, key); {
				case errors.Is(err, query.ErrUnreachable):
					return nil
				case err != nil:
					return err
				}
				key[0] += 2
			}
		}},
	} {
		b.Run(q.name, func(b *testing.B) {
			for b.Loop() {
				if err := q.ask(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
