// Package modules holds the modules of puzzles that clients upload in parts before they
// submit a run that needs them. It must never return a module whose hash does not match.
package modules

import (
	"crypto/sha256"
	"encoding/hex"
	"sync"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/everystate/everystate/coordinator/journal"
)

// uploadedMax bounds the uploaded modules that belong to no run; a new one replaces the
// oldest.
const uploadedMax = 4

// Uploaded holds the modules being uploaded, by hash. It is safe for concurrent use.
type Uploaded struct {
	mu      sync.Mutex // guards the fields below
	modules []*upload  // the oldest first
}

type upload struct {
	hash  string
	bytes []byte
	size  int
}

// Add adds a part of a module.
func (u *Uploaded) Add(hash string, size, number int, part []byte) error {
	if len(hash) != 2*sha256.Size || size < 1 || size > journal.ModuleBytesMax || number >= journal.Chunks(size) {
		return status.Errorf(codes.InvalidArgument, "part %d of a module of %d bytes: a module has 1 to %d, and the hash SHA-256", number, size, journal.ModuleBytesMax)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	m := u.find(hash)
	if number == 0 {
		u.remove(m)
		if len(u.modules) == uploadedMax {
			u.remove(u.modules[0])
		}
		m = &upload{hash: hash, size: size}
		u.modules = append(u.modules, m)
	}
	switch {
	case m == nil || m.size != size || len(m.bytes) != number*journal.ChunkBytes:
		return status.Errorf(codes.Aborted, "part %d of the module is out of order: upload it again from the beginning", number)
	case len(part) != min(journal.ChunkBytes, size-len(m.bytes)):
		return status.Errorf(codes.InvalidArgument, "part %d of the module has %d bytes: a part has %d, and the last one what is left", number, len(part), journal.ChunkBytes)
	}
	m.bytes = append(m.bytes, part...)
	if sum := sha256.Sum256(m.bytes); len(m.bytes) == size && hex.EncodeToString(sum[:]) != hash {
		u.remove(m)
		return status.Errorf(codes.InvalidArgument, "the module does not have the hash %s", hash)
	}
	return nil
}

func (u *Uploaded) find(hash string) *upload {
	for _, m := range u.modules {
		if m.hash == hash {
			return m
		}
	}
	return nil
}

func (u *Uploaded) remove(m *upload) {
	for i := range u.modules {
		if u.modules[i] == m {
			u.modules = append(u.modules[:i:i], u.modules[i+1:]...)
			return
		}
	}
}

// Module returns a module that was uploaded completely.
func (u *Uploaded) Module(hash string) (string, bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	m := u.find(hash)
	if m == nil || len(m.bytes) < m.size {
		return "", false
	}
	return string(m.bytes), true
}
