package shell

import (
	"errors"
	"os"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
)

// TempDir makes a temporary directory below below, the value of a flag, or below the
// system's temporary directory if that is empty.
func TempDir(flag, below, pattern string) (string, error) {
	dir, err := os.MkdirTemp(below, pattern)
	switch path := new(os.PathError); {
	case !errors.As(err, &path):
		return dir, err
	case below != "":
		return "", exit.Errorf(exit.Usage, "%s %s: %v", flag, below, path.Err)
	default:
		return "", exit.Errorf(exit.Usage, "%s, where temporary files go: %v: set TMPDIR to a directory that can be written to", os.TempDir(), path.Err)
	}
}
