package sweep

import (
	"bytes"
	"reflect"
	"testing"
)

func FuzzRecord(f *testing.F) {
	r := Record{Board: "oooooAAoo", Layers: []uint64{1, 20000, 3}, Vehicles: 1, Minimal: true}
	b, _ := r.AppendBinary(nil)
	f.Add(b)
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
