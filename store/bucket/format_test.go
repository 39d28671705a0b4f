package bucket

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// docs/FORMAT.md shows the bytes of two small objects: they are what is written.
func TestFormat(t *testing.T) {
	r := cloudPlace(t).open(t).Run("r")
	object := ObjectName(1, 1, 2, "w")
	must(t, r.Append(t.Context(), 2, []byte("stop")))
	writeLayer(t, r, object, blocks{2: {[]byte("abc")}})
	body, err := os.ReadFile("../../docs/FORMAT.md")
	must(t, err)
	text := strings.Join(strings.Fields(string(body)), " ")
	for _, name := range []string{entryKey(2), object} {
		got, err := read(t.Context(), r.bucket.backend, r.key(name), 0, 1<<20)
		must(t, err)
		if shown := fmt.Sprintf("% x", got); !strings.Contains(text, shown) {
			t.Errorf("FORMAT.md does not show %s:\n%s", name, shown)
		}
	}
	if !strings.Contains(text, object) {
		t.Errorf("FORMAT.md does not show the name %s", object)
	}
}
