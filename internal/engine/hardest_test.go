package engine

import (
	"encoding/json"
	"testing"
)

// TestHardestSummaryText writes the example in one line, and reads it and that of earlier
// versions.
func TestHardestSummaryText(t *testing.T) {
	want := HardestSummary{Distance: 9, Count: 2, Example: "AA.\n..B"}
	const text = `{"distance":9,"count":2,"example":"AA. / ..B"}`
	if got, err := json.Marshal(&want); err != nil || string(got) != text {
		t.Errorf("%s, %v", got, err)
	}
	for _, text := range []string{text, `{"distance":9,"count":2,"example":"AA.\n..B"}`} {
		var got HardestSummary
		if err := json.Unmarshal([]byte(text), &got); err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
}
