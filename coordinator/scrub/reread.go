package scrub

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/store/bucket"
	"github.com/everystate/everystate/store/pace"
)

// Kept is what a bucket has of a run.
type Kept struct {
	In      *bucket.Run
	Objects []journal.LayerObject // only ever appended to, or another slice
	Damaged func(o journal.LayerObject, damage error)
}

// round is how far the objects of a run have been read in the present round.
type round struct {
	began time.Time
	next  int
}

// lookInterval is how often there may be new objects to read.
const lookInterval = 10 * time.Second

// Loop reads the objects of runs again until ctx ends, each soon after it was written and
// then once in so long, and calls Damaged for those that are. Objects that are not there
// are noticed by Check.
func Loop(ctx context.Context, every time.Duration, bound *pace.Pace, runs func() map[string]Kept) {
	rounds := make(map[string]round)
	for ctx.Err() == nil {
		all := runs()
		for _, name := range slices.Sorted(maps.Keys(all)) {
			k, at := all[name], rounds[name]
			if at.next > len(k.Objects) || at.next == 0 || at.next == len(k.Objects) && time.Since(at.began) >= every {
				at = round{began: time.Now()}
			}
			for ; at.next < len(k.Objects); at.next++ {
				damage, _ := Read(ctx, k.In, k.Objects[at.next], bound) // other errors are met again in the next round
				if ctx.Err() != nil {
					return
				}
				if damage != nil {
					k.Damaged(k.Objects[at.next], damage)
				}
			}
			rounds[name] = at
		}
		maps.DeleteFunc(rounds, func(name string, _ round) bool { _, is := all[name]; return !is })
		_ = pace.Sleep(ctx, lookInterval) // ctx has ended, and so does the loop
	}
}
