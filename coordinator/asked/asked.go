// Package asked reads and writes what clients have asked of a coordinator's run: a file
// beside its journal. It must never guess the contents of a file that it cannot read.
package asked

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/store"
)

const file = "control.json"

// Read reads the file in a run's directory. If the file is missing or damaged, lost
// says why, and the run is paused; a copy in a bucket stays as it is until a client asks for
// something.
func Read(disk vfs.FS, dir string) (c journal.Control, lost string, err error) {
	path := filepath.Join(dir, file)
	body, err := store.ReadFile(disk, path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		lost = path + " does not exist"
	case err != nil:
		return c, "", err
	default:
		if err := json.Unmarshal(body, &c); err != nil {
			lost = fmt.Sprintf("%s: %v", path, err)
		}
	}
	if lost != "" {
		c = journal.Control{State: history.Paused, Elsewhere: true}
	}
	return c, lost, nil
}

// Write replaces the file in a run's directory, durably.
func Write(disk vfs.FS, dir string, c journal.Control) error {
	body, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	return store.ReplaceFile(disk, filepath.Join(dir, file), append(body, '\n'))
}
