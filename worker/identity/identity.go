// Package identity keeps the name of a worker: what was written under it is found again by
// it, wherever its data directory goes. It must never change a name.
package identity

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/store/naming"
)

// File holds the persistent name of the worker, in its data directory.
const File = "worker-id"

// Of returns the name stored in dir, and makes one if there is none. The caller
// has locked dir.
func Of(fs vfs.FS, dir string, random func() uint64) (string, error) {
	path := filepath.Join(dir, File)
	text, err := store.ReadFile(fs, path)
	if errors.Is(err, os.ErrNotExist) {
		name := newName(random)
		return name, store.ReplaceFile(fs, path, []byte(name+"\n"))
	}
	if err != nil {
		return "", err
	}
	name := strings.TrimSpace(string(text))
	if !naming.IsWorker(name) {
		return "", fmt.Errorf("%s: %.80q is not a worker's name", path, name)
	}
	return name, nil
}

// newName returns a random name that contains the machine's name, for people.
func newName(random func() uint64) string {
	host, err := os.Hostname()
	if err != nil {
		host = ""
	}
	host = strings.Trim(regexp.MustCompile(`[^A-Za-z0-9]+`).ReplaceAllString(host, "-"), "-")
	if host == "" {
		host = "worker"
	}
	return fmt.Sprintf("%s-%08x", strings.Trim(host[:min(len(host), 40)], "-"), uint32(random()))
}
