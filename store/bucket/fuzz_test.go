package bucket

import (
	"bytes"
	"testing"
)

func FuzzFrame(f *testing.F) {
	f.Add(encodeFrame(entryMagic, 12, []byte("entry")), uint64(12))
	f.Add(encodeFrame(entryMagic, 0, nil), uint64(0))
	f.Add([]byte{}, uint64(0))
	f.Fuzz(func(t *testing.T, frame []byte, number uint64) {
		body, wrong := decodeFrame(frame, entryMagic, number)
		if wrong != "" {
			return
		}
		if again := encodeFrame(entryMagic, number, body); !bytes.Equal(again, frame) {
			t.Errorf("%x decodes, and encodes as %x", frame, again)
		}
	})
}

// The rest of an object is of a size that may be anything.
func FuzzIndex(f *testing.F) {
	f.Add(encodeIndex("layers/x", nil), int64(8))
	f.Add(encodeIndex("layers/x", []indexLine{
		{part: 1, blocks: 2, bytes: 100, sum: 3}, {part: 7, blocks: 1, bytes: 9},
	}), int64(8+109))
	f.Add(encodeIndex("layers/x", []indexLine{{part: 1, blocks: 1, bytes: 1 << 62}}), int64(1)<<62)
	f.Fuzz(func(t *testing.T, b []byte, before int64) {
		if before < 0 || before > LayerBytesMax {
			return
		}
		size := before + int64(len(b))
		n, wrong := indexSize(size, b)
		if wrong != "" || n > int64(len(b)) {
			return
		}
		index := b[int64(len(b))-n:]
		lines, wrong := decodeIndex("layers/x", size, index)
		if wrong != "" {
			return
		}
		if again := encodeIndex("layers/x", lines); !bytes.Equal(again, index) {
			t.Errorf("%x decodes, and encodes as %x", index, again)
		}
		at := int64(len(layerMagic))
		for _, l := range lines {
			if l.start != at || l.bytes <= 0 {
				t.Errorf("%+v starts elsewhere than at %d", l, at)
			}
			at = l.end()
		}
		if at != size-n {
			t.Errorf("blocks end at %d, not at %d", at, size-n)
		}
	})
}
