package export

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestCSVQuotes(t *testing.T) {
	t.Parallel()
	line := appendCSV(nil, &row{state: "a,\"b\nc", depth: 1, predecessor: "#$ .", move: "u", goalDistance: 2})
	if want := `"a,""b / c",1,#$ .,u,2` + "\n"; string(line) != want {
		t.Errorf("got %q, want %q", line, want)
	}
}

// TestJSONWithoutPredecessor writes null for a predecessor that the link does not determine.
func TestJSONWithoutPredecessor(t *testing.T) {
	t.Parallel()
	line := appendJSON(nil, &row{state: "a", depth: 1, move: "u", goalDistance: 2})
	if want := `{"state":"a","depth":1,"predecessor":null,"move":"u","goal_distance":2}` + "\n"; string(line) != want {
		t.Errorf("got %s, want %s", line, want)
	}
}

// Texts that go the quick way into JSON are as json.Marshal would write them.
func TestJSONQuotes(t *testing.T) {
	t.Parallel()
	for c := range 256 {
		for _, text := range []string{"a" + string(rune(c)) + "b", "a" + string([]byte{byte(c)}) + "b"} {
			want, err := json.Marshal(strings.ReplaceAll(text, "\n", " / "))
			if err != nil {
				t.Fatal(err)
			}
			if got := appendJSONText(nil, text); !bytes.Equal(got, want) {
				t.Errorf("%q is written as %s, want %s", text, got, want)
			}
		}
	}
}
