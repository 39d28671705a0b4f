package shell

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A Directory is the value of a flag that names a directory, which need not exist. It
// refuses a name that is a file or lies below one.
type Directory string

// Set sets the name of the directory.
func (d *Directory) Set(name string) error {
	for at := filepath.Clean(name); ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		switch {
		case err == nil && !info.IsDir():
			return fmt.Errorf("%s is a file, not a directory", at)
		case err == nil, at == filepath.Dir(at):
			if strings.HasPrefix(name, "-") {
				name = "." + string(filepath.Separator) + name // else commands to paste would take it for a flag
			}
			*d = Directory(name)
			return nil
		}
	}
}

func (d *Directory) String() string { return string(*d) }

// Type returns the name of the value in help.
func (*Directory) Type() string { return "DIR" }
