package server

import (
	"context"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/everystate/everystate/coordinator/journal"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
)

// UploadModule adds a part of a module.
func (s *runService) UploadModule(_ context.Context, req *everystatev1.UploadModuleRequest) (*everystatev1.UploadModuleResponse, error) {
	return &everystatev1.UploadModuleResponse{}, s.uploaded.Add(req.GetSha256(), int(req.GetModuleBytes()), int(req.GetNumber()), req.GetChunk().GetData())
}

// FetchModule returns a part of a run's module.
func (s *sessionService) FetchModule(_ context.Context, req *everystatev1.FetchModuleRequest) (*everystatev1.FetchModuleResponse, error) {
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
