// Package client calls a coordinator: it submits and controls runs, asks for their
// status, and reads what they have found.
//
// It must never expose generated messages. A Client is safe for concurrent use; a
// Run belongs to one goroutine.
package client

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/internal/security"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/wire"
	"github.com/everystate/everystate/store"
)

// callWait bounds the time of a call that does not stream.
const callWait = 15 * time.Second

// pingInterval is how long the connection may be silent during a call before it is
// pinged.
const pingInterval = 30 * time.Second

var (
	// ErrNoCoordinator reports that no coordinator answers.
	ErrNoCoordinator = errors.New("no coordinator answers")
	// ErrNoRun reports that the coordinator has no run of that name.
	ErrNoRun = errors.New("there is no such run")
	// ErrOtherPuzzle reports that the name belongs to a run of a different board.
	ErrOtherPuzzle = errors.New("the name belongs to a run of a different board")
	// ErrUnavailable reports that somebody needed, such as a worker that keeps the
	// requested states, is temporarily unavailable.
	ErrUnavailable = errors.New("temporarily unavailable")
	// ErrRefused reports that the coordinator refuses a request.
	ErrRefused = errors.New("refused")
	// ErrDenied reports that the credentials are missing, wrong, or not for this
	// call.
	ErrDenied = errors.New("denied")
)

// Error is the error of a call, in one line for people. It wraps one of the errors
// above if it is of that kind, and a *store.CorruptionError if stored data is
// damaged.
type Error struct {
	text string
	kind error
}

func (e *Error) Error() string { return e.text }

func (e *Error) Unwrap() error { return e.kind }

// Options configures a Client.
type Options struct {
	// Dial holds the options for transport security.
	Dial []grpc.DialOption

	// Patience is for how long after Dial calls are repeated if the connection is
	// refused, as by a coordinator that is just starting. Zero means no time.
	Patience time.Duration

	// Waiting, if not nil, is called when a call begins to wait for an answer, and says
	// whether there is a connection; stop is called when the wait is over. Calls may
	// come from several goroutines.
	Waiting func(connected bool) (stop func())
}

// Client calls one coordinator.
type Client struct {
	addr    string
	conn    *grpc.ClientConn
	runs    everystatev1.RunServiceClient
	records everystatev1.RecordServiceClient
	proofs  everystatev1.ProofServiceClient

	viewer atomic.Bool // as of the last answer
}

// Dial returns a client of the coordinator at a host and port. It does not wait for
// a connection: the first call shows whether there is a coordinator.
func Dial(addr string, opts Options) (*Client, error) {
	conn, err := grpc.NewClient("passthrough:///"+addr, slices.Concat([]grpc.DialOption{
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: pingInterval}),
	}, opts.patience(), opts.Dial)...)
	if err != nil {
		return nil, fmt.Errorf("coordinator %s: %w", addr, err)
	}
	return &Client{
		addr: addr, conn: conn,
		runs:    everystatev1.NewRunServiceClient(conn),
		records: everystatev1.NewRecordServiceClient(conn),
		proofs:  everystatev1.NewProofServiceClient(conn),
	}, nil
}

// Addr returns the host and port of the coordinator.
func (c *Client) Addr() string { return c.addr }

// Close ends all calls.
func (c *Client) Close() error { return c.conn.Close() }

// settleTime bounds how long the state of a connection may lag behind its calls.
const settleTime = 100 * time.Millisecond

// ready reports whether there is a connection. A call on a new one can be answered just
// before its state says so.
func (c *Client) ready(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, settleTime)
	defer cancel()
	for c.conn.GetState() == connectivity.Connecting {
		if !c.conn.WaitForStateChange(ctx, connectivity.Connecting) {
			break
		}
	}
	return c.conn.GetState() == connectivity.Ready
}

// explain turns the error of a call into one for people.
func (c *Client) explain(ctx context.Context, run string, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil && errors.Is(ctx.Err(), context.Canceled) {
		return ctx.Err()
	}
	s := status.Convert(err)
	text := strings.ReplaceAll(strings.TrimSpace(s.Message()), "\n", "; ")
	// A coordinator does not know under which address it is called.
	text = strings.ReplaceAll(text, "`everystate resume "+run+"`", "`everystate resume "+c.addr+"/"+run+"`")
	kind := error(nil)
	switch s.Code() {
	case codes.Canceled:
		return context.Canceled // the client was closed
	case codes.Unavailable, codes.DeadlineExceeded:
		kind = ErrUnavailable
		// The state of the connection distinguishes an absent coordinator from one
		// that reports that somebody else is absent.
		if s.Code() == codes.DeadlineExceeded || !c.ready(ctx) {
			kind, text = ErrNoCoordinator, "no coordinator answers at "+c.addr
			if why, sure := security.Why(s.Message()); sure {
				kind, text = ErrDenied, c.addr+": "+why
			} else if why != "" {
				text += ": " + why
			}
		} else if security.Broken(s.Message()) {
			kind, text = ErrNoCoordinator, "the connection to the coordinator at "+c.addr+" broke"
		}
	case codes.Unauthenticated, codes.PermissionDenied:
		kind, text = ErrDenied, c.addr+": "+text
	case codes.Unimplemented:
		kind, text = ErrNoCoordinator, c.addr+" is not a coordinator"
	case codes.NotFound:
		kind, text = ErrNoRun, fmt.Sprintf("there is no run %q on %s", run, c.addr)
	case codes.AlreadyExists:
		kind, text = ErrOtherPuzzle, fmt.Sprintf("%s has a run %q of a different board", c.addr, run)
	case codes.InvalidArgument, codes.FailedPrecondition:
		kind = ErrRefused
	case codes.DataLoss:
		kind = &store.CorruptionError{Where: c.addr, What: text}
		text = fmt.Sprintf("%s: %s", c.addr, text)
	default:
		text = fmt.Sprintf("%s: %s", c.addr, text)
	}
	return &Error{text: text, kind: kind}
}

// Submit puts a run in the queue, or resumes one of the same name and spec.
// spec.Partitions 0 means the coordinator's default, history.AnyStore that it chooses how states
// are kept, and history.Table that it chooses whether one worker keeps the table.
func (c *Client) Submit(ctx context.Context, run string, spec history.Spec, want history.Want) (Status, error) {
	if err := c.upload(ctx, run, spec.Module); err != nil {
		return Status{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, callWait)
	defer cancel()
	m := &everystatev1.RunSpec{
		Family: spec.Family, Name: spec.Name, Metric: spec.Metric, Text: spec.Text, Partitions: uint32(spec.Partitions),
		Units: uint32(spec.Units), LinesAbove: uint32(spec.Above),
	}
	switch {
	case spec.Keep.Frontier:
		m.FormatVersion, m.KeptLayers = journal.FrontierVersion, spec.Keep.Named.All()
	case spec.Store == history.Table:
		m.FormatVersion = journal.TableVersion
	case spec.Store == history.DividedTable:
		m.FormatVersion = journal.DividedVersion
	case spec.Store == history.Layers && spec.Units == 0:
		m.FormatVersion = journal.FormatVersion
	}
	res, err := c.runs.SubmitRun(ctx, &everystatev1.SubmitRunRequest{Run: run, Spec: m, Want: wire.Want(want)})
	return statusOf(res.GetStatus()), c.explain(ctx, run, err)
}

// upload uploads the module of a puzzle, if it has one.
func (c *Client) upload(ctx context.Context, run, module string) error {
	sum := sha256.Sum256([]byte(module))
	for i := range journal.Chunks(len(module)) {
		ctx, cancel := context.WithTimeout(ctx, callWait)
		_, err := c.runs.UploadModule(ctx, &everystatev1.UploadModuleRequest{
			Sha256: hex.EncodeToString(sum[:]), ModuleBytes: uint32(len(module)), Number: uint32(i),
			Chunk: &everystatev1.ModuleChunk{Data: []byte(journal.Chunk(module, i))},
		})
		err = c.explain(ctx, run, err)
		cancel()
		if err != nil {
			return err
		}
	}
	return nil
}

// List returns all runs, in order of name, and the workers.
func (c *Client) List(ctx context.Context) ([]Status, []Worker, error) {
	ctx, cancel := context.WithTimeout(ctx, callWait)
	defer cancel()
	var header metadata.MD
	res, err := c.runs.ListRuns(ctx, &everystatev1.ListRunsRequest{}, grpc.Header(&header))
	if err == nil {
		c.viewer.Store(!security.MayControl(header))
	}
	var all []Status
	for _, m := range res.GetRuns() {
		all = append(all, statusOf(m))
	}
	return all, workersOf(res.GetWorkers()), c.explain(ctx, "", err)
}

// MayControl reports whether the caller's role may submit and control runs, as of
// the last List. Before the first List it returns true.
func (c *Client) MayControl() bool { return !c.viewer.Load() }

// Get returns the status of a run, and the workers.
func (c *Client) Get(ctx context.Context, run string) (Status, []Worker, error) {
	ctx, cancel := context.WithTimeout(ctx, callWait)
	defer cancel()
	res, err := c.runs.GetRun(ctx, &everystatev1.GetRunRequest{Run: run})
	return statusOf(res.GetStatus()), workersOf(res.GetWorkers()), c.explain(ctx, run, err)
}

// Look asks the coordinator to compare a run's bucket with its log. Status.BucketLooks
// grows once that is done.
func (c *Client) Look(ctx context.Context, run string) (Status, error) {
	ctx, cancel := context.WithTimeout(ctx, callWait)
	defer cancel()
	res, err := c.runs.GetRun(ctx, &everystatev1.GetRunRequest{Run: run, Look: true})
	return statusOf(res.GetStatus()), c.explain(ctx, run, err)
}

// Pause abandons the layer in progress and lets the next run proceed.
func (c *Client) Pause(ctx context.Context, run string) (Status, error) {
	return c.control(ctx, run, everystatev1.Control_CONTROL_PAUSE, nil)
}

// Resume puts a paused, cancelled or stopped run back in the queue. With a nil want it
// goes as far as history.Want.Resumed says.
func (c *Client) Resume(ctx context.Context, run string, want *history.Want) (Status, error) {
	return c.control(ctx, run, everystatev1.Control_CONTROL_RESUME, want)
}

// Cancel stops a run until it is resumed; what it has found can still be queried.
func (c *Client) Cancel(ctx context.Context, run string) (Status, error) {
	return c.control(ctx, run, everystatev1.Control_CONTROL_CANCEL, nil)
}

// Delete removes a run and all that it has found.
func (c *Client) Delete(ctx context.Context, run string) error {
	_, err := c.control(ctx, run, everystatev1.Control_CONTROL_DELETE, nil)
	return err
}

func (c *Client) control(ctx context.Context, run string, what everystatev1.Control, want *history.Want) (Status, error) {
	ctx, cancel := context.WithTimeout(ctx, callWait)
	defer cancel()
	req := &everystatev1.ControlRunRequest{Run: run, Control: what}
	if want != nil {
		req.Want = wire.Want(*want)
	}
	res, err := c.runs.ControlRun(ctx, req)
	return statusOf(res.GetStatus()), c.explain(ctx, run, err)
}
