package query

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/partition"
)

// A Batch is some consecutive rows of the table of all states, by column. In a column
// of keys, row i is the Words words from i*Words on.
type Batch struct {
	Words         int // per key
	Depths        []uint32
	Partitions    []partition.ID
	Keys          []uint64
	Goals         []bool
	GoalDistances []int32 // -1 if no goal can be reached, or distances are unknown
	// Moves lead to the states from their predecessors; they are meaningless at depth
	// 0.
	Moves []puzzle.Move
	// Predecessors are keys, meaningless at depth 0. They are present if requested.
	Predecessors []uint64
}

// Len returns the number of rows.
func (b *Batch) Len() int { return len(b.Depths) }

// Key returns the key of a state.
func (b *Batch) Key(i int) []uint64 { return b.Keys[i*b.Words : (i+1)*b.Words] }

// Predecessor returns the key of a state's predecessor.
func (b *Batch) Predecessor(i int) []uint64 { return b.Predecessors[i*b.Words : (i+1)*b.Words] }

// TableOptions configures Table.
type TableOptions struct {
	// Rows is the number of rows per batch; the last batch may have fewer. Zero means
	// 4096.
	Rows int

	// Workers is the number of batches encoded concurrently. Zero means one per core.
	Workers int

	// Predecessors requests Batch.Predecessors. There are none if a state and its
	// link do not determine its predecessor.
	Predecessors bool

	// Scratch creates storage for the goal distances of all states, a byte or two per
	// state, if they exceed distanceBytesInMemory. It is closed after use. Nil means
	// that they are kept in memory, however many there are.
	Scratch func() (Scratch, error)

	// Written, if not nil, is told after each batch how many rows have been written
	// since the beginning.
	Written func(rows int64)
}

func (o *TableOptions) ensureDefaults() {
	if o.Rows == 0 {
		const blockRecords = 4096
		o.Rows = blockRecords
	}
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
}

// Table lists all states by depth, those of a depth by partition, and those of a
// partition by their mixed keys: the order in which they are stored. It calls encode
// with batches of rows, several concurrently, and write with the results, in order
// and from one goroutine. A value that has been written is passed to encode again for
// another batch; at first, encode gets zero values. A batch is valid until encode
// returns.
func Table[T any](ctx context.Context, s *Space, opts TableOptions, encode func(into T, b *Batch) (T, error), write func(T) error) (err error) {
	opts.ensureDefaults()
	known, err := s.goalDistances(ctx, opts, shareStatesMax)
	if err != nil {
		return err
	}
	defer func() { err = firstOf(err, known.close()) }()
	return table(ctx, s, opts, known, encode, write)
}

// table implements Table, given the goal distances in row order.
func table[T any](ctx context.Context, s *Space, opts TableOptions, known *distances, encode func(into T, b *Batch) (T, error), write func(T) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// The number of jobs bounds the memory: one for each worker, one being read and
	// one being written.
	free := make(chan *job[T], opts.Workers+2)
	for range cap(free) {
		free <- &job[T]{done: make(chan struct{}, 1)}
	}
	jobs := make(chan *job[T], cap(free))
	inOrder := make(chan *job[T], cap(free))

	var wait sync.WaitGroup
	defer wait.Wait()
	defer cancel() // before the wait
	for range opts.Workers {
		wait.Go(func() {
			for j := range jobs {
				if j.err = j.fill(s, opts.Predecessors); j.err == nil {
					j.out, j.err = encode(j.out, &j.batch)
				}
				j.done <- struct{}{}
			}
		})
	}
	var readErr error
	wait.Go(func() {
		defer close(inOrder)
		defer close(jobs)
		readErr = readJobs(ctx, s, opts.Rows, known, free, func(j *job[T]) {
			jobs <- j
			inOrder <- j
		})
	})
	written := int64(0)
	for j := range inOrder {
		<-j.done
		if j.err != nil {
			return j.err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := write(j.out); err != nil {
			return err
		}
		if written += int64(j.batch.Len()); opts.Written != nil {
			opts.Written(written)
		}
		free <- j
	}
	return readErr
}

// A job is a batch in progress.
type job[T any] struct {
	pieces []piece
	recs   []uint64
	dist   []int32 // empty if distances are unknown, or the depths

	batch Batch
	out   T
	err   error
	done  chan struct{} // receives one element when out and err are set
}

// A piece is some records of a partition of a layer.
type piece struct {
	depth uint32
	part  partition.ID
	rows  int
}

func (j *job[T]) reset() {
	j.pieces, j.recs, j.dist = j.pieces[:0], j.recs[:0], j.dist[:0]
}

// readJobs reads all layers into jobs and passes them on.
func readJobs[T any](ctx context.Context, s *Space, rows int, known *distances, free <-chan *job[T], deliver func(*job[T])) error {
	stride := s.Scheme.Stride()
	var j *job[T]
	left := 0
	for _, layer := range s.History.Layers(history.Forward) {
		err := s.eachBlock(ctx, layer, s.allParts(), func(part partition.ID, recs []uint64) error {
			for len(recs) > 0 {
				if left == 0 {
					select {
					case j = <-free:
					case <-ctx.Done():
						return ctx.Err()
					}
					j.reset()
					left = rows
				}
				n := min(left, len(recs)/stride)
				j.pieces = append(j.pieces, piece{layer.Depth, part, n})
				j.recs = append(j.recs, recs[:n*stride]...)
				var err error
				if j.dist, err = known.next(j.dist, n); err != nil {
					return err
				}
				recs = recs[n*stride:]
				if left -= n; left == 0 {
					deliver(j)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if left > 0 {
		deliver(j)
	}
	return nil
}

// fill fills a job's batch from its records.
func (j *job[T]) fill(s *Space, predecessors bool) error {
	b, stride, p := &j.batch, s.Scheme.Stride(), s.Board.Puzzle
	n := len(j.recs) / stride
	b.Words = s.Scheme.Words()
	b.Depths, b.Partitions = b.Depths[:0], b.Partitions[:0]
	b.Keys, b.Moves = b.Keys[:0], b.Moves[:0]
	recs := j.recs
	for _, at := range j.pieces {
		b.Keys = s.Scheme.Keys(b.Keys, at.part, recs[:at.rows*stride])
		for range at.rows {
			b.Depths = append(b.Depths, at.depth)
			b.Partitions = append(b.Partitions, at.part)
			b.Moves = append(b.Moves, s.Scheme.Move(recs))
			recs = recs[stride:]
		}
	}
	b.Goals = slices.Grow(b.Goals[:0], n)[:n]
	p.Goals(b.Keys, b.Goals)
	if err := puzzle.Err(p); err != nil {
		return err
	}
	if b.GoalDistances = j.dist; len(j.dist) == 0 {
		known := s.HasDistances() // they are the depths
		for _, depth := range b.Depths {
			distance := int32(-1)
			if known {
				distance = int32(depth)
			}
			j.dist = append(j.dist, distance)
		}
		b.GoalDistances = j.dist
	}
	if b.Predecessors = b.Predecessors[:0]; !predecessors || puzzle.Merges(p) {
		return nil
	}
	b.Predecessors = slices.Grow(b.Predecessors[:0], len(b.Keys))[:len(b.Keys)]
	for i, depth := range b.Depths {
		if depth > 0 && !p.Undo(b.Predecessor(i), b.Key(i), b.Moves[i]) {
			return cmp.Or(puzzle.Err(p), errors.New("a predecessor link does not fit its state: the run is damaged"))
		}
	}
	return nil
}

// firstOf returns the first non-nil error. Later ones are its consequences.
func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
