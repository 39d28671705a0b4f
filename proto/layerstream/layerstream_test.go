package layerstream

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/store"
)

// stream is a stream in memory.
type stream struct {
	messages []*everystatev1.ReadLayerResponse
}

func (s *stream) send(m *everystatev1.ReadLayerResponse) error {
	s.messages = append(s.messages, m)
	return nil
}

func (s *stream) recv() (*everystatev1.ReadLayerResponse, error) {
	if len(s.messages) == 0 {
		return nil, io.EOF
	}
	m := s.messages[0]
	s.messages = s.messages[1:]
	return m, nil
}

// widest is the shape with the largest blocks.
func widest() store.Shape { return store.Shape{Stride: store.StrideMax, MoveBits: 16} }

// largestBlock is as large as a block can be: every difference takes ten bytes.
func largestBlock() []byte {
	shape := widest()
	var recs []uint64
	for range store.BlockRecords {
		rec := make([]uint64, shape.Stride)
		// Differences of 2^63 and more; that the keys do not increase does not
		// matter to the coding.
		rec[0] = 1 << 63 * uint64(1-len(recs)/shape.Stride%2)
		for i := 1; i < shape.Stride-1; i++ {
			rec[i] = ^uint64(0)
		}
		rec[shape.Stride-1] = 1<<16 - 1
		recs = append(recs, rec...)
	}
	return shape.AppendBlock(nil, recs)
}

func TestCheckParts(t *testing.T) {
	t.Parallel()
	many := make([]uint32, PartsMax+1)
	for i := range many {
		many[i] = uint32(2 * i)
	}
	for _, test := range []struct {
		parts []uint32
		fault string
	}{
		{[]uint32{0}, ""},
		{[]uint32{3, 4, 1 << 31}, ""},
		{many[:PartsMax], ""},
		{nil, "0 partitions: must be 1 to 1024"},
		{many, "1025 partitions: must be 1 to 1024"},
		{[]uint32{1, 1}, "partition 1 after 1: must increase"},
		{[]uint32{1, 7, 2}, "partition 2 after 7: must increase"},
	} {
		got := ""
		if err := CheckParts(test.parts); err != nil {
			got = err.Error()
		}
		if got != test.fault {
			t.Errorf("%d partitions: %q, want %q", len(test.parts), got, test.fault)
		}
	}
}

// What a Sender sends, a Reader takes apart, in messages of no more than was
// promised.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	shape := store.Shape{Stride: 1, KeyBits: 40, MoveBits: 4}
	rng := rand.New(rand.NewPCG(1, 2))
	large := largestBlock()
	if n := len(large); n > blockBytesMax || n < blockBytesMax-1<<10 {
		t.Errorf("the largest block has %d bytes, the bound is %d", n, blockBytesMax)
	}
	type sent struct {
		part  uint32
		block string
	}
	var want, got []sent
	var parts []uint32
	var s stream
	out := NewSender(s.send)
	for part := uint32(0); part < 3000; part += 1 + rng.Uint32N(4) {
		parts = append(parts, part)
		for range rng.IntN(3) {
			block := shape.AppendBlock(nil, []uint64{rng.Uint64() >> 20})
			if rng.IntN(200) == 0 {
				block = large
			}
			want = append(want, sent{part, string(block)})
			if err := out.Add(part, block); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := errors.Join(out.Flush(), out.Flush()); err != nil {
		t.Fatal(err)
	}
	for _, m := range s.messages {
		if size := proto.Size(m); size >= blockBytesMax+1<<10 || len(m.GetBlocks()) == 0 || len(m.GetBlocks()) > 1 && size > messageBytesMax {
			t.Errorf("a message of %d bytes with %d blocks", size, len(m.GetBlocks()))
		}
	}
	if n := len(s.messages); n*100 > len(want)*10 {
		t.Errorf("%d messages for %d blocks", n, len(want))
	}
	err := NewReader(s.recv, parts).All(func(part uint32, block []byte) error {
		got = append(got, sent{part, string(block)})
		return nil
	})
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%d of %d blocks, %v", len(got), len(want), err)
	}
}

func TestReader(t *testing.T) {
	t.Parallel()
	shape := store.Shape{Stride: 1, KeyBits: 40, MoveBits: 4}
	good := shape.AppendBlock(nil, []uint64{16})
	bent := slices.Clone(good)
	bent[6] ^= 4
	block := func(part uint32, block []byte) *everystatev1.PartBlock {
		return &everystatev1.PartBlock{Partition: part, Block: block}
	}
	for _, test := range []struct {
		name   string
		blocks []*everystatev1.PartBlock
		fault  string
	}{
		{"some", []*everystatev1.PartBlock{block(2, good), block(2, good), block(9, good)}, ""},
		{"no blocks", nil, "without blocks"},
		{"a nil block", []*everystatev1.PartBlock{nil}, "partition 0, which was not asked for"},
		{"backwards", []*everystatev1.PartBlock{block(5, good), block(2, good)}, "partition 2, which was not asked for or has ended"},
		{"another", []*everystatev1.PartBlock{block(3, good)}, "partition 3, which was not asked for"},
		{"behind", []*everystatev1.PartBlock{block(10, good)}, "partition 10, which was not asked for"},
		{"bent", []*everystatev1.PartBlock{block(2, bent)}, "checksum does not match"},
		{"empty", []*everystatev1.PartBlock{block(2, nil)}, "checksum does not match"},
		{"too large", []*everystatev1.PartBlock{block(2, make([]byte, blockBytesMax+1))}, fmt.Sprintf("a block of %d bytes", blockBytesMax+1)},
	} {
		s := stream{messages: []*everystatev1.ReadLayerResponse{{Blocks: test.blocks}}}
		err := NewReader(s.recv, []uint32{2, 5, 9}).All(func(uint32, []byte) error { return nil })
		switch {
		case test.fault == "" && err != nil, test.fault != "" && (err == nil || !strings.Contains(err.Error(), test.fault)):
			t.Errorf("%s: %v", test.name, err)
		case err != nil && errors.Is(err, ErrProtocol) == store.IsCorruption(err):
			t.Errorf("%s: %v is of no kind", test.name, err)
		}
	}
	mine := errors.New("mine")
	s := stream{messages: []*everystatev1.ReadLayerResponse{{Blocks: []*everystatev1.PartBlock{block(2, good)}}}}
	if err := NewReader(s.recv, []uint32{2}).All(func(uint32, []byte) error { return mine }); !errors.Is(err, mine) {
		t.Errorf("got %v", err)
	}
	if err := NewReader(func() (*everystatev1.ReadLayerResponse, error) { return nil, mine }, []uint32{2}).All(nil); !errors.Is(err, mine) {
		t.Errorf("got %v", err)
	}
}

// Whatever arrives, what a Reader lets through was asked for, in order, and has
// the right checksum.
func FuzzReader(f *testing.F) {
	shape := store.Shape{Stride: 1, KeyBits: 40, MoveBits: 4}
	for _, m := range []*everystatev1.ReadLayerResponse{
		{},
		{Blocks: []*everystatev1.PartBlock{{Partition: 1, Block: shape.AppendBlock(nil, []uint64{16, 33})}, {Partition: 4, Block: shape.AppendBlock(nil, []uint64{7})}}},
		{Blocks: []*everystatev1.PartBlock{{Partition: 4, Block: shape.AppendBlock(nil, []uint64{16})}, {Partition: 1}}},
	} {
		body, err := proto.Marshal(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(body, body)
	}
	f.Fuzz(func(t *testing.T, first, second []byte) {
		var s stream
		for _, body := range [][]byte{first, second} {
			var m everystatev1.ReadLayerResponse
			if proto.Unmarshal(body, &m) != nil {
				t.Skip()
			}
			s.messages = append(s.messages, &m)
		}
		asked := []uint32{1, 2, 4, 70000}
		last := uint32(0)
		err := NewReader(s.recv, asked).All(func(part uint32, block []byte) error {
			if !slices.Contains(asked, part) || part < last {
				t.Errorf("partition %d after %d", part, last)
			}
			if !store.CheckBlock(block) || len(block) > blockBytesMax {
				t.Errorf("a bad block of %d bytes", len(block))
			}
			last = part
			shape.DecodeBlock(nil, block)
			return nil
		})
		if err != nil && !errors.Is(err, ErrProtocol) && !store.IsCorruption(err) {
			t.Errorf("got %v", err)
		}
	})
}
