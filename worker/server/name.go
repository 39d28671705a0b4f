package server

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/everystate/everystate/store/naming"
)

// nameFile holds the lasting name of the worker, in its data directory.
const nameFile = "worker-id"

// workerName returns the name that is kept in dir, and makes one if there is
// none. The caller has locked dir.
func workerName(dir string) (string, error) {
	path := filepath.Join(dir, nameFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		name := newName()
		return name, keepName(path, name)
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

// newName derives a name from that of the machine, for people, and chance.
func newName() string {
	host, err := os.Hostname()
	if err != nil {
		host = ""
	}
	host = strings.Trim(regexp.MustCompile(`[^A-Za-z0-9]+`).ReplaceAllString(host, "-"), "-")
	if host == "" {
		host = "worker"
	}
	var chance [4]byte
	_, _ = rand.Read(chance[:]) // documented never to fail
	return strings.Trim(host[:min(len(host), 40)], "-") + "-" + hex.EncodeToString(chance[:])
}

// keepName makes the name durable before anything is written under it.
func keepName(path, name string) (err error) {
	f, err := os.Create(path + ".new")
	if err != nil {
		return err
	}
	_, err = f.WriteString(name + "\n")
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(path+".new", path); err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
