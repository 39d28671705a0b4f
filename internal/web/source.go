package web

import (
	"context"
	"errors"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/puzzle"
)

// Source provides runs. It is safe for concurrent use.
type Source interface {
	// Runs returns all runs, by name, without reading their states. It is called twice a
	// second while somebody watches.
	Runs(ctx context.Context) ([]Run, error)

	// MayChange reports whether the caller may start and control runs.
	MayChange(ctx context.Context) bool

	// Open opens a run for questions. Its error wraps ErrNoRun if there is none of that
	// name, and ErrBusy if its states cannot be read now.
	Open(ctx context.Context, name string) (View, error)

	// Board returns the board of a run, which may be running.
	Board(ctx context.Context, name string) (puzzle.Board, error)

	// Timeline returns how a run went so far.
	Timeline(ctx context.Context, name string) (*Timeline, error)

	// Start puts the run of a board in the queue and returns its name.
	Start(ctx context.Context, board puzzle.Board, want history.Want) (string, error)

	// Control pauses, resumes, cancels or deletes a run.
	Control(ctx context.Context, name string, action Action) error
}

// View is a run that is open for questions. Its space is safe for concurrent use.
type View interface {
	Space() *query.Space
	Close() error
}

// Action is an action on a run.
type Action string

// The actions.
const (
	Pause  Action = "pause"  // abandon the layer in progress; resume continues with it
	Resume Action = "resume" // continue, with goal distances if they are wanted
	Cancel Action = "cancel" // stop until it is resumed; what was found can still be queried
	Delete Action = "delete" // remove it and all that it has found
)

var (
	// ErrNoRun reports that there is no run of that name.
	ErrNoRun = errors.New("there is no such run")
	// ErrBusy reports that the states of a run cannot be read while it is written.
	ErrBusy = errors.New("its states can be read once it is paused or has stopped")
	// ErrRefused reports that the source refuses a request.
	ErrRefused = errors.New("refused")
	// ErrDenied reports that the caller lacks the right.
	ErrDenied = errors.New("denied")
)

// State is the state of a run.
type State string

// The states of a run.
const (
	Queued    State = "queued"
	Running   State = "running"
	Waiting   State = "waiting" // Run.Problem says for whom
	Paused    State = "paused"
	Stopped   State = "stopped" // by a limit, or in an earlier session
	Cancelled State = "cancelled"
	Failed    State = "failed" // Run.Problem says why
	Complete  State = "complete"
)

// Run is the status of a run. Unknown counts are 0, unknown distances nil.
type Run struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Puzzle  string `json:"puzzle"`
	Metric  string `json:"metric"`
	State   State  `json:"state"`
	Problem string `json:"problem,omitempty"`

	// Directory is where the run is, if it is on this machine.
	Directory string `json:"directory,omitempty"`
	// Expected is how many states the board's file promises, 0 if it does not.
	Expected int64 `json:"expected_states,omitempty"`

	// Phase and Depth are those of the layer in progress; Phase is empty if there is
	// none.
	Phase string `json:"phase,omitempty"`
	Depth int    `json:"depth"`
	// Layers and GoalLayers hold the states of each layer, by depth and by goal
	// distance.
	Layers     []int64 `json:"layers"`
	GoalLayers []int64 `json:"goal_layers"`

	States     int64 `json:"states"`
	GoalPhase  int64 `json:"goal_phase_states"` // whose goal distance is known
	Generated  int64 `json:"generated"`
	Duplicates int64 `json:"duplicates"`
	Frontier   int64 `json:"frontier"`
	Expanded   int64 `json:"expanded"`
	GoalStates int64 `json:"goal_states"`

	StatesPerSecond float64 `json:"states_per_second"`
	Seconds         float64 `json:"seconds"`
	MemoryBytes     int64   `json:"memory_bytes"`
	DiskBytes       int64   `json:"disk_bytes"`
	ExchangedBytes  int64   `json:"exchanged_bytes"` // between workers, since the workers began

	SolutionLength *int   `json:"solution_length"`
	Unsolvable     *int64 `json:"unsolvable_states"`

	Enumerated bool `json:"enumerated"` // every reachable state has been found
	Distances  bool `json:"distances"`  // goal distances are known
	// Readable means that its states can be read now.
	Readable bool     `json:"readable"`
	Can      []Action `json:"can"`

	Workers []Worker `json:"workers,omitempty"`
}

// Worker is a worker of a cluster.
type Worker struct {
	Name          string  `json:"name"`
	Address       string  `json:"address"`
	State         string  `json:"state"` // present, draining or lost
	SilentSeconds float64 `json:"silent_seconds"`
	Stage         string  `json:"stage"`
	Partitions    int     `json:"partitions"`
	Weight        uint32  `json:"weight"`
	MemoryBytes   int64   `json:"memory_bytes"`
	SentBytes     int64   `json:"sent_bytes"` // to other workers
	// Expanded and Written count states of the layer in progress.
	Expanded int64 `json:"expanded"`
	Written  int64 `json:"written"`
}
