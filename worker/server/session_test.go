package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/wire"
)

// Who wants to leave does not wait for a coordinator that was never there.
func TestLeavesWithoutCoordinator(t *testing.T) {
	t.Parallel()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	drain := make(chan struct{})
	close(drain)
	if err := Run(t.Context(), Options{Coordinator: address, Data: t.TempDir(), MemoryBytes: MemoryMin, Drain: drain}); err != nil {
		t.Error(err)
	}
}

// refusing lets nobody in.
type refusing struct {
	everystatev1.UnimplementedSessionServiceServer
	code codes.Code
}

func (r refusing) Synchronize(context.Context, *everystatev1.SynchronizeRequest) (*everystatev1.SynchronizeResponse, error) {
	return nil, status.Error(r.code, "Synchronize is for workers")
}

// Who is refused at the door says so, and does not knock for ever.
func TestRefusedAtTheDoor(t *testing.T) {
	t.Parallel()
	for _, code := range []codes.Code{codes.PermissionDenied, codes.Unauthenticated, codes.Unimplemented, codes.FailedPrecondition} {
		listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		server := grpc.NewServer()
		everystatev1.RegisterSessionServiceServer(server, refusing{code: code})
		served := make(chan error, 1)
		go func() { served <- server.Serve(listener) }()
		err = Run(t.Context(), Options{Coordinator: listener.Addr().String(), Data: t.TempDir(), MemoryBytes: MemoryMin})
		if !errors.Is(err, ErrRefused) {
			t.Errorf("%v: got %v, want that it is refused", code, err)
		}
		server.Stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	}
}

// newer speaks a version of the protocol that is not known here.
type newer struct {
	everystatev1.UnimplementedSessionServiceServer
}

func (newer) Synchronize(context.Context, *everystatev1.SynchronizeRequest) (*everystatev1.SynchronizeResponse, error) {
	return &everystatev1.SynchronizeResponse{Order: 1, LeaseMillis: 3000, WireVersion: wire.Version + 1}, nil
}

// A worker does not guess what a coordinator of another version means.
func TestOtherVersionOfCoordinator(t *testing.T) {
	t.Parallel()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	everystatev1.RegisterSessionServiceServer(server, newer{})
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	err = Run(t.Context(), Options{Coordinator: listener.Addr().String(), Data: t.TempDir(), MemoryBytes: MemoryMin})
	if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), fmt.Sprintf("the coordinator speaks version %d of the protocol", wire.Version+1)) {
		t.Errorf("%v", err)
	}
	server.Stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
}
