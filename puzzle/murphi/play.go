package murphi

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/murphi/machine"
)

// model is the puzzle.
type model struct {
	program *machine.Program
	coding  coding
	layout  puzzle.Layout
	start   []uint64
	goals   []*machine.Property // a goal state satisfies one of them
	added   int                 // lines before the text that are not of its author
	broken  bool                // if set, it breaks one of them instead
	musts   []*machine.Property // must hold in every state

	fault atomic.Pointer[machine.FaultError]

	mutex   sync.Mutex
	workers []*worker // idle
}

// worker holds what one call needs.
type worker struct {
	*machine.Machine
	key  []uint64
	from []uint64 // the current state
	rule int      // index of the running rule, or -1
}

var (
	_ puzzle.Pictured = (*model)(nil)
	_ puzzle.Merging  = (*model)(nil)
	_ puzzle.Failing  = (*model)(nil)

	_ puzzle.Foreseeing = (*model)(nil)
)

func (g *model) take() *worker {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if n := len(g.workers); n > 0 {
		w := g.workers[n-1]
		g.workers = g.workers[:n-1]
		return w
	}
	return &worker{Machine: machine.New(g.program), key: make([]uint64, len(g.coding.ends))}
}

func (g *model) give(w *worker) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.workers = append(g.workers, w)
}

// done is deferred by methods that run rules: an error in one makes the puzzle fail.
func (g *model) done(w *worker) {
	if e := recover(); e != nil {
		f, ok := e.(*machine.FaultError)
		if !ok {
			panic(e)
		}
		g.fail(w, f)
		return // w may be in the middle of a call, so it is not reused
	}
	g.give(w)
}

// fail records the first fault.
func (g *model) fail(w *worker, f *machine.FaultError) {
	g.fault.CompareAndSwap(nil, g.located(w, f))
}

// located adds to a fault its rule and state.
func (g *model) located(w *worker, f *machine.FaultError) *machine.FaultError {
	what := f.What
	if w.rule >= 0 {
		what = fmt.Sprintf("rule %s: %s", g.program.Rules[w.rule].Name, what)
	}
	const bytesMax = 1000
	state := g.Format(w.from)
	if len(state) > bytesMax {
		state = state[:bytesMax] + "..."
	}
	place := f.At
	place.Line = max(1, place.Line-g.added)
	return &machine.FaultError{At: place, What: what + ", in the state " + state}
}

// begin sets the variables of a worker to a state.
func (g *model) begin(w *worker, state []uint64) {
	w.from, w.rule = state, -1
	g.coding.unpack(state, w.Variables())
	w.Begin()
}

// Merges reports true: a rule may lead from several states to one.
func (g *model) Merges() bool { return true }

// Err returns why a rule or an invariant failed, or nil.
func (g *model) Err() error {
	if f := g.fault.Load(); f != nil {
		return f
	}
	return nil
}

func (g *model) Layout() puzzle.Layout { return g.layout }

func (g *model) Starts() []uint64 { return slices.Clone(g.start) }

// Valid reports whether key is the key of a state: the variables are within their
// types, and all assumptions hold. A state that breaks an invariant is one too: a run
// that reaches it keeps it, and is asked about it.
func (g *model) Valid(key []uint64) (valid bool) {
	if !g.coding.validKey(key) {
		return false
	}
	w := g.take()
	defer func() {
		if e := recover(); e != nil {
			if _, ok := e.(*machine.FaultError); !ok {
				panic(e)
			}
			valid = false
			return
		}
		g.give(w)
	}()
	g.begin(w, key)
	return w.Assumed()
}

// ErrAt returns what the rules and invariants do wrong in a state.
func (g *model) ErrAt(state []uint64) (err error) {
	w := g.take()
	defer func() {
		if e := recover(); e != nil {
			f, ok := e.(*machine.FaultError)
			if !ok {
				panic(e)
			}
			err = g.located(w, f)
			return
		}
		g.give(w)
	}()
	g.expand(w, state, &puzzle.Edges{})
	return nil
}

// checkInvariants panics with a fault if an invariant does not hold.
func (g *model) checkInvariants(w *worker) {
	for _, p := range g.musts {
		if !w.Holds(p) {
			panic(&machine.FaultError{At: p.At(), What: title(p) + " does not hold"})
		}
	}
}

// Successors appends the successors of each state.
func (g *model) Successors(states []uint64, out *puzzle.Edges) {
	if g.fault.Load() != nil {
		return
	}
	w := g.take()
	defer g.done(w)
	words := len(w.key)
	for ; len(states) > 0; states = states[words:] {
		g.expand(w, states[:words], out)
	}
}

// expand appends the successors of a state, which must break no invariant.
func (g *model) expand(w *worker, state []uint64, out *puzzle.Edges) {
	g.begin(w, state)
	g.checkInvariants(w)
	for rule := range g.program.Rules {
		w.rule = rule
		if !w.Enabled(rule) {
			continue
		}
		possible := w.Fire(rule)
		g.coding.pack(w.Variables(), w.key)
		w.Back()
		if possible && !slices.Equal(w.key, state) {
			out.Keys = append(out.Keys, w.key...)
			out.Moves = append(out.Moves, puzzle.Move(rule))
		}
	}
}

// title returns the name of an invariant in messages.
func title(p *machine.Property) string {
	if p.Name == "" {
		return "this invariant"
	}
	return fmt.Sprintf("invariant %q", p.Name)
}

func (g *model) Apply(dst, state []uint64, move puzzle.Move) (legal bool) {
	if int(move) >= len(g.program.Rules) || g.fault.Load() != nil {
		return false
	}
	w := g.take()
	defer g.done(w)
	g.begin(w, state)
	g.checkInvariants(w)
	w.rule = int(move)
	if !w.Enabled(w.rule) || !w.Fire(w.rule) {
		return false
	}
	g.coding.pack(w.Variables(), w.key)
	if slices.Equal(w.key, state) {
		return false
	}
	copy(dst, w.key)
	return true
}

// Undo always reports false: see Merges.
func (g *model) Undo(_, _ []uint64, _ puzzle.Move) bool { return false }

// Goals marks the goal states.
func (g *model) Goals(states []uint64, marks []bool) {
	clear(marks)
	if len(g.goals) == 0 || g.fault.Load() != nil {
		return
	}
	w := g.take()
	defer g.done(w)
	words := len(w.key)
	for i := range marks {
		g.begin(w, states[i*words:(i+1)*words])
		for _, p := range g.goals {
			if w.Holds(p) != g.broken {
				marks[i] = true
				break
			}
		}
	}
}
