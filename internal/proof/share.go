package proof

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/digest"
	"github.com/everystate/everystate/puzzle/partition"
)

// awayWords is how many words of successors go to another share at a time.
const awayWords = 8 << 10

// Division says which share of a proof has which partitions.
type Division struct {
	Owners []int // the share of each partition
	Self   int   // the share that is done here
	Rounds int   // of the proof, the same for all shares

	// Send sends successors, of which it keeps nothing, to another share. It is called
	// from several goroutines.
	Send func(ctx context.Context, share, round int, words []uint64) error
}

// Share is a part of a proof, that of the states in some partitions. Shares lead their
// rounds together: none begins a round before all are through the one before. Comparing
// a successor twice changes nothing, so they may all go back to an earlier round. Apart
// from Take, its methods are called one after another.
type Share struct {
	c   *checker
	div Division

	mu      sync.RWMutex // held while successors from other shares are compared
	round   int          // whose successors are taken, -1 before the first
	changed chan struct{}

	sums   [2][]Sum   // of each layer of the phases
	counts []int64    // successors generated in each round
	summed sync.Mutex // guards sums while states are collected
}

// shareProgress is what a share has counted.
type shareProgress struct {
	Sums   [2][]Sum
	Counts []int64
}

// Sum is what adds up over the states of a layer; see history.Layer.
type Sum struct {
	Digest                     digest.Digest
	Goals, Represented, Pruned int64
}

// ShareResult is what a share has counted.
type ShareResult struct {
	Successors int64
	Layers     [2][]Sum // by phase
}

// NewShare returns a share of the proof of a space, whose records need be those of its
// own partitions only.
func NewShare(space *query.Space, opts Options, div Division) *Share {
	opts.Version = fmt.Sprintf("%s, share %d of %x in %d rounds", opts.Version, div.Self, sha256.Sum256([]byte(fmt.Sprint(div.Owners))), div.Rounds)
	s := &Share{div: div, round: -1, changed: make(chan struct{}), c: newChecker(space, opts)}
	s.begin()
	return s
}

// begin begins afresh.
func (s *Share) begin() {
	c := newChecker(s.c.space, s.c.opts)
	c.share = s
	var states int64
	h := c.space.History
	for _, l := range h.Layers(history.Forward) {
		for p, n := range l.PartStates {
			if s.keeps(p) {
				states += n
			}
		}
	}
	c.divideStates(states)
	c.steps = s.div.Rounds
	c.files = &files{c: c, dir: c.opts.Dir}
	s.c, s.counts = c, make([]int64, s.div.Rounds)
	for i, phase := range []history.Phase{history.Forward, history.Goal} {
		s.sums[i] = make([]Sum, len(h.Layers(phase)))
	}
}

// keeps reports whether a partition is the share's; a nil share has all.
func (s *Share) keeps(part int) bool { return s == nil || s.div.Owners[part] == s.div.Self }

// owns reports whether a state is the share's.
func (s *Share) owns(key []uint64) bool {
	if s == nil {
		return true
	}
	rec := make([]uint64, s.c.space.Scheme.Stride())
	return s.keeps(int(s.c.space.Scheme.Record(rec, key, 0)))
}

// sum adds the records of a layer, whose keys are given, to what is known of it.
func (s *Share) sum(l history.Layer, part partition.ID, keys, recs []uint64) error {
	if s == nil {
		return nil
	}
	var sum Sum
	scheme, p := &s.c.space.Scheme, s.c.space.Board.Puzzle
	salt, words, stride := digest.LayerSalt(uint8(l.Phase), l.Depth), scheme.Words(), scheme.Stride()
	for i := 0; i*stride < len(recs); i++ {
		key := keys[i*words : (i+1)*words]
		if !p.Valid(key) {
			return s.c.puzzleErr(&FaultError{fmt.Sprintf("%v layer %d: partition %d holds the key %x, which is not a state of the puzzle", l.Phase, l.Depth, part, key)})
		}
		sum.Digest.AddState(salt, key, scheme.Move(recs[i*stride:]))
	}
	at := 1
	if l.Phase == history.Forward {
		at = 0
		sum.count(p, keys, len(recs)/stride)
	}
	s.summed.Lock()
	defer s.summed.Unlock()
	to := &s.sums[at][l.Depth]
	to.Digest.Add(sum.Digest)
	to.Goals += sum.Goals
	to.Represented += sum.Represented
	to.Pruned += sum.Pruned
	return puzzle.Err(p)
}

// count counts what the puzzle says of n states of the forward phase.
func (s *Sum) count(p puzzle.Puzzle, keys []uint64, n int) {
	marks := make([]bool, n)
	p.Goals(keys, marks)
	for _, goal := range marks {
		if goal {
			s.Goals++
		}
	}
	if weighted, ok := p.(puzzle.Weighted); ok {
		weights := make([]uint64, n)
		weighted.Weights(keys, weights)
		for _, weight := range weights {
			s.Represented += int64(weight)
		}
	}
	if pruning, ok := p.(puzzle.Pruning); ok {
		s.Pruned += pruning.Pruned(keys, new(puzzle.Edges))
	}
}

// progress returns what to save of a share.
func (s *Share) progress() *shareProgress {
	if s == nil {
		return nil
	}
	return &shareProgress{Sums: s.sums, Counts: s.counts}
}

// restore takes over what was saved, and reports whether it can be.
func (s *Share) restore(p *shareProgress) bool {
	if s == nil {
		return true
	}
	if p == nil || len(p.Counts) != len(s.counts) || len(p.Sums[0]) != len(s.sums[0]) || len(p.Sums[1]) != len(s.sums[1]) {
		return false
	}
	s.sums, s.counts = p.Sums, p.Counts
	return true
}

// Prepare reads the states of the share, unless an earlier call was interrupted and has
// left them. It returns the first round that has not been saved.
func (s *Share) Prepare(ctx context.Context) (round int, err error) {
	round, err = s.c.files.resume()
	if errors.Is(err, errDamaged) {
		if err = s.c.files.forget(); err == nil {
			s.begin()
			round = -1
		}
	}
	if err != nil || round >= 0 {
		return round, err
	}
	return 0, s.c.collect(ctx)
}

// Save saves what has been done before a round. No other share may be in a round.
func (s *Share) Save(round int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.usable(s.c.files.save(round))
}

// Round does a round: it generates the successors of some states.
func (s *Share) Round(ctx context.Context, round int) error {
	c := s.c
	if err := s.settle(ctx); err != nil {
		return err
	}
	s.enter(round)
	c.successors.Store(0)
	var next atomic.Int64
	err := c.onAllWorkers(ctx, func(ctx context.Context, worker int) error {
		e := &expander{c: c, out: c.newRouter(c.edgeWords, c.addEdges), edge: make([]uint64, c.edgeWords)}
		e.out.away = s.newAway(ctx, round)
		if round == 0 && worker == 0 {
			if err := e.starts(); err != nil {
				return err
			}
		}
		for ctx.Err() == nil {
			b := int(next.Add(1) - 1)
			if b >= len(c.buckets) {
				break
			}
			if b*s.div.Rounds/len(c.buckets) != round {
				continue
			}
			if err := e.bucket(b); err != nil {
				return c.puzzleErr(err)
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		return e.out.flush()
	})
	s.counts[round] = c.successors.Load()
	return s.usable(err)
}

// settle compares what waits in files if it has become too much.
func (s *Share) settle(ctx context.Context) error {
	if s.c.inMemory || s.c.spilled.Load() < s.c.opts.SpillBytes {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.usable(s.c.settle(ctx, false))
}

// usable removes the share's files if they turn out to be damaged.
func (s *Share) usable(err error) error {
	if errors.Is(err, errDamaged) {
		return errors.Join(err, s.c.files.forget())
	}
	return err
}

// enter has the successors of a round taken.
func (s *Share) enter(round int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.round = round
	close(s.changed)
	s.changed = make(chan struct{})
}

// Judge judges the states by what has been compared with them in all rounds.
func (s *Share) Judge(ctx context.Context) (ShareResult, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.c
	judge := func() error {
		return c.each(ctx, 0, func(_, bucket int) error { return c.judge(c.buckets[bucket].table) })
	}
	if !c.inMemory {
		judge = func() error { return c.settle(ctx, true) }
	}
	if err := judge(); err != nil {
		return ShareResult{}, s.usable(err)
	}
	res := ShareResult{Layers: s.sums}
	for _, n := range s.counts {
		res.Successors += n
	}
	return res, nil
}

// Taker takes the successors that one other share sends. It belongs to one goroutine.
type Taker struct {
	s   *Share
	out *router
}

// NewTaker returns a taker.
func (s *Share) NewTaker() *Taker {
	c := s.c
	most := max(4, c.bufferWords/c.edgeWords/len(slices.Compact(slices.Sorted(slices.Values(s.div.Owners))))) * c.edgeWords
	return &Taker{s: s, out: c.newRouterOf(c.edgeWords, most, c.addEdges)}
}

// Take compares successors of a round, once this share is in it, and returns how many
// they were. Some of them may wait until the last call for the round, which has end set.
func (t *Taker) Take(ctx context.Context, round int, words []uint64, end bool) (n int, err error) {
	s, stride := t.s, t.s.c.edgeWords
	if len(words)%stride != 0 {
		return 0, fmt.Errorf("%d words of successors that have %d each", len(words), stride)
	}
	for {
		s.mu.RLock()
		if s.round >= round {
			break
		}
		changed := s.changed
		s.mu.RUnlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
	defer s.mu.RUnlock()
	if s.round != round {
		return 0, fmt.Errorf("successors of round %d in round %d", round, s.round)
	}
	for i := 0; i < len(words); i += stride {
		if err := t.out.add(words[i : i+stride]); err != nil {
			return 0, err
		}
	}
	if end {
		err = t.out.flush()
	}
	return len(words) / stride, err
}

// EdgeWords returns how many words a successor has.
func (s *Share) EdgeWords() int { return s.c.edgeWords }

// away sends a goroutine's successors that other shares keep.
type away struct {
	s     *Share
	ctx   context.Context //nolint:containedctx // of the round that it lives for
	round int
	bufs  [][]uint64 // by share
	rec   []uint64
}

func (s *Share) newAway(ctx context.Context, round int) *away {
	return &away{s: s, ctx: ctx, round: round, bufs: make([][]uint64, slices.Max(s.div.Owners)+1), rec: make([]uint64, s.c.space.Scheme.Stride())}
}

// add reports whether a successor goes to another share.
func (a *away) add(edge []uint64) (gone bool, err error) {
	owner := a.s.div.Owners[a.s.c.space.Scheme.Record(a.rec, edge[:a.s.c.words], 0)]
	if owner == a.s.div.Self {
		return false, nil
	}
	a.bufs[owner] = append(a.bufs[owner], edge...)
	return true, a.full(owner)
}

// addNarrow is add for a key of one word and one more.
func (a *away) addNarrow(key, word uint64) (gone bool, err error) {
	owner := a.s.div.Owners[a.s.c.space.Scheme.Record(a.rec, []uint64{key}, 0)]
	if owner == a.s.div.Self {
		return false, nil
	}
	a.bufs[owner] = append(a.bufs[owner], key, word)
	return true, a.full(owner)
}

// full sends a buffer if it is full.
func (a *away) full(owner int) error {
	if len(a.bufs[owner]) < awayWords {
		return nil
	}
	return a.send(owner)
}

func (a *away) send(owner int) error {
	words := a.bufs[owner]
	a.bufs[owner] = words[:0]
	return a.s.div.Send(a.ctx, owner, a.round, words)
}

func (a *away) flush() error {
	for owner, words := range a.bufs {
		if len(words) == 0 {
			continue
		}
		if err := a.send(owner); err != nil {
			return err
		}
	}
	return nil
}
