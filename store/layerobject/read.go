package layerobject

import (
	"context"
	"fmt"

	"github.com/everystate/everystate/store/bucket"
)

// An Object holds the blocks of some partitions of a layer.
type Object struct {
	Name       string
	Partitions []uint32 // in increasing order
}

// Read calls f with the blocks of a layer of so many partitions, partitions in increasing
// order. All its objects are read at once. While the bucket does not answer, Read retries.
// A block belongs to f.
func Read(ctx context.Context, from *bucket.Run, p *bucket.Patience, partitions int, objects []Object, f func(part uint32, block []byte) error) error {
	ctx, cancel := context.WithCancel(ctx)
	var streams []*stream
	defer func() {
		cancel()
		for _, in := range streams {
			for range in.blocks { // drain until the reader has ended
			}
		}
	}()
	owner := make([]*stream, partitions)
	for _, o := range objects {
		in := &stream{blocks: make(chan storedBlock, 1)}
		for _, p := range o.Partitions {
			if owner[p] != nil {
				return fmt.Errorf("%s/%s: partition %d is in two objects", from.URL(), o.Name, p)
			}
			owner[p] = in
		}
		streams = append(streams, in)
		go func() {
			defer close(in.blocks)
			in.err = in.read(ctx, from, p, o)
		}()
	}
	for part := range uint32(partitions) {
		in := owner[part]
		if in == nil {
			continue
		}
		if err := in.partition(part, f); err != nil {
			return err
		}
	}
	return nil
}

// A stream is an object being read. A block taken out of blocks belongs to the
// goroutine that called Read.
type stream struct {
	blocks chan storedBlock
	next   *storedBlock // taken out of blocks, of a later partition
	err    error        // why it ended, once blocks is closed
}

type storedBlock struct {
	part  uint32
	block []byte
}

// partition calls f with the blocks of a partition.
func (in *stream) partition(part uint32, f func(part uint32, block []byte) error) error {
	for {
		if in.next == nil {
			b, ok := <-in.blocks
			if !ok {
				return in.err
			}
			in.next = &b
		}
		if in.next.part != part {
			return nil
		}
		block := in.next.block
		in.next = nil
		if err := f(part, block); err != nil {
			return err
		}
	}
}

// read sends the blocks of an object. When the bucket is back after a failure, it
// continues after those already sent.
func (in *stream) read(ctx context.Context, from *bucket.Run, p *bucket.Patience, o Object) error {
	parts := o.Partitions
	sent := 0 // blocks of the first of parts
	return p.Try(ctx, func() error {
		skip := sent
		r, err := from.OpenLayer(ctx, o.Name)
		if err != nil {
			return err
		}
		return r.ReadAll(ctx, parts, func(part uint32, block []byte) error {
			for part != parts[0] {
				parts, sent, skip = parts[1:], 0, 0
			}
			if skip > 0 {
				skip--
				return nil
			}
			select {
			case in.blocks <- storedBlock{part, append([]byte(nil), block...)}:
				sent++
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	})
}
