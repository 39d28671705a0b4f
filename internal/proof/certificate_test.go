package proof_test

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/proof"
)

func certified(t *testing.T) (proof.Certificate, history.Spec, *run) {
	t.Helper()
	b := read(t, "puzzles/tiles/2x3.txt")
	r := explored(t, b, everything(b))
	res, err := r.check(t)
	if err != nil {
		t.Fatal(err)
	}
	spec := history.Spec{Family: b.Family, Name: b.Name, Metric: b.Metric, Text: b.Text}
	return proof.Certify("runs/a \"b\"", "everystate test", spec, r.History, res), spec, r
}

// A certificate is read as it was written, and not if any byte of it is changed.
func TestCertificateText(t *testing.T) {
	c, _, _ := certified(t)
	text := c.Text()
	again, err := proof.ReadCertificate(text)
	if err != nil || !reflect.DeepEqual(again, c) {
		t.Errorf("%+v, %v, want %+v", again, err, c)
	}
	for i := range text {
		changed := bytes.Clone(text)
		changed[i] ^= 1
		if _, err := proof.ReadCertificate(changed); err == nil {
			t.Errorf("byte %d changed: no error", i)
		}
		if _, err := proof.ReadCertificate(text[:i]); err == nil {
			t.Errorf("cut at byte %d: no error", i)
		}
	}
}

// A certificate is for one board and its layers.
func TestCertificateHolds(t *testing.T) {
	c, spec, r := certified(t)
	if err := c.Holds(spec, r.History); err != nil {
		t.Error(err)
	}
	other := spec
	other.Text += "\n"
	if c.Holds(other, r.History) == nil {
		t.Error("it holds for another board")
	}
	b, five := read(t, "puzzles/tiles/2x3.txt"), 5
	for name, want := range map[string]history.Want{
		"fewer layers": {MaxDepth: &five}, "no goal distances": {},
	} {
		if c.Holds(spec, explored(t, b, want).History) == nil {
			t.Errorf("it holds for a run of %s", name)
		}
	}
	if err := c.Holds(spec, explored(t, b, everything(b)).History); err == nil || !strings.Contains(err.Error(), "identity") {
		t.Errorf("another run of the same layers: %v", err)
	}
}

func FuzzReadCertificate(f *testing.F) {
	f.Add([]byte("everystate certificate 2\nrun: \"a\"\n"))
	c := proof.Certificate{Run: "a", Checked: []string{"b"}}
	f.Add(c.Text())
	f.Fuzz(func(t *testing.T, text []byte) {
		if c, err := proof.ReadCertificate(text); err == nil && !bytes.Equal(c.Text(), text) {
			t.Error("it is another one when it is written again")
		}
	})
}
