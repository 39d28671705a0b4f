package server

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"sync"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/everystate/everystate/coordinator/journal"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
)

// uploadedMax is how many modules are kept that were brought and belong to no run:
// the oldest makes room for a new one.
const uploadedMax = 4

// uploaded holds the modules that are being brought, by hash. It is safe for
// concurrent use.
type uploaded struct {
	mu      sync.Mutex // guards the fields below
	modules []*upload  // the oldest first
}

type upload struct {
	hash  string
	bytes []byte
	size  int
}

// add adds a part of a module.
func (u *uploaded) add(hash string, size, number int, part []byte) error {
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

func (u *uploaded) find(hash string) *upload {
	for _, m := range u.modules {
		if m.hash == hash {
			return m
		}
	}
	return nil
}

func (u *uploaded) remove(m *upload) {
	for i := range u.modules {
		if u.modules[i] == m {
			u.modules = append(u.modules[:i:i], u.modules[i+1:]...)
			return
		}
	}
}

// module returns a module that has been brought, all of it.
func (u *uploaded) module(hash string) (string, bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	m := u.find(hash)
	if m == nil || len(m.bytes) < m.size {
		return "", false
	}
	return string(m.bytes), true
}

// UploadModule takes a part of a module.
func (s *Server) UploadModule(_ context.Context, req *everystatev1.UploadModuleRequest) (*everystatev1.UploadModuleResponse, error) {
	err := s.uploaded.add(req.GetSha256(), int(req.GetModuleBytes()), int(req.GetNumber()), req.GetChunk().GetData())
	if err != nil {
		return nil, err
	}
	return &everystatev1.UploadModuleResponse{}, nil
}

// FetchModule returns a part of the module of a run.
func (s *Server) FetchModule(_ context.Context, req *everystatev1.FetchModuleRequest) (*everystatev1.FetchModuleResponse, error) {
	s.mu.Lock()
	r := s.runs[req.GetRun()]
	module := ""
	if r != nil {
		module = r.spec.Module
	}
	s.mu.Unlock()
	if r == nil || int64(req.GetChunk()) >= int64(journal.Chunks(len(module))) {
		return nil, status.Errorf(codes.NotFound, "there is no part %d of a module of run %.140q", req.GetChunk(), req.GetRun())
	}
	data := []byte(journal.Chunk(module, int(req.GetChunk())))
	return &everystatev1.FetchModuleResponse{Chunk: &everystatev1.ModuleChunk{Data: data}}, nil
}
