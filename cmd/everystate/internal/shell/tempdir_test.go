package shell

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
)

func TestTempDir(t *testing.T) {
	absent := filepath.Join(t.TempDir(), "absent")
	t.Setenv("TMPDIR", absent)
	t.Setenv("TMP", absent)
	for _, test := range []struct{ below, want string }{
		{"", absent + ", the directory for temporary files: "},
		{absent, "--scratch " + absent + ": "},
	} {
		dir, err := TempDir("--scratch", test.below, "x-*")
		if text, code := exit.Of(err); dir != "" || code != exit.Usage || !strings.HasPrefix(text, test.want) {
			t.Errorf("below %q: %q, exit %d, %s", test.below, dir, code, text)
		}
	}
	below := t.TempDir()
	if dir, err := TempDir("--scratch", below, "x-*"); err != nil || filepath.Dir(dir) != below {
		t.Errorf("%q, %v", dir, err)
	}
}
