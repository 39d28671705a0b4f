package codec_test

import (
	"bytes"
	"math/rand/v2"
	"sync"
	"testing"

	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"

	"github.com/everystate/everystate/proto/codec"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
)

// TestCodec sends messages of all sizes through one codec, from several goroutines, in as
// many pieces as they may arrive in. The bytes are those that the package proto makes.
func TestCodec(t *testing.T) {
	t.Parallel()
	c := codec.New()
	var wait sync.WaitGroup
	for seed := range uint64(4) {
		wait.Go(func() {
			random := rand.New(rand.NewPCG(seed, 0))
			for range 200 {
				sent := message(random)
				pieces, err := c.Marshal(sent)
				if err != nil {
					t.Error(err)
					return
				}
				want, err := proto.MarshalOptions{Deterministic: true}.Marshal(sent)
				if err != nil || !bytes.Equal(pieces.Materialize(), want) {
					t.Errorf("%d bytes are not those of package proto, error %v", len(want), err)
				}
				got := &everystatev1.SendRequest{}
				if err := c.Unmarshal(cut(random, want), got); err != nil || !proto.Equal(got, sent) {
					t.Errorf("%d bytes were not decoded to what they were made of, error %v", len(want), err)
				}
				pieces.Free()
			}
		})
	}
	wait.Wait()
}

// message returns a message of up to some 2 MiB, mostly much less.
func message(random *rand.Rand) *everystatev1.SendRequest {
	m := &everystatev1.SendRequest{Sender: "a", Epoch: random.Uint64N(3)}
	for range random.IntN(4) {
		block := make([]byte, random.IntN(1<<random.IntN(20)+1))
		for i := range block {
			block[i] = byte(random.Uint32())
		}
		m.Joined = append(m.Joined, block)
	}
	return m
}

// cut returns bytes in pieces.
func cut(random *rand.Rand, b []byte) mem.BufferSlice {
	var pieces mem.BufferSlice
	for len(b) > 0 {
		n := min(len(b), 1+random.IntN(16<<10))
		pieces = append(pieces, mem.SliceBuffer(b[:n]))
		b = b[n:]
	}
	return pieces
}

// Neither other types nor bytes of no message are accepted.
func TestCodecErrors(t *testing.T) {
	t.Parallel()
	c := codec.New()
	if _, err := c.Marshal("text"); err == nil {
		t.Error("a string was encoded")
	}
	if err := c.Unmarshal(nil, new(string)); err == nil {
		t.Error("a string was decoded")
	}
	broken := mem.BufferSlice{mem.SliceBuffer{0xff, 0xff}, mem.SliceBuffer(make([]byte, 4096))}
	if err := c.Unmarshal(broken, &everystatev1.SendRequest{}); err == nil {
		t.Error("bytes of no message were decoded")
	}
}
