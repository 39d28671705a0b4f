package sokoban

import (
	"context"

	"github.com/everystate/everystate/internal/sweep"
	"github.com/everystate/everystate/puzzle"
)

// A worker enumerates units. It is for one goroutine.
type worker struct {
	e      *Enumeration
	seen   []uint64 // a bit for each key
	states []uint64 // of a goal set, by distance
	layers []uint64
	edges  puzzle.Edges
}

// batch is how many states are expanded between checks of the context.
const batch = 1 << 10

// Worker returns a worker for units.
func (e *Enumeration) Worker() sweep.Worker {
	return &worker{e: e, seen: make([]uint64, (e.room.Keys()+63)/64)}
}

// Do enumerates the goal sets of a unit.
func (w *worker) Do(ctx context.Context, unit int) (f sweep.Findings, err error) {
	first, behind := w.e.sets(unit)
	for set := first; set < behind; set++ {
		if !sweep.Sampled(set, w.e.rules.Sample) || w.e.rules.Merged && !w.e.room.IsRepresentative(set) {
			continue
		}
		if err := w.explore(ctx, set); err != nil {
			return sweep.Findings{}, err
		}
		w.note(&f, set)
	}
	if err := ctx.Err(); err != nil {
		return sweep.Findings{}, err
	}
	f.Totals.Seal(unit)
	return f, nil
}

// explore finds all states from which a goal set can be solved, by distance.
func (w *worker) explore(ctx context.Context, set uint64) error {
	w.states, w.layers = w.e.room.On(set, w.states[:0]), w.layers[:0]
	for _, key := range w.states {
		w.seen[key>>6] |= 1 << (key & 63)
	}
	defer func() {
		for _, key := range w.states {
			w.seen[key>>6] = 0
		}
	}()
	for at := 0; at < len(w.states); {
		end := len(w.states)
		w.layers = append(w.layers, uint64(end-at))
		for at < end {
			if err := ctx.Err(); err != nil {
				return err
			}
			next := min(at+batch, end)
			w.edges.Reset()
			w.e.room.Pulls(w.states[at:next], &w.edges)
			for _, key := range w.edges.Keys {
				if bit := uint64(1) << (key & 63); w.seen[key>>6]&bit == 0 {
					w.seen[key>>6] |= bit
					w.states = append(w.states, key)
				}
			}
			at = next
		}
	}
	return nil
}

// note counts an explored goal set, and keeps it if the rules want it. The set is a
// puzzle if it needs a push.
func (w *worker) note(f *sweep.Findings, set uint64) {
	distance := len(w.layers) - 1
	f.Totals.Families++
	f.Totals.AddSolvable(w.layers, distance > 0)
	if distance == 0 || distance < w.e.rules.MinDistance {
		return
	}
	r := sweep.Record{Board: w.hardest(set), Layers: append([]uint64(nil), w.layers...), Pieces: w.e.rules.Boxes}
	f.Totals.AddRecord(&r)
	f.Records = append(f.Records, r)
}

// hardest returns the state at the greatest distance whose text sorts first.
func (w *worker) hardest(set uint64) string {
	last := len(w.states) - int(w.layers[len(w.layers)-1])
	least := ""
	for _, key := range w.states[last:] {
		if text := w.e.room.Level(set, key); least == "" || text < least {
			least = text
		}
	}
	return oneLine(least)
}
