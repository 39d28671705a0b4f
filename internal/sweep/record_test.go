package sweep

import (
	"bytes"
	"reflect"
	"testing"
)

func FuzzRecord(f *testing.F) {
	r := Record{Board: "oooooAAoo", Layers: []uint64{1, 20000, 3}, Pieces: 1, Attributes: []uint64{1}}
	b, _ := r.AppendBinary(nil)
	f.Add(b)
	f.Add(r.appendDigested(nil)) // version 1
	f.Fuzz(func(t *testing.T, b []byte) {
		var r, again Record
		if r.UnmarshalBinary(b) != nil {
			return
		}
		c, _ := r.AppendBinary(nil)
		if err := again.UnmarshalBinary(c); err != nil || !reflect.DeepEqual(r, again) {
			t.Errorf("%v is read again as %v: %v", r, again, err)
		}
	})
}

func FuzzTotals(f *testing.F) {
	t := Totals{Clusters: 3, Largest: 1 << 40}
	t.At(2).Puzzles = 7
	t.Seal(5)
	b, _ := t.AppendBinary(nil)
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		var u, again Totals
		if u.UnmarshalBinary(b) != nil {
			return
		}
		c, _ := u.AppendBinary(nil)
		if err := again.UnmarshalBinary(c); err != nil || !reflect.DeepEqual(u, again) {
			t.Errorf("%v is read again as %v: %v", u, again, err)
		}
		if d, _ := again.AppendBinary(nil); !bytes.Equal(c, d) {
			t.Error("bytes differ")
		}
	})
}

// TestRecordOfVersion1 reads a record as databases of the first version have it, and
// sees that its digest is still that of those bytes.
func TestRecordOfVersion1(t *testing.T) {
	old := append([]byte{1, 4, 2, 16}, "BBoxAAoFECxCEoDD\x03\x05\x06\xac\x02"...)
	var r Record
	if err := r.UnmarshalBinary(old); err != nil {
		t.Fatal(err)
	}
	want := Record{Board: "BBoxAAoFECxCEoDD", Layers: []uint64{5, 6, 300}, Pieces: 4, Attributes: []uint64{1, 2}}
	if !reflect.DeepEqual(r, want) {
		t.Errorf("it is %+v, want %+v", r, want)
	}
	if !bytes.Equal(r.appendDigested(nil), old) {
		t.Error("the digest is not of the bytes that it was of")
	}
	if now, _ := r.AppendBinary(nil); now[0] != recordVersion {
		t.Errorf("it is written as version %d", now[0])
	}
	for _, damaged := range [][]byte{nil, {3, 1}, {recordVersion, 1, 17}, old[:len(old)-1]} {
		if r.UnmarshalBinary(damaged) == nil {
			t.Errorf("%x is read", damaged)
		}
	}
}
