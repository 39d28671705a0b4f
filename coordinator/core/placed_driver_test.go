package core

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/everystate/everystate/coordinator/history"
)

// lease is how long a worker may be silent.
const lease = 150

// retriesMax is how often in a row an attempt that broke is begun again.
const retriesMax = 20

// A coordinator has a journal on its disk. A process works there, or none.
type coordinator struct {
	sim     *placedSimulation
	number  int
	journal []entry
	proc    *process
	stopped string // why it stopped, though it did not crash
}

// A process drives a core. It is the model that coordinator/server follows.
type process struct {
	*coordinator
	number  int
	started int
	members []*member // by name
	names   []string  // by WorkerID

	// The log, as far as it is known to be the journal's beginning. An append is
	// under way, or none.
	read      bool
	logged    int
	appending bool
	durable   Durable // what the core was told last

	core      *Core // nil until the run is taken up
	want      history.Want
	recording bool // an entry is being written to the journal
	rewinding bool
	waiting   bool
	waits     []history.WorkerID // for whom; for anybody if there are none
	stop      *Stop              // what the core stopped with, nil if it goes on
	retries   int
	orders    int
}

// A member is what is known of a worker.
type member struct {
	*machine
	present     bool
	lost        bool // it was not there for as long as its lease
	told        bool // the core knows that it is lost
	incarnation int
	lastCall    int
	draining    bool
	leaving     bool // the core knows that it drains
	order       order
}

func (c *coordinator) starts() {
	s := c.sim
	s.processes++
	p := &process{coordinator: c, number: s.processes, started: s.now, want: s.randomWant()}
	c.proc = p
	s.logf("coordinator %d starts as %d", c.number, p.number)
	if h, ok := historyOf(c.journal); ok && h.Placement() != nil {
		p.names = slices.Clone(h.Placement().Workers)
	}
	p.tick()
}

func (p *process) alive() bool { return p.proc == p }

// after lets f happen after a while, unless the process is gone by then.
func (p *process) after(f func()) {
	p.sim.after(func() {
		if p.alive() {
			f()
		}
	})
}

// overtaken reports whether another process has the run, known to this one or
// not.
func (p *process) overtaken() bool {
	b := p.sim.bucket
	return b != nil && slices.ContainsFunc(b.creators[p.logged:], func(by *process) bool { return by != p })
}

func (p *process) halt(why string) {
	p.sim.logf("coordinator %d stops: %s", p.coordinator.number, why)
	p.stopped, p.proc = why, nil
	if p.sim.rng.IntN(3) == 0 {
		c := p.coordinator
		p.sim.at(p.sim.rng.IntN(500), func() {
			if !p.sim.calm && c.proc == nil { // by accident, once more
				c.stopped = ""
				c.starts()
			}
		})
	}
}

// conflict stops the process, as another coordinator has appended to the log.
func (p *process) conflict() {
	b := p.sim.bucket
	if by := b.creators[p.logged]; by.coordinator == p.coordinator {
		p.sim.fatalf("coordinator %d, process %d, takes process %d for another coordinator", p.coordinator.number, p.number, by.number)
	}
	p.sim.count["conflicts"]++
	p.halt("another coordinator works on the run")
}

func (p *process) tick() {
	s := p.sim
	if p.core == nil {
		p.takeUp()
	}
	if p.alive() && s.now >= s.standsUntil {
		p.expire()
	}
	if p.alive() && p.core != nil {
		p.look()
	}
	if p.alive() && p.rewinding {
		p.rewind()
	}
	if p.alive() && p.core != nil && !p.rewinding {
		p.upload()
	}
	s.at(20+s.rng.IntN(20), func() {
		if p.alive() {
			p.tick()
		}
	})
}

// expire gives up the workers whose leases have run out, and those that have not
// come for as long.
func (p *process) expire() {
	s := p.sim
	for _, m := range p.members {
		if m.present && s.now-m.lastCall > lease {
			s.count["expired"]++
			p.lose(m)
		}
	}
	if p.core == nil || s.now-p.started <= lease {
		return
	}
	for id, name := range p.names {
		if m := p.memberOf(s.byName[name]); !m.present && !m.told && p.core.keeps(history.WorkerID(id)) {
			s.count["never came"]++
			m.lost, m.told = true, true
			p.step(Lost{Worker: history.WorkerID(id)})
		}
	}
}

// memberOf returns what is known of a worker.
func (p *process) memberOf(m *machine) *member {
	i, found := slices.BinarySearchFunc(p.members, m.name, func(m *member, name string) int {
		return strings.Compare(m.name, name)
	})
	if !found {
		p.members = slices.Insert(p.members, i, &member{machine: m})
	}
	return p.members[i]
}

// id returns the number of a worker in the run, a new one if it has none.
func (p *process) id(m *member) history.WorkerID {
	i := slices.Index(p.names, m.name)
	if i < 0 {
		i = len(p.names)
		p.names = append(p.names, m.name)
	}
	return history.WorkerID(i)
}

func (p *process) named(id history.WorkerID) *member { return p.memberOf(p.sim.byName[p.names[id]]) }

func (p *process) lose(m *member) {
	m.present = false
	m.order = order{}
	if p.core != nil {
		m.lost, m.told = true, true
		p.step(Lost{Worker: p.id(m)})
	}
}

func (p *process) join(m *member) {
	m.present, m.leaving, m.lost, m.told = true, false, false, false
	if p.core == nil {
		return
	}
	p.step(Joined{Worker: p.id(m), Weight: m.weight})
	if m.draining && p.alive() {
		p.leave(m)
	}
}

func (p *process) leave(m *member) {
	p.step(Leaving{Worker: p.id(m)})
	m.leaving = true
}

// receive takes a worker's report and answers with what it should reach. Reports
// arrive late, again, or in another order: nobody can tell which of two processes
// on a machine is the later one.
func (c *coordinator) receive(r report) {
	p := c.proc
	if p == nil {
		return
	}
	m := p.memberOf(r.from)
	m.lastCall = p.sim.now
	switch {
	case m.present && m.draining && !r.draining:
		// It stays after all, which to the core is another worker.
		p.lose(m)
	case m.present && m.incarnation != r.incarnation:
		p.sim.count["restarted"]++
		p.restart(m)
	}
	leaves := r.draining && !m.draining
	m.incarnation, m.draining = r.incarnation, r.draining
	switch {
	case !p.alive():
		return
	case !m.present:
		p.join(m)
	case leaves && p.core != nil:
		p.sim.count["leaving"]++
		p.leave(m)
	}
	if p.core == nil || !p.alive() {
		return
	}
	switch {
	case r.broken && r.epoch == m.order.epoch && m.present:
		p.retry(m)
	case r.answer != nil && m.present:
		p.step(r.answer(p.id(m)))
	}
	if p.alive() {
		p.tell(m)
	}
}

func (p *process) restart(m *member) {
	m.order = order{}
	if p.core != nil {
		p.step(Restarted{Worker: p.id(m)})
	}
}

// retry begins an attempt again that broke, which was nobody's fault.
func (p *process) retry(m *member) {
	p.sim.count["retries"]++
	if b := p.sim.bucket; p.sim.now >= p.sim.standsUntil && (b == nil || !b.away) {
		// It does not count while nobody notices who is not there, nor while
		// nothing can be restored.
		p.retries++
	}
	if p.retries <= retriesMax {
		p.restart(m)
		return
	}
	if !p.overtaken() {
		p.sim.fatalf("gives up after %d retries", retriesMax)
	}
	p.halt("gives up")
}

// goodbye notes that a worker that was let go has gone.
func (c *coordinator) goodbye(r report) {
	if p := c.proc; p != nil {
		if m := p.memberOf(r.from); m.present && m.incarnation == r.incarnation {
			p.lose(m)
		}
	}
}

// tell sends a worker its order.
func (p *process) tell(m *member) {
	o := m.order
	p.orders++
	o.number = p.orders
	if m.present && m.draining && p.mayGo(m) {
		o = order{number: o.number, leave: true}
	}
	if w := m.proc; w != nil && w.incarnation == m.incarnation {
		p.sim.send(func() { w.wake(func() { w.obey(p, o) }) })
	}
}

// mayGo reports whether a worker that leaves is not needed: neither for the run,
// nor for what is still to be uploaded.
func (p *process) mayGo(m *member) bool {
	s := p.sim
	if p.core == nil || p.core.Needs(p.id(m)) {
		return false
	}
	if s.bucket != nil {
		for _, l := range madeIn(p.journal) {
			if slices.Contains(s.bucket.missing(l), m.name) {
				return false
			}
		}
	}
	if m.order.epoch != 0 {
		s.fatalf("%s may go in the middle of epoch %d", m.name, m.order.epoch)
	}
	if p.core.keeps(p.id(m)) && p.core.stage != stopped && p.eligible() > 0 {
		s.fatalf("%s may go and keeps partitions that others could have", m.name)
	}
	s.count["let go"]++
	return true
}

// eligible returns the number of workers that could have partitions.
func (p *process) eligible() int {
	n := 0
	for _, m := range p.members {
		if m.present && !m.draining {
			n++
		}
	}
	return n
}

// step lets the core take an event, and performs what follows.
func (p *process) step(ev Event) {
	s := p.sim
	if !p.alive() || p.core == nil {
		return
	}
	s.count["steps"]++
	_, committed := ev.(Committed)
	_, rewound := ev.(Rewound)
	if !p.recording && !p.rewinding && !committed && !rewound && s.rng.IntN(50) == 0 {
		p.refuses(Committed{}, Rewound{})
	}
	s.logf("%d: %T%+v", p.number, ev, ev)
	epoch, answers := epochOf(ev)
	stale := answers && epoch != p.core.epoch
	effects, err := p.core.Step(ev)
	if err != nil {
		s.fatalf("%T%+v: %v", ev, ev, err)
	}
	if stale && len(effects) > 0 {
		s.fatalf("%T%+v is stale and has effects", ev, ev)
	}
	if *seedFlag != 0 {
		for _, e := range effects {
			s.logf("       %s", describeEffect(e))
		}
	}
	p.checkShares(effects)
	for _, e := range effects {
		p.perform(e)
	}
	if p.core.stage == idle && !p.waiting {
		s.fatalf("the core does nothing and does not say why: %s", p.core.describe())
	}
}

// epochOf returns the epoch of a worker's answer.
func epochOf(ev Event) (epoch uint32, answers bool) {
	switch ev := ev.(type) {
	case Held:
		return ev.Epoch, true
	case Began:
		return ev.Epoch, true
	case Expanded:
		return ev.Epoch, true
	case Written:
		return ev.Epoch, true
	case Failed:
		return ev.Epoch, true
	}
	return 0, false
}

// refuses feeds the core events that cannot have happened.
func (p *process) refuses(events ...Event) {
	before := p.core.describe()
	for _, ev := range events {
		if effects, err := p.core.Step(ev); err == nil || len(effects) > 0 || p.core.describe() != before {
			p.sim.fatalf("%T%+v is not refused", ev, ev)
		}
	}
}

// checkShares checks that each partition is begun by its home.
func (p *process) checkShares(effects []Effect) {
	var begun []uint32
	var homes []string
	for _, e := range effects {
		if begin, is := e.(Begin); is {
			homes = p.homes()
			for _, part := range begin.Parts {
				if homes[part] != p.names[begin.Worker] {
					p.sim.fatalf("partition %d, which %s keeps, is begun by %s", part, homes[part], p.names[begin.Worker])
				}
			}
			m := p.named(begin.Worker)
			if !m.present || len(begin.Parts) == 0 {
				p.sim.fatalf("%s begins with nothing, or is not there", m.name)
			}
			if m.leaving && len(p.core.eligible()) > 0 {
				p.sim.fatalf("%s begins and wants to leave", m.name)
			}
			begun = append(begun, begin.Parts...)
		}
	}
	slices.Sort(begun)
	if begun != nil && (len(slices.Compact(begun)) != p.sim.graph.partitions || len(begun) != p.sim.graph.partitions) {
		p.sim.fatalf("shares %v", begun)
	}
}

// homes returns the names of the workers that keep the partitions, by the
// journal.
func (p *process) homes() []string {
	h, _ := historyOf(p.journal)
	if h.Placement() == nil {
		return nil
	}
	return namesOf(*h.Placement())
}

func (p *process) perform(effect Effect) {
	if _, is := effect.(End); !is {
		p.waiting, p.waits, p.stop = false, nil, nil
	}
	s := p.sim
	switch e := effect.(type) {
	case Hold:
		p.hold(e)
	case Begin:
		o := order{epoch: e.Attempt.Epoch, stage: beginning, attempt: e.Attempt, parts: e.Parts, past: *p.core.History(), known: madeIn(p.journal)}
		for _, name := range p.homes() {
			o.peers = append(o.peers, s.byName[name])
		}
		p.give(e.Worker, o)
	case Expand:
		p.advance(e.Worker, e.Epoch, expanding)
	case Write:
		p.advance(e.Worker, e.Epoch, writing)
	case End:
		if !e.Committed {
			s.count["given up"]++
		}
		p.give(e.Worker, order{})
	case CommitPlacement:
		s.count["placements"]++
		p.checkTargets(e.Homes)
		p.record(entry{placement: &history.Placement{Workers: slices.Clone(p.names), Homes: e.Homes}})
	case CommitLayer:
		s.count["commits"]++
		p.checkLayer(e.Layer)
		p.record(entry{layer: &e.Layer})
	case CommitEnd:
		if truth := s.truth.ends[e.End.Phase]; e.End != truth {
			s.fatalf("%s, should be %s", describeEnd(e.End), describeEnd(truth))
		}
		p.record(entry{end: &e.End})
	case Rewind:
		s.count["rewinds"]++
		if s.bucket == nil || p.rewinding {
			s.fatalf("there is nothing to rewind to")
		}
		p.checkForsaken(p.homes())
		if !p.durable.Stuck {
			s.fatalf("what is not durable is given up, and may become so")
		}
		p.rewinding = true
	case Wait:
		s.count["waits"]++
		p.wait(e)
	case Stop:
		p.stops(e)
	}
}

// checkTargets checks that partitions come to workers that may have them.
func (p *process) checkTargets(homes []history.WorkerID) {
	for _, id := range homes {
		if int(id) >= len(p.names) {
			p.sim.fatalf("homes %v", homes)
		}
	}
}

// checkForsaken checks that nobody is given up who may come back soon.
func (p *process) checkForsaken(homes []string) {
	absent := 0
	for _, name := range homes {
		m := p.memberOf(p.sim.byName[name])
		if !m.present {
			absent++
			if !m.lost {
				p.sim.fatalf("%s is given up and was not lost", name)
			}
		}
	}
	if absent == 0 {
		p.sim.fatalf("somebody is given up, and all are there")
	}
}

func (p *process) hold(e Hold) {
	s := p.sim
	s.count["holds"]++
	if p.core.leaving[e.Worker] {
		s.fatalf("%s is to hold partitions and wants to leave", p.names[e.Worker])
	}
	o := order{epoch: e.Epoch, stage: moving, parts: e.Parts, known: madeIn(p.journal)}
	homes := p.homes()
	for i, part := range e.Parts {
		if e.From[i] == history.NoWorker {
			p.checkForsaken(homes)
			o.peers = append(o.peers, nil)
			continue
		}
		if p.names[e.From[i]] != homes[part] || !p.named(e.From[i]).present {
			s.fatalf("partition %d should come from %s, but %s has it", part, p.names[e.From[i]], homes[part])
		}
		o.peers = append(o.peers, s.byName[homes[part]])
	}
	p.give(e.Worker, o)
}

func (p *process) give(id history.WorkerID, o order) {
	m := p.named(id)
	m.order = o
	p.tell(m)
}

func (p *process) advance(id history.WorkerID, epoch uint32, to stage) {
	o := p.named(id).order
	if o.epoch != epoch {
		p.sim.fatalf("%s is told to go on with epoch %d, and is at %d", p.names[id], epoch, o.epoch)
	}
	o.stage = to
	p.give(id, o)
}

// wait checks that those who are waited for are not there.
func (p *process) wait(e Wait) {
	for _, id := range e.For {
		if p.core.present(id) {
			p.sim.fatalf("%s is there and waited for", p.names[id])
		}
	}
	if len(e.For) == 0 && !e.Backup && len(p.core.eligible()) > 0 {
		p.sim.fatalf("nobody is waited for")
	}
	if e.Backup && (p.core.backup == nil || restorable(&p.core.history, p.core.backup)) {
		p.sim.fatalf("the backup is waited for")
	}
	p.waiting, p.waits = true, e.For
}

// stops looks whether the core is right to stop.
func (p *process) stops(e Stop) {
	s := p.sim
	s.count["stops"]++
	h, _ := historyOf(p.journal)
	layers := len(h.Layers(history.Forward))
	right := false
	switch e.Reason {
	case history.Exhausted:
		right = h.Exhausted(p.want.GoalDistance)
	case history.DepthReached:
		right = p.want.DepthReached(layers)
	case history.StatesReached:
		right = p.want.MaxStates > 0 && h.States(history.Forward) >= p.want.MaxStates
	case history.GoalReached:
		right = p.want.StopAtGoal && h.Goals() > 0
	case history.CannotGoOn:
		s.count["failed"]++
		right = errors.Is(e.Err, errDiskFull)
	}
	if !right {
		s.fatalf("%s with %d layers, though %+v is wanted", describeEffect(e), layers, p.want)
	}
	p.stop = &e
	if s.calm && e.Reason == history.Exhausted && p.want == s.everything() {
		s.checkKept(p)
		return
	}
	s.at(s.rng.IntN(50), func() { p.ask() })
}

// ask asks for something else.
func (p *process) ask() {
	if p.alive() && p.core != nil {
		p.want = p.sim.randomWant()
		p.step(Asked{Want: p.want})
	}
}

// record writes an entry to the journal, some time later, and says so, some time
// later.
func (p *process) record(e entry) {
	if p.recording || p.rewinding {
		p.sim.fatalf("two commits at a time")
	}
	p.recording = true
	p.sim.at(p.sim.rng.IntN(30), func() {
		if !p.alive() {
			return
		}
		p.journal = append(p.journal, e)
		if _, ok := historyOf(p.journal); !ok {
			p.sim.fatalf("what is committed is not next: %s", p.core.describe())
		}
		p.after(func() {
			p.recording, p.retries = false, 0
			p.step(Committed{})
		})
	})
}

// checkLayer checks what is about to be committed against the disks and the
// truth.
func (p *process) checkLayer(l history.Layer) {
	s := p.sim
	layers := s.truth.layers[l.Phase]
	if int(l.Depth) >= len(layers) || !sameLayer(l, layers[l.Depth]) {
		s.fatalf("%s is not what it should be", describeLayer(l))
	}
	for part, name := range p.homes() {
		m := s.byName[name]
		if _, found := m.disk[runKey{l.Phase, l.Depth, l.Epoch, uint32(part)}]; !found && !m.diskLost && !p.overtaken() {
			s.fatalf("%s: partition %d is not written", describeLayer(l), part)
		}
	}
}

// takeUp takes the run up: the journal becomes what the log says, and a session
// begins that is in the log before anything else happens.
func (p *process) takeUp() {
	if p.appending {
		return
	}
	if p.sim.bucket == nil {
		p.journal = append(p.journal, p.nextSession(p.journal))
		p.begins()
		return
	}
	if p.sim.bucket.away {
		return
	}
	if !p.read {
		p.merge()
	}
	if p.logged < len(p.journal) {
		if p.upload() && p.sim.now-p.started > lease {
			p.sim.count["truncated"]++
			p.journal = p.journal[:p.logged:p.logged]
		}
		return
	}
	e := p.nextSession(p.journal)
	p.append(e, func(result appended) {
		if result != created {
			p.read = false
			return
		}
		p.journal = append(p.journal, e)
		p.logged++
		p.begins()
	})
}

// merge makes the journal begin with the log.
func (p *process) merge() {
	log := p.sim.bucket.log
	same := 0
	for same < len(log) && same < len(p.journal) && log[same].same(p.journal[same]) {
		same++
	}
	if same < len(log) {
		if same < len(p.journal) {
			p.sim.count["journal overruled"]++
		}
		p.journal = slices.Clone(log)
	}
	p.logged, p.read = len(log), true
	h, _ := historyOf(p.journal)
	if h.Placement() != nil {
		p.names = slices.Clone(h.Placement().Workers)
	}
}

func (p *process) nextSession(journal []entry) entry {
	h, ok := historyOf(journal)
	if !ok {
		p.sim.fatalf("the journal is not a history")
	}
	return entry{session: &session{epoch: h.NextSession(0), by: p.number}}
}

// begins begins with those workers that are there.
func (p *process) begins() {
	h, ok := historyOf(p.journal)
	if !ok {
		p.sim.fatalf("the journal is not a history")
	}
	s := p.sim
	s.logf("%d: takes the run up with %d layers", p.number, len(madeIn(p.journal)))
	s.count["taken up"]++
	opts := Options{Reversible: s.graph.reversible, Placed: true}
	p.core = New(history.Spec{Partitions: s.graph.partitions}, opts, h, p.want)
	p.durable = Durable{}
	for _, m := range p.members {
		if m.present && p.alive() {
			p.join(m)
		}
	}
}

// appended is what became of an append.
type appended uint8

const (
	created appended = iota + 1 // this entry is in its place
	taken                       // another one is
	unknown
)

// append appends an entry to the log. The request or its answer may be lost, and
// a request that was given up may arrive much later.
func (p *process) append(e entry, done func(appended)) {
	s, b, n := p.sim, p.sim.bucket, p.logged
	p.appending = true
	answer := func(result appended) {
		p.after(func() {
			if p.appending && p.logged == n {
				p.appending = false
				done(result)
			}
		})
	}
	arrive := func(result func(appended)) {
		switch {
		case b.away:
			result(unknown)
		case b.create(n, e, p):
			s.checkLog()
			result(created)
		default:
			result(taken)
		}
	}
	switch {
	case s.fault(30):
		s.count["late appends"]++
		s.at(s.rng.IntN(400), func() { arrive(func(appended) {}) })
		answer(unknown)
	case s.fault(29):
		s.count["lost answers"]++
		s.after(func() { arrive(func(appended) { answer(unknown) }) })
	default:
		s.after(func() { arrive(answer) })
	}
}

// upload sees to it that the log grows by what is next in the journal, and tells
// the core what is durable. It reports whether that cannot be, because a worker
// is not there.
func (p *process) upload() (stuck bool) {
	s, b := p.sim, p.sim.bucket
	if b == nil || p.appending {
		return false
	}
	for _, layer := range madeIn(p.journal) {
		next := p.logged < len(p.journal) && p.journal[p.logged].layer != nil && p.journal[p.logged].layer.Epoch == layer.Epoch
		for _, name := range b.missing(layer) {
			m := p.memberOf(s.byName[name])
			stuck = stuck || next && !m.present
			if w := m.reachable(); w != nil && m.present {
				s.after(func() { w.wake(func() { w.upload(layer) }) })
			}
		}
	}
	if p.uploaded() {
		p.append(p.journal[p.logged], func(result appended) {
			switch {
			case result == created:
				p.logged++
			case result == taken && p.core == nil:
				p.read = false
			case result == taken:
				p.conflict()
			}
		})
	}
	p.tellDurable(stuck)
	return stuck
}

// uploaded reports whether the next entry can be appended to the log.
func (p *process) uploaded() bool {
	if p.logged == len(p.journal) {
		return false
	}
	if p.journal[p.logged].layer == nil {
		return true
	}
	layers := madeIn(p.journal[:p.logged+1])
	return len(p.sim.bucket.missing(layers[len(layers)-1])) == 0
}

// tellDurable tells the core, sooner or later, what is in the log.
func (p *process) tellDurable(stuck bool) {
	d := Durable{Stuck: stuck}
	for _, m := range madeIn(p.journal[:p.logged]) {
		if m.Phase == history.Forward {
			d.Forward++
		} else {
			d.Goal++
		}
	}
	if p.core == nil || d == p.durable && p.sim.rng.IntN(10) > 0 || p.sim.rng.IntN(4) == 0 {
		return
	}
	p.durable = d
	p.step(d)
}

// look looks whether another coordinator has appended to the log.
func (p *process) look() {
	b := p.sim.bucket
	if b == nil || b.away || p.appending || p.rewinding || len(b.log) == p.logged || p.sim.rng.IntN(4) > 0 {
		return
	}
	if p.logged == len(p.journal) || !b.log[p.logged].same(p.journal[p.logged]) {
		p.conflict()
	}
}

// rewind forgets what is not in the log. A session is begun there, so that no
// append that was given up can arrive later.
func (p *process) rewind() {
	b := p.sim.bucket
	if b.away || p.appending {
		return
	}
	for p.logged < len(b.log) {
		next := b.log[p.logged]
		switch {
		case p.logged < len(p.journal) && next.same(p.journal[p.logged]):
			p.logged++ // it had arrived after all
		case next.session != nil && next.session.by == p.number:
			p.journal = append(p.journal[:p.logged:p.logged], next)
			p.logged++
			p.rewound()
			return
		default:
			p.conflict()
			return
		}
	}
	e := p.nextSession(p.journal[:p.logged])
	p.append(e, func(result appended) {
		if result == created {
			p.journal = append(p.journal[:p.logged:p.logged], e)
			p.logged++
			p.rewound()
		}
	})
}

func (p *process) rewound() {
	p.rewinding = false
	p.durable = Durable{}
	for _, m := range p.members {
		m.told = false // of one that kept nothing, and now does, it took no notice
	}
	h, ok := historyOf(p.journal)
	if !ok {
		p.sim.fatalf("the journal is not a history")
	}
	p.step(Rewound{h})
}

func (p *process) String() string {
	what := "takes the run up"
	if p.core != nil {
		what = p.core.describe()
	}
	return fmt.Sprintf("process %d of coordinator %d: %d of %d entries in the log, waits for %v: %s",
		p.number, p.coordinator.number, p.logged, len(p.journal), p.waits, what)
}
