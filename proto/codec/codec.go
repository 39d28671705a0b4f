// Package codec is gRPC's codec for protocol buffers with buffers of its own. Those of gRPC
// have few sizes, so that a message of more than 32 KiB takes one of 1 MiB, and are cleared
// whenever one is taken: for messages of candidates, which are larger, that is more work
// than everything else that is done with them. What is on the wire is the same.
//
// It must never know messages or services. Everything here is safe for concurrent use.
package codec

import (
	"fmt"
	"math/bits"
	"sync"

	"google.golang.org/grpc/encoding"
	encodingproto "google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"
)

// New returns a codec with no buffers yet.
func New() encoding.CodecV2 { return &codec{} }

type codec struct{ pool pool }

// Name is that of gRPC's own codec, so that both sides agree on the type of the content.
func (*codec) Name() string { return encodingproto.Name }

// Marshal encodes a message.
func (c *codec) Marshal(v any) (mem.BufferSlice, error) {
	m, ok := v.(proto.Message)
	if !ok {
		return nil, fmt.Errorf("a %T is not a message", v)
	}
	size := proto.Size(m)
	if mem.IsBelowBufferPoolingThreshold(size) {
		body, err := proto.MarshalOptions{UseCachedSize: true}.Marshal(m)
		return mem.BufferSlice{mem.SliceBuffer(body)}, err
	}
	buf := c.pool.Get(size)
	body, err := proto.MarshalOptions{UseCachedSize: true}.MarshalAppend((*buf)[:0], m)
	if err != nil {
		c.pool.Put(buf)
		return nil, err
	}
	*buf = body
	return mem.BufferSlice{mem.NewBuffer(buf, &c.pool)}, nil
}

// Unmarshal decodes a message, which keeps nothing of data.
func (c *codec) Unmarshal(data mem.BufferSlice, v any) error {
	m, ok := v.(proto.Message)
	if !ok {
		return fmt.Errorf("a %T is not a message", v)
	}
	buf := data.MaterializeToBuffer(&c.pool)
	defer buf.Free()
	return proto.Unmarshal(buf.ReadOnlyData(), m)
}

// The sizes of buffers that are kept: powers of two, as numbers of bits.
const (
	bitsMin = 10 // gRPC does not give smaller ones back
	bitsMax = 20
)

// pool is a mem.BufferPool whose buffers hold anything.
type pool struct{ sizes [bitsMax + 1]sync.Pool }

// Get returns a buffer of a length. Its user has to fill it.
func (p *pool) Get(length int) *[]byte {
	n := max(bitsMin, bits.Len(uint(max(length, 1)-1)))
	if n > bitsMax {
		b := make([]byte, length)
		return &b
	}
	if b, ok := p.sizes[n].Get().(*[]byte); ok {
		*b = (*b)[:length]
		return b
	}
	b := make([]byte, length, 1<<n)
	return &b
}

// Put takes a buffer back.
func (p *pool) Put(b *[]byte) {
	if n := bits.Len(uint(cap(*b))) - 1; n >= bitsMin && n <= bitsMax && cap(*b) == 1<<n {
		p.sizes[n].Put(b)
	}
}
