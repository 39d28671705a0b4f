package shell

import (
	"errors"
	"os"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
)

// TempDir makes a temporary directory in parent, the value of a flag, or in the system's
// directory for them if that is empty.
func TempDir(flag, parent, pattern string) (string, error) {
	dir, err := os.MkdirTemp(parent, pattern)
	switch path := new(os.PathError); {
	case !errors.As(err, &path):
		return dir, err
	case parent != "":
		return "", exit.Errorf(exit.Usage, "%s %s: %v", flag, parent, path.Err)
	default:
		return "", exit.Errorf(exit.Usage, "%s, the directory for temporary files: %v: set TMPDIR to one that can be written to", os.TempDir(), path.Err)
	}
}
