package machine

import (
	"fmt"
	"math"

	"github.com/everystate/everystate/puzzle/murphi/syntax"
)

// Undefined is the value of a variable that has none.
const Undefined = math.MinInt32

// Steps that one move, and that all moves of a state, may take. A step is about one
// operator or statement.
const (
	moveSteps  = 1 << 20
	stateSteps = 1 << 24
)

// numberMax bounds the results of arithmetic, so that none of it overflows.
const numberMax = 1 << 31

// FaultError reports an error in a rule or property of the model. The methods of a
// Machine that run rules panic with it.
type FaultError struct {
	At   syntax.Position
	What string
}

func (f *FaultError) Error() string { return (&syntax.FaultError{At: f.At, What: f.What}).Error() }

func fail(at syntax.Position, format string, args ...any) {
	panic(&FaultError{at, fmt.Sprintf(format, args...)})
}

// Machine holds values of the variables, and runs rules on them.
type Machine struct {
	program   *Program
	memory    []int32 // the variables, then the local ones
	saved     []int32 // the variables before a rule
	args      []int32 // of calls that are being prepared
	steps     int     // left
	rest      int     // left for the state
	discarded bool    // an assume failed
	frames    []int32 // local variables of calls that have called themselves
	depth     int     // of such calls
	at        syntax.Position
}

// New makes a machine, whose variables are undefined.
func New(p *Program) *Machine {
	m := &Machine{program: p, memory: make([]int32, p.slots), saved: make([]int32, p.globals)}
	m.forget(0, p.slots)
	return m
}

// Variables returns the values of the variables, in the order of Program.Variables.
// The slice is the machine's memory, not a copy.
func (m *Machine) Variables() []int32 { return m.memory[:m.program.globals] }

// Begin begins a state with the current values of Variables.
func (m *Machine) Begin() {
	copy(m.saved, m.memory)
	m.rest = stateSteps
}

// Back restores the variables to their values at Begin.
func (m *Machine) Back() { copy(m.memory, m.saved) }

// Enabled reports whether the guard of a rule holds. Call Begin first.
func (m *Machine) Enabled(rule int) bool {
	i := &m.program.Rules[rule]
	m.enter(&i.instance)
	return i.guard == nil || i.guard(m) != 0
}

// Fire runs the body of an enabled rule, and reports whether its move is legal: no
// assume forbids it.
func (m *Machine) Fire(rule int) bool {
	i := &m.program.Rules[rule]
	m.run(i)
	return !m.discarded && m.assumed()
}

// abandoned unwinds a rule when an assume in a function fails.
type abandoned struct{}

// run runs a body.
func (m *Machine) run(i *Rule) {
	if m.program.abandons {
		defer func() {
			e := recover()
			if _, assume := e.(abandoned); e != nil && !assume {
				panic(e)
			}
			m.args, m.frames, m.depth = m.args[:0], m.frames[:0], 0
		}()
	}
	m.charge(i.localsEnd - i.locals)
	m.forget(i.locals, i.localsEnd)
	m.discarded = false
	for _, do := range i.body {
		if do(m) {
			return
		}
	}
}

// assumed reports whether all assumptions hold.
func (m *Machine) assumed() bool {
	for i := range m.program.assumes {
		if !m.Holds(&m.program.assumes[i]) {
			return false
		}
	}
	return true
}

// Assumed reports whether the variables satisfy all assumptions.
func (m *Machine) Assumed() bool {
	m.rest = stateSteps
	return m.assumed()
}

// ResetSteps allows the properties evaluated next the steps of a whole state.
func (m *Machine) ResetSteps() { m.rest = stateSteps }

// Holds reports whether a property holds.
func (m *Machine) Holds(p *Property) bool {
	m.enter(&p.instance)
	return p.cond(m) != 0
}

// enter sets parameters, and allows the steps of a move for what uses them.
func (m *Machine) enter(i *instance) {
	m.at = i.at
	m.steps = moveSteps
	m.charge(i.cost)
	for n, slot := range i.params {
		m.memory[slot] = i.values[n]
	}
}

// charge uses up steps.
func (m *Machine) charge(steps int) {
	m.steps -= steps
	m.rest -= steps
	if m.steps < 0 || m.rest < 0 {
		m.tooLong()
	}
}

func (m *Machine) tooLong() {
	if m.rest < 0 && m.steps >= 0 {
		fail(m.at, "the rules take more than %d steps in one state", stateSteps)
	}
	fail(m.at, "this does not terminate: it takes more than %d steps", moveSteps)
}

// forget removes the values of local variables.
func (m *Machine) forget(from, to int) {
	for i := from; i < to; i++ {
		m.memory[i] = Undefined
	}
}
