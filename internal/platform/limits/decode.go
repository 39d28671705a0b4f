package limits

import (
	"fmt"

	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
)

// decodeFree is the size up to which messages are decoded without waiting.
const decodeFree = 64 << 10

// Decoding returns an option by which at most so many messages of more than 64
// KiB are decoded at a time. Decoded, a message can take 60 times its bytes: an
// empty element of a list takes 2 bytes, and its struct more than 100. The time is
// bounded by the size, so that whoever waits here waits for the processor only.
func Decoding(most int) grpc.ServerOption {
	codec := encoding.GetCodecV2(proto.Name)
	if codec == nil {
		panic(fmt.Sprintf("gRPC has no codec %q", proto.Name))
	}
	return grpc.ForceServerCodecV2(&decoding{CodecV2: codec, slots: make(chan struct{}, most)})
}

type decoding struct {
	encoding.CodecV2
	slots chan struct{}
}

func (d *decoding) Unmarshal(data mem.BufferSlice, v any) error {
	if data.Len() > decodeFree {
		d.slots <- struct{}{}
		defer func() { <-d.slots }()
	}
	return d.CodecV2.Unmarshal(data, v)
}
