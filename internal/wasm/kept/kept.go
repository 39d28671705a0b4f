// Package kept keeps compiled modules in files for later runs of the program: a module
// of megabytes takes seconds to compile and milliseconds to read.
//
// It must never decide what a module does. What it keeps is machine code, so it reads
// only files that are whole, from directories that nobody else can write to; whatever is
// wrong with them, the module is compiled again.
package kept

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tetratelabs/wazero"
)

const (
	moduleBytesMin = 256 << 10 // smaller ones are compiled in milliseconds
	bytesMax       = 512 << 20 // of all files
	unfinishedMax  = time.Hour // age of a file that somebody may still be writing

	sumSuffix = ".sum" // the file's SHA-256
	tmpSuffix = ".tmp"
)

var place atomic.Pointer[string]

// In keeps modules in a directory from now on, which is made when it is needed; in none
// if dir is "".
func In(dir string) { place.Store(&dir) }

// InUserCache keeps modules in the user's cache directory from now on, if there is one.
func InUserCache() {
	if dir, err := os.UserCacheDir(); err == nil {
		In(filepath.Join(dir, "everystate", "modules"))
	}
}

// A Module is where the compiled code of one module is kept.
type Module struct {
	// Cache is for one wazero.Runtime.
	Cache wazero.CompilationCache

	dir   string
	whole []string // the paths of the files that were there
}

// Open returns where a module is kept, or nil if it is not worth keeping or there is no
// safe place for it. The Module must be closed.
func Open(module []byte) *Module {
	root := place.Load()
	if root == nil || *root == "" || len(module) < moduleBytesMin {
		return nil
	}
	sum := sha256.Sum256(module)
	dir := filepath.Join(*root, hex.EncodeToString(sum[:]))
	if os.MkdirAll(dir, 0o700) != nil || !private(*root) || !private(dir) {
		return nil
	}
	m := &Module{dir: dir}
	for _, path := range files(dir) {
		if whole(path) {
			m.whole = append(m.whole, path)
		} else if os.Remove(path) != nil {
			return nil
		}
	}
	cache, err := wazero.NewCompilationCacheWithDir(dir)
	if err != nil {
		return nil
	}
	now := time.Now()
	_ = os.Chtimes(dir, now, now) // at worst it is removed too early
	m.Cache = cache
	return m
}

// Keep lets later runs read what has been compiled since Open. If there is too much then,
// it removes the modules that have gone unused for longest. If it fails, the module is
// compiled again.
func (m *Module) Keep() {
	compiled := false
	for _, path := range files(m.dir) {
		if slices.Contains(m.whole, path) {
			continue
		}
		compiled = true
		if body, err := os.ReadFile(path); err == nil {
			_ = writeSum(path, body)
		}
	}
	if compiled {
		bound(filepath.Dir(m.dir), m.dir)
	}
}

// Drop removes what is kept of a module that cannot be used.
func (m *Module) Drop() { _ = os.RemoveAll(m.dir) }

// Close releases the code of the runtime that has used Cache.
func (m *Module) Close() { _ = m.Cache.Close(context.Background()) }

// files returns the paths of the files of compiled code below a directory. It removes
// what an interrupted process has left unfinished.
func files(dir string) (paths []string) {
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return fs.SkipDir // what cannot be read is not kept
		}
		switch {
		case entry.IsDir() || strings.HasSuffix(path, sumSuffix):
		case strings.HasSuffix(path, tmpSuffix):
			if info, err := entry.Info(); err == nil && time.Since(info.ModTime()) > unfinishedMax {
				_ = os.Remove(path)
			}
		default:
			paths = append(paths, path)
		}
		return nil
	})
	return paths
}

// whole reports whether a file is as it was written.
func whole(path string) bool {
	sum, err := os.ReadFile(path + sumSuffix)
	if err != nil {
		return false
	}
	body, err := os.ReadFile(path)
	return err == nil && string(sum) == sumOf(body)
}

func sumOf(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:]) + "\n"
}

func writeSum(path string, body []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*"+tmpSuffix)
	if err != nil {
		return err
	}
	_, err = f.WriteString(sumOf(body))
	if err = cmp.Or(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path+sumSuffix)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// bound removes the directories of the modules that have gone unused for longest, but not
// own, until the rest takes at most bytesMax.
func bound(root, own string) {
	type module struct {
		dir   string
		used  time.Time
		bytes int64
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		return
	}
	var all []module
	var bytes int64
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil || !info.IsDir() {
			continue
		}
		m := module{dir: filepath.Join(root, entry.Name()), used: info.ModTime()}
		for _, path := range files(m.dir) {
			if info, err := os.Stat(path); err == nil {
				m.bytes += info.Size()
			}
		}
		m.bytes = max(m.bytes, moduleBytesMin) // an empty directory takes room, too
		bytes += m.bytes
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b module) int { return a.used.Compare(b.used) })
	for _, m := range all {
		if bytes <= bytesMax {
			return
		}
		if m.dir != own && os.RemoveAll(m.dir) == nil {
			bytes -= m.bytes
		}
	}
}
