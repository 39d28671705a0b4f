package paged

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/everystate/everystate/internal/table"
	"github.com/everystate/everystate/puzzle"
)

// Search is a Search of a table that is kept as pages on a Disk. A layer is made page by
// page: of the candidates of a page, those that are unseen are found, and at once they are
// expanded into candidates of the layer after. So a layer reads and writes each page that
// has candidates once, and no other. Candidates that do not fit in memory are spilled. The
// frontier is not kept.
//
// After an error the search is unusable: the Disk has what was last saved.
type Search struct {
	space *table.Space
	words int // of a block
	disk  Disk
	o     Options
	phase uint8

	skips  [][]bool      // by action or flip, and by link: what need not be made
	flips  []puzzle.Flip // where moves flip bits: the moves, or what undoes them
	listed map[int][]int // by page: the places of goals that are listed

	depth uint32     // of the last layer; -1 before the first
	last  table.Part // the whole last layer
	begun table.Part // of the next layer

	table.Saving
	table.Told

	pages [][]uint64 // those that stay in memory, once they have been read
	dirty []bool
	room  atomic.Int64 // how many more may stay

	crew []*worker
	err  fault
}

// fault holds the first error of several workers.
type fault struct {
	mu  sync.Mutex
	err error
}

func (f *fault) set(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = cmp.Or(f.err, err)
}

func (f *fault) get() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

// Options configures a Search.
type Options struct {
	Workers     int
	MemoryBytes int64

	// CountGoals makes it count the goals of each layer.
	CountGoals bool

	// Replay, unless nil, is a filled table, whose pages the Disk reads: the search walks
	// through its layers, and does not change it. It counts only states, unless Counted.
	Replay  *table.Table
	Counted bool

	// Within are the pages of the states among which the search stays, or nil for all.
	Within table.Pages
}

const wordBits = 64

const (
	// batchNumbers is how many states are expanded at a time.
	batchNumbers = 1 << 9
	// notedMax is how many states of a layer a worker notes, with their links.
	notedMax = 1 << 16
	// poolMin is the least memory for the candidates of a layer that a worker found, besides
	// a chunk for each page.
	poolMin = 1 << 20
	// pageSearchBytes is what is kept of each page in memory besides.
	pageSearchBytes = 64
)

// Bytes returns the least memory that a search takes.
func Bytes(s *table.Space, workers int) int64 {
	inHand := 4 * int64(s.PageBytes()) // pages and bits
	worker := inHand + leastBytes(s) + 2*(poolMin+poolBytes(s))
	return int64(workers)*worker + int64(s.Pages())*pageSearchBytes + rankBytes(s)
}

// leastBytes returns the memory for the links of a page in hand.
func leastBytes(s *table.Space) int64 {
	if s.Ranks.Fold != nil {
		return 8 << s.PageBits()
	}
	return 1 << s.PageBits()
}

// poolBytes returns the memory of a pool that has one chunk for each page.
func poolBytes(s *table.Space) int64 {
	return int64(s.Pages()) * (poolChunkBytes + poolPageBytes)
}

// rankBytes returns the memory that the ranks themselves take.
func rankBytes(s *table.Space) int64 {
	const perBlock = 3 // how many moves it has, and its colour
	n := int64(s.Ranks.Blocks) * perBlock
	for i := range s.Ranks.Actions {
		a := &s.Ranks.Actions[i]
		n += int64(len(a.Blocks))*4 + int64(len(a.BlockRows))*2
	}
	for _, row := range s.Ranks.Rows {
		n += int64(len(row)) * 2
	}
	return n
}

// BytesOf returns what a search of so many states takes at least, before anything is known of
// their ranks.
func BytesOf(states int64) int64 {
	return states >> table.PageBitsMax * (2*(poolChunkBytes+poolPageBytes) + pageSearchBytes)
}

// Fits reports whether a table can be kept as pages: a candidate must have room for a move,
// and symmetric states must not be merged.
func Fits(s *table.Space) bool { return s.Puzzle.Layout().Moves <= noLink && s.Ranks.Orbits == nil }

// New returns a search of a phase.
func New(space *table.Space, phase uint8, disk Disk, o Options) *Search {
	s := &Search{space: space, disk: disk, o: o, phase: phase, words: space.Words(), skips: skipsOf(space), listed: make(map[int][]int)}
	s.pages, s.dirty = make([][]uint64, space.Pages()), make([]bool, space.Pages())
	for _, f := range space.Flips() {
		if phase == table.FromGoals && !space.Puzzle.Layout().Reversible {
			f = f.Back()
		}
		s.flips = append(s.flips, f)
	}
	goals, ask := space.ListedGoals(o.CountGoals && (o.Replay == nil || o.Counted))
	for _, key := range goals {
		if block, item, ok := space.Ranks.Rank(key); ok {
			place := int(s.number(block, item))
			s.listed[place>>space.PageBits()] = append(s.listed[place>>space.PageBits()], place&(1<<space.PageBits()-1))
		}
	}
	spare := max(0, o.MemoryBytes-Bytes(space, o.Workers))
	pools := int64(2)
	if o.Replay != nil {
		pools++
	}
	bytes := poolMin + poolBytes(space) + spare/2/pools/int64(o.Workers)
	s.room.Store(spare / 2 / int64(space.PageBytes()))
	for range o.Workers {
		s.crew = append(s.crew, newWorker(s, ask, bytes))
	}
	s.depth--
	return s
}

// Begin makes layer 0 from the given states.
func (s *Search) Begin(keys []uint64) (table.Layer, error) {
	return s.BeginEach(context.Background(), func(f func(keys []uint64)) error {
		f(keys)
		return nil
	})
}

// BeginEach makes layer 0 from the states that each calls f with.
func (s *Search) BeginEach(ctx context.Context, each func(f func(keys []uint64)) error) (table.Layer, error) {
	s.depth, s.last, s.begun = ^uint32(0), table.Part{}, table.Part{}
	for _, h := range s.crew {
		h.found[0].reset()
		h.found[1].reset()
	}
	if err := s.disk.Drop(^uint32(0)); err != nil {
		return table.Layer{}, err
	}
	h := s.crew[0]
	err := each(func(keys []uint64) {
		for _, key := range keys {
			block, item, ok := s.space.Ranks.Rank(key)
			if !ok {
				s.err.set(table.ErrNoRank)
				return
			}
			h.put(0, s.number(block, item), 0)
		}
	})
	if err = errors.Join(err, s.err.get()); err != nil {
		return table.Layer{}, err
	}
	return s.Next(ctx)
}

// number returns the place of a state's bits in a table.
func (s *Search) number(block int, item uint16) uint64 {
	return uint64(block)*uint64(s.words*wordBits) + uint64(item)
}

// pageWords returns how many words of each plane a page has.
func (s *Search) pageWords() int { return s.space.PageWords() / 2 }

// ResumeSaved continues after a layer, of the next of which a part has been made, given what
// the Disk has.
func (s *Search) ResumeSaved(depth uint32, edges int64, part table.Part) {
	s.depth, s.last, s.begun = depth, table.Part{Edges: edges}, part
}

// Within reports whether a part of the next layer has been made.
func (s *Search) Within() bool { return s.begun.Words > 0 }

// ResumeFrom is ResumeSaved, given only a table. Older states with a layer's code do no
// harm: they have no unseen successors.
func (s *Search) ResumeFrom(ctx context.Context, depth uint32, edges int64, part table.Part, from table.Pages) error {
	s.ResumeSaved(depth, edges, part)
	next := int64(0)
	s.inParallel(func(h *worker) {
		for ctx.Err() == nil && s.err.get() == nil {
			page := int(atomic.AddInt64(&next, 1) - 1)
			if page >= len(s.pages) {
				return
			}
			if err := h.adopt(page, from); err != nil {
				s.err.set(err)
			}
		}
	})
	return cmp.Or(s.err.get(), ctx.Err())
}

func (s *Search) inParallel(f func(h *worker)) {
	var wait sync.WaitGroup
	for _, h := range s.crew[1:] {
		wait.Go(func() { f(h) })
	}
	f(s.crew[0])
	wait.Wait()
}

// Depth returns the depth of the last layer.
func (s *Search) Depth() uint32 { return s.depth }

// Edges returns how many successors the last layer has.
func (s *Search) Edges() int64 { return s.last.Edges }

// Next generates the next layer, which is empty if all states have been found.
func (s *Search) Next(ctx context.Context) (table.Layer, error) {
	if err := s.err.get(); err != nil {
		return table.Layer{}, err
	}
	edges, depth, pages := s.last.Edges, s.depth+1, len(s.pages)
	next := s.firstPage(s.begun)
	for i, h := range s.crew {
		h.begin(depth)
		if i == 0 {
			h.resume(s.begun)
		}
	}
	s.begun = table.Part{}
	for {
		done := s.settle(ctx, next)
		if err := s.err.get(); err != nil {
			return table.Layer{}, err
		}
		if done == pages {
			break
		}
		if s.Keep != nil && depth > 0 {
			part := s.part(done)
			err := s.flush(depth, done)
			if err == nil {
				err = s.Keep(part)
			}
			if err != nil {
				s.err.set(err)
				return table.Layer{}, err
			}
		}
		if err := ctx.Err(); err != nil {
			s.err.set(err)
			return table.Layer{}, err
		}
		next = done
	}
	if err := puzzle.Err(s.space.Puzzle); err != nil {
		s.err.set(err)
		return table.Layer{}, err
	}
	for _, h := range s.crew {
		h.found[generation(depth)].reset()
	}
	s.last, s.depth = s.part(pages), depth
	if err := s.disk.Drop(depth + 1); err != nil {
		s.err.set(err)
		return table.Layer{}, err
	}
	return table.Layer{
		Depth: depth, States: s.last.States, Generated: edges, Goals: s.last.Goals,
		Digest: s.last.Digest, PartStates: s.last.PartStates,
	}, nil
}

// firstPage returns the first page that is not done.
func (s *Search) firstPage(p table.Part) int {
	if int(p.Words) >= s.space.PlaneWords() {
		return len(s.pages)
	}
	return int(p.Words) / s.pageWords()
}

// settle makes pages from one on, until all are done or it is time to save, and returns how
// many are done.
func (s *Search) settle(ctx context.Context, from int) int {
	next, pages := int64(from), len(s.pages)
	depth := s.depth + 1
	var stop atomic.Bool
	s.inParallel(func(h *worker) {
		for ctx.Err() == nil && !stop.Load() {
			page := int(atomic.AddInt64(&next, 1) - 1)
			if page >= pages {
				return
			}
			states := h.sum.States
			if err := h.settle(depth, page); err != nil {
				s.err.set(fmt.Errorf("page %d: %w", page, err))
				stop.Store(true)
			}
			s.Blocks(page, page+1, pages, h.sum.States-states)
			if s.Pause != nil && s.Pause() {
				stop.Store(true)
			}
		}
	})
	return min(int(next), pages)
}

// part adds up what the workers have done, of so many pages.
func (s *Search) part(pages int) table.Part {
	p := table.Part{Words: int64(min(pages*s.pageWords(), s.space.PlaneWords())), PartStates: make([]int64, s.space.Scheme.Partitions())}
	for _, h := range s.crew {
		p.Add(&h.sum)
	}
	return p
}

// Flush puts everything on the Disk, and returns the part of the layer after the given one
// that has been made: nothing or all of it.
func (s *Search) Flush(depth uint32) (table.Part, error) {
	if err := s.err.get(); err != nil {
		return table.Part{}, err
	}
	err := s.flush(s.depth+1, 0)
	switch {
	case err != nil:
		s.err.set(err)
		return table.Part{}, err
	case s.depth == depth:
		return table.Part{PartStates: make([]int64, s.space.Scheme.Partitions())}, nil
	case s.depth == depth+1:
		return s.last, nil
	}
	return table.Part{}, fmt.Errorf("the search is at layer %d, the last is %d", s.depth, depth)
}

// flush puts on the Disk what is in memory, while a layer is made of which some pages are
// done.
func (s *Search) flush(depth uint32, done int) error {
	for _, h := range s.crew {
		if err := h.spill(depth, done); err != nil {
			return err
		}
		if err := h.spill(depth+1, 0); err != nil {
			return err
		}
	}
	for page, dirty := range s.dirty {
		if !dirty {
			continue
		}
		if err := s.disk.WritePage(page, s.pages[page]); err != nil {
			return err
		}
		s.dirty[page] = false
	}
	return nil
}

// load returns a page, and whether it stays in memory. It uses buf if it does not.
func (s *Search) load(page int, buf []uint64) (words []uint64, stays bool, err error) {
	if s.pages[page] != nil {
		return s.pages[page], true, nil
	}
	if s.room.Add(-1) >= 0 {
		buf, stays = make([]uint64, s.space.PageWords()), true
		s.pages[page] = buf
	}
	return buf, stays, s.disk.ReadPage(page, buf)
}

// Each calls f with the keys and links of the states of the last layer: in a replay, and
// elsewhere if they are few and the whole layer was made by this search.
func (s *Search) Each(f func(keys []uint64, link func(i int) puzzle.Move)) error {
	if s.noted() {
		for _, h := range s.crew {
			f(h.noted.Keys, func(i int) puzzle.Move { return h.noted.Moves[i] })
		}
		return nil
	}
	if s.o.Replay == nil {
		return fmt.Errorf("layer %d: its states are not listed", s.depth)
	}
	l := lister{search: s, f: f}
	if s.space.Ranks.Fold != nil {
		l.images = s.o.Replay.Images(f)
	}
	for page := range s.pages {
		if err := l.page(page); err != nil {
			return err
		}
	}
	return nil
}

// noted reports whether the workers have the states of the last layer, with their links.
func (s *Search) noted() bool {
	states := 0
	for _, h := range s.crew {
		states += h.noted.Len()
	}
	return states == int(s.last.States)
}

// lister lists the states of a layer of a replay.
type lister struct {
	search *Search
	f      func(keys []uint64, link func(i int) puzzle.Move)
	images func(block int, items []uint16) // calls f, where ranks are folded

	buf   []byte
	some  []candidate
	found []candidate
	items []uint16
	links []puzzle.Move
	keys  []uint64
}

func (l *lister) page(page int) (err error) {
	s := l.search
	l.found = l.found[:0]
	for _, h := range s.crew {
		h.kept.each(page, func(found []candidate) { l.found = append(l.found, found...) })
	}
	l.buf, err = s.disk.EachSpilled(Found, s.depth, page, l.buf, func(b []byte) {
		l.some = candidatesOf(b, l.some)
		l.found = append(l.found, l.some...)
	})
	if err != nil {
		return err
	}
	slices.SortFunc(l.found, func(a, b candidate) int { return cmp.Compare(a&placeMask, b&placeMask) })
	size := uint64(s.words * wordBits)
	for i := 0; i < len(l.found); {
		block := (uint64(page)<<s.space.PageBits() + uint64(l.found[i]&placeMask)) / size
		l.items, l.links = l.items[:0], l.links[:0]
		for ; i < len(l.found); i++ {
			item := uint64(page)<<s.space.PageBits() + uint64(l.found[i]&placeMask) - block*size
			if item >= size {
				break
			}
			l.items, l.links = append(l.items, uint16(item)), append(l.links, puzzle.Move(l.found[i]>>placeBits))
		}
		if l.images != nil {
			l.images(int(block), l.items)
			continue
		}
		l.keys = s.space.Ranks.AppendKeys(l.keys[:0], int(block), l.items)
		l.f(l.keys, func(i int) puzzle.Move { return l.links[i] })
	}
	return nil
}
