package boardfile

import (
	"testing"
)

func TestParse(t *testing.T) {
	f, fault := Parse([]byte("\uFEFF; made by hand\r\nPuzzle: tiles\r\n name :  One \r\n\r\n  1 2\r\n; in between\n\n3 0\t\n\n"))
	if fault != nil {
		t.Fatal(fault)
	}
	if v, ok := f.Value("puzzle"); !ok || v != (Piece{"tiles", 2, 9}) {
		t.Errorf("puzzle: %+v %v", v, ok)
	}
	if v, _ := f.Value("name"); v != (Piece{"One", 3, 10}) {
		t.Errorf("name: %+v", v)
	}
	want := []Piece{{"  1 2", 5, 1}, {"", 7, 1}, {"3 0", 8, 1}}
	if len(f.Body) != len(want) {
		t.Fatalf("body %+v", f.Body)
	}
	for i, l := range f.Body {
		if l != want[i] {
			t.Errorf("line %d: %+v, not %+v", i, l, want[i])
		}
	}
}

// TestParseBody has bodies that look like headers.
func TestParseBody(t *testing.T) {
	for _, text := range []string{"10 4: 1 2 3", ": 3", "#a: b", "1 2\nname: x"} {
		f, fault := Parse([]byte(text))
		if fault != nil || len(f.Headers) > 0 || len(f.Body) == 0 {
			t.Errorf("%q: %+v, %v", text, f, fault)
		}
	}
}

func TestParseFaults(t *testing.T) {
	for text, want := range map[string]string{
		"name: a\nname: b\n":  `line 2, column 1: header "name" is given twice: it is already in line 1`,
		"a\n\x00":             "line 2, column 1: byte 0x00: the input is not text",
		"\uFEFFx\xff":         "line 1, column 5: byte 0xff: the input is not text",
		"name: a\u202Eb\n\n1": "line 1, column 8: a name must not contain control characters: U+202E",
		"colour: red\n\n1":    `line 1, column 1: unknown header "colour"; the headers are name`,
	} {
		f, fault := Parse([]byte(text))
		if fault == nil {
			_, fault = f.Name()
		}
		if fault == nil {
			fault = f.CheckKeys("name")
		}
		if fault == nil || fault.Error() != want {
			t.Errorf("%q: %v, not %s", text, fault, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("name: a\n\n1 2\n3 0"))
	f.Fuzz(func(t *testing.T, text []byte) {
		file, fault := Parse(text)
		if (file == nil) == (fault == nil) {
			t.Fatalf("%v, %v", file, fault)
		}
	})
}
