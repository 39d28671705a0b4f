package limits

import (
	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
)

// decodeFree is the size up to which messages are decoded without waiting.
const decodeFree = 64 << 10

// Decoding returns an option to decode with a codec, but at most most messages of more
// than 64 KiB at a time. Decoded, a message can take 60 times its bytes: an empty element
// of a list takes 2 bytes, its struct more than 100. The message size bounds the decoding
// time, so a caller that waits here waits only for the processor.
func Decoding(codec encoding.CodecV2, most int) grpc.ServerOption {
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
