package shell

import (
	"fmt"
	"os"
	"path/filepath"
)

// A Directory is the value of a flag that names a directory, which need not exist. It
// refuses a name that cannot be one, because it or one above it is a file.
type Directory string

// Set takes the name of a directory.
func (d *Directory) Set(name string) error {
	for at := filepath.Clean(name); ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		switch {
		case err == nil && !info.IsDir():
			return fmt.Errorf("%s is a file, not a directory", at)
		case err == nil, at == filepath.Dir(at):
			*d = Directory(name)
			return nil
		}
	}
}

func (d *Directory) String() string { return string(*d) }

// Type is what help says of the value where the flag does not.
func (*Directory) Type() string { return "DIR" }
