package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"google.golang.org/protobuf/proto"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/internal/table/divided"
	"github.com/everystate/everystate/internal/wasm"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/partition"
)

// Run is a run on a coordinator, as of the last time its journal was read.
type Run struct {
	client *Client
	name   string

	entries journal.Entries
	spec    history.Spec
	board   puzzle.Board
	scheme  partition.Scheme
	history history.History

	mu        sync.Mutex // guards the fields below
	divided   *divided.Records
	dividedAt uint32 // the epoch of the last layer it knows
	later     *Run   // as the run was when its table was found to be further; nil if it was not
}

// Open reads a run's journal.
func (c *Client) Open(ctx context.Context, name string) (*Run, error) {
	r := &Run{client: c, name: name}
	if err := r.Refresh(ctx); err != nil {
		return nil, err
	}
	if r.spec.Units > 0 {
		return nil, &Error{text: fmt.Sprintf("%s/%s is a sweep: fetch its database with `everystate db fetch`", c.addr, name), kind: ErrRefused}
	}
	var err error
	if r.board, err = wasm.ReadStored(r.spec.Text, r.spec.Module, r.spec.Above); err != nil {
		return nil, fmt.Errorf("%s/%s: %w", c.addr, name, err)
	}
	r.board.Name = r.spec.Name
	if r.scheme, err = partition.New(r.board.Puzzle.Layout(), r.spec.Partitions); err != nil {
		return nil, fmt.Errorf("%s/%s: %w", c.addr, name, err)
	}
	return r, nil
}

// overlap is how many entries are read again to check that the journal has only
// grown: entries that were lost before a bucket had them, or replaced by those of
// a run continued elsewhere, are cut off its end.
const overlap = 64

// Refresh reads what has been added to the journal, or all of it if it has
// changed otherwise.
func (r *Run) Refresh(ctx context.Context) error {
	from := max(0, len(r.entries)-overlap)
	tail, err := r.read(ctx, from)
	if err != nil {
		return err
	}
	known := r.entries[from:]
	if len(tail) < len(known) || !slices.EqualFunc(tail[:len(known)], [][]byte(known), bytes.Equal) {
		if tail, err = r.read(ctx, 0); err != nil {
			return err
		}
		from = 0
	} else if len(tail) == len(known) && r.spec.Partitions > 0 {
		return nil
	}
	all := append(slices.Clip(r.entries[:from]), tail...)
	spec, past, err := journal.Read(all)
	if err == nil && spec.Partitions == 0 {
		err = errors.New("its journal is empty")
	}
	if err != nil {
		return fmt.Errorf("%s/%s: %w", r.client.addr, r.name, err)
	}
	r.entries, r.spec, r.history = all, spec, past
	return nil
}

// read returns the journal's entries from number from on.
func (r *Run) read(ctx context.Context, from int) (journal.Entries, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := r.client.runs.GetJournal(ctx, &everystatev1.GetJournalRequest{Run: r.name, Entries: uint64(from)})
	if err != nil {
		return nil, r.client.explain(ctx, r.name, err)
	}
	var read journal.Entries
	for {
		res, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return read, nil
		}
		if err != nil {
			return nil, r.client.explain(ctx, r.name, err)
		}
		// This restores the coordinator's own bytes if it is of this version.
		entry, err := proto.MarshalOptions{Deterministic: true}.Marshal(res.GetEntry())
		if err != nil {
			return nil, fmt.Errorf("%s/%s: %w", r.client.addr, r.name, err)
		}
		read = append(read, entry)
	}
}

// Journal returns the entries of the journal, which the caller must not change.
func (r *Run) Journal() [][]byte { return r.entries }

// Layer calls f with the blocks of a committed layer in their form for transport,
// partitions in increasing order. The checksum of each block has been verified,
// but not its contents, nor that none is missing. Of a run that divides a table, the
// layers of the forward phase are made again once some are in the table.
func (r *Run) Layer(ctx context.Context, l history.Layer, f func(part uint32, block []byte) error) error {
	if l.Phase == history.Forward && history.Divides(&r.history) && r.history.KeptFrom() > 0 {
		return r.made(ctx, l, f)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var parts []uint32
	for part, states := range l.PartStates {
		if states > 0 {
			parts = append(parts, uint32(part))
		}
	}
	next := r.records().blocks(ctx, l, parts)
	for {
		part, block, err := next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = f(part, block)
		}
		if err != nil {
			return err
		}
	}
}

// Entries returns how many entries of the journal have been read.
func (r *Run) Entries() int { return len(r.entries) }

// Spec returns what the run explores.
func (r *Run) Spec() history.Spec { return r.spec }

// Board returns the puzzle of the run.
func (r *Run) Board() puzzle.Board { return r.board }

// History returns what has been committed.
func (r *Run) History() *history.History { return &r.history }

// Space returns access to what has been enumerated.
func (r *Run) Space() *query.Space {
	s := &query.Space{
		Board:   r.board,
		Scheme:  r.scheme,
		History: &r.history,
		Records: r.records(),
	}
	if d := r.Divided(); d != nil {
		s.Records = d
	}
	return s
}

func (r *Run) records() *records {
	return &records{client: r.client, run: r.name, id: r.history.Identity(), shape: shapeOf(r.scheme)}
}
