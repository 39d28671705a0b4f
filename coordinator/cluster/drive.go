package cluster

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/everystate/everystate/coordinator/core"
	"github.com/everystate/everystate/coordinator/journal"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
)

// An attempt that failed by nobody's fault is tried again after retryBackOffFirst,
// and twice as long each time.
const (
	retryBackOffFirst = 50 * time.Millisecond
	retryBackOffMax   = 5 * time.Second
)

// activateNext takes up the run that is first in the queue, if none is being
// worked on.
func (s *Server) activateNext() {
	if s.stopping {
		return
	}
	if s.active == nil {
		if s.active = s.firstQueued(); s.active != nil {
			s.active.gotOn()
		}
	}
	if s.active != nil {
		s.start(s.active)
	}
}

func (s *Server) firstQueued() *run {
	var first *run
	for _, r := range s.runs {
		queued := r.control.State == everystatev1.RunState_RUN_STATE_QUEUED
		if queued && (first == nil || r.control.Submitted.Before(first.control.Submitted)) {
			first = r
		}
	}
	return first
}

// start goes one step nearer to working on a run, if something is missing for it.
func (s *Server) start(r *run) {
	if r.core != nil {
		return
	}
	if err := s.tryStart(r); err != nil {
		s.fail(r, err)
	}
}

func (s *Server) tryStart(r *run) error {
	if r.history.Placement() == nil && !s.settled() {
		return nil // those who come together share the partitions from the beginning
	}
	s.startBackup(r)
	b := r.backup
	if b != nil && !b.ready {
		return nil // the log is being read
	}
	if b != nil && !r.session && b.logged < len(r.log) {
		// What is left from before goes to the log first.
		if !s.stuck(r) {
			return nil
		}
		if err := s.rewind(r); err != nil {
			return err
		}
	}
	if !r.session {
		if err := s.beginSession(r); err != nil {
			return err
		}
	}
	if b != nil {
		b.wake()
		if b.logged < len(r.log) {
			return nil // the session is not in the log yet, which may be another's
		}
	}
	s.work(r)
	return nil
}

// beginSession sets the epochs aside that will be used.
func (s *Server) beginSession(r *run) error {
	first := r.history.NextSession()
	if first == 0 {
		return fmt.Errorf("the run has been taken up too often")
	}
	if err := r.append(journal.Session(first, s.name, rand.Uint64())); err != nil {
		return err
	}
	r.history.AddSession(first)
	r.session = true
	r.moved, r.waitFor, r.retries, r.trouble = time.Now(), nil, 0, ""
	return nil
}

// work makes the core of a run and lets it know who is there.
func (s *Server) work(r *run) {
	r.control.State = everystatev1.RunState_RUN_STATE_RUNNING
	if err := r.saveControl(); err != nil {
		s.log.Error("control file not written", "run", r.name, "error", err)
	}
	opts := core.Options{Reversible: r.board.Puzzle.Layout().Reversible, Placed: true}
	r.core = core.New(r.spec, opts, r.history, r.control.Want)
	r.givenUp = make(map[core.WorkerID]bool)
	if r.backup != nil {
		r.backup.told = core.Durable{Forward: -1}
	}
	s.log.Info("run taken up", "run", r.name, "layers", len(r.history.Layers(core.Forward)))
	there := s.available()
	for i, name := range there {
		if r.core != nil {
			s.step(core.Joined{Worker: r.names.id(name), Weight: s.members[name].weight, More: i < len(there)-1})
		}
	}
	s.tellDurable(r)
	if r.core != nil && len(s.available()) == 0 {
		r.waitFor = keepers(&r.history)
	}
	s.giveUp(r)
}

// soon has the next run taken up before long.
func (s *Server) soon() {
	select {
	case s.kick <- struct{}{}:
	default: // told already
	}
}

// keepers returns the workers that keep partitions.
func keepers(h *core.History) []core.WorkerID {
	place := h.Placement()
	if place == nil {
		return nil
	}
	return slices.Compact(slices.Sorted(slices.Values(place.Homes)))
}

// giveUp gives up those who keep partitions and have not come within their lease.
func (s *Server) giveUp(r *run) {
	if r == nil || r.core == nil {
		return
	}
	for _, id := range keepers(r.past()) {
		name := r.names[id]
		if r.core == nil || r.givenUp[id] || !s.givenUp(name) {
			continue
		}
		r.givenUp[id] = true
		s.step(core.Lost{Worker: id})
	}
	s.tellDurable(r)
}

// givenUp reports whether a worker is not there and not expected.
func (s *Server) givenUp(name string) bool {
	lease := time.Duration(s.opts.LeaseMillis) * time.Millisecond
	m := s.members[name]
	if m == nil {
		return time.Since(s.started) > lease
	}
	return !m.present
}

// settled reports whether there are workers, and none that came just now.
func (s *Server) settled() bool {
	if time.Since(s.newest) < time.Duration(s.opts.SettleMillis)*time.Millisecond {
		return false
	}
	return len(s.available()) > 0
}

// available returns the names of the workers that can be given partitions.
func (s *Server) available() []string {
	var names []string
	for _, m := range s.members {
		if m.present && !m.draining {
			names = append(names, m.name)
		}
	}
	sort.Strings(names)
	return names
}

// deactivate puts the run that is being worked on aside.
func (s *Server) deactivate(state everystatev1.RunState, failure string) {
	r := s.active
	if r == nil {
		return
	}
	s.active = nil
	if r.core != nil {
		r.history = *r.core.History()
	}
	r.core, r.session, r.committed, r.waitFor, r.trouble = nil, false, nil, nil, ""
	s.setState(r, state, failure)
	for _, m := range s.members {
		if m.run == r {
			m.tell(nil, nil)
		}
	}
	s.log.Info("run put aside", "run", r.name, "state", stateName(state), "failure", failure)
}

func (s *Server) setState(r *run, state everystatev1.RunState, failure string) {
	r.control.State, r.control.Failure = state, failure
	if err := r.saveControl(); err != nil {
		s.log.Error("control file not written", "run", r.name, "error", err)
	}
}

// fail ends the work on a run because of an error.
func (s *Server) fail(r *run, err error) {
	s.log.Error("run failed", "run", r.name, "error", err)
	if s.active == r {
		s.deactivate(everystatev1.RunState_RUN_STATE_FAILED, oneLine(err.Error()))
		return
	}
	s.setState(r, everystatev1.RunState_RUN_STATE_FAILED, oneLine(err.Error()))
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// step lets the core of the active run take an event, and performs what
// follows.
func (s *Server) step(ev core.Event) {
	r := s.active
	if err := s.stepOf(ev); err != nil {
		s.fail(r, err)
	}
}

// stepOf is like step, but returns the core's error about an event that cannot
// have happened, after which the core is as before.
func (s *Server) stepOf(ev core.Event) error {
	r := s.active
	if r == nil || r.core == nil {
		return nil
	}
	c := r.core
	effects, err := c.Step(ev)
	if err != nil {
		return err
	}
	for err == nil && len(effects) > 0 && r.core == c {
		effect := effects[0]
		effects = effects[1:]
		var more []core.Effect
		more, err = s.perform(r, effect)
		effects = append(effects, more...)
	}
	if err != nil {
		s.fail(r, err)
	}
	return nil
}

// gotOn notes that a run has got on.
func (r *run) gotOn() {
	r.moved, r.furthest, r.retries, r.trouble = time.Now(), 0, 0, ""
}

// perform performs an effect and returns what follows from it at once.
func (s *Server) perform(r *run, effect core.Effect) ([]core.Effect, error) {
	switch e := effect.(type) {
	case core.Hold:
		r.waitFor, r.waitBackup = nil, false
		s.order(r, e.Worker, s.holdOrder(r, e))
	case core.Begin:
		r.waitFor, r.waitBackup = nil, false
		r.began = time.Now()
		s.order(r, e.Worker, s.attemptOrder(r, e.Attempt))
	case core.Expand:
		s.orderStage(r, e.Worker, everystatev1.Stage_STAGE_EXPANDED)
	case core.Write:
		s.orderStage(r, e.Worker, everystatev1.Stage_STAGE_WRITTEN)
	case core.End:
		s.order(r, e.Worker, nil)
	case core.Wait:
		r.waitFor, r.waitBackup = e.For, e.Backup
	case core.CommitPlacement:
		return s.commitPlacement(r, e.Homes)
	case core.CommitLayer:
		return s.commitLayer(r, e.Layer)
	case core.CommitEnd:
		e.End.Nanos = int64(time.Since(r.began))
		if err := r.append(journal.End(e.End)); err != nil {
			return nil, fmt.Errorf("commit the end of phase %v: %w", e.End.Phase, err)
		}
		s.noteCommit(r)
		return r.core.Step(core.Committed{Nanos: e.End.Nanos})
	case core.Rewind:
		if err := s.rewind(r); err != nil {
			return nil, err
		}
		clear(r.givenUp) // those who keep what is left may be others
		return r.core.Step(core.Rewound{History: r.history})
	case core.Stop:
		if e.Err != nil {
			return nil, e.Err
		}
		s.deactivate(everystatev1.RunState_RUN_STATE_STOPPED, "")
		s.soon()
	default:
		return nil, fmt.Errorf("unknown effect %T", e)
	}
	return nil, nil
}

// noteCommit lets those know who wait for a new entry of the journal.
func (s *Server) noteCommit(r *run) {
	r.gotOn()
	if r.backup != nil {
		r.backup.wake()
	}
}

func (s *Server) commitPlacement(r *run, homes []core.WorkerID) ([]core.Effect, error) {
	place := core.Placement{Workers: slices.Clone(r.names), Homes: homes}
	if err := r.append(journal.Placement(place)); err != nil {
		return nil, fmt.Errorf("commit where the partitions are: %w", err)
	}
	if !r.core.History().AddPlacement(place) {
		return nil, fmt.Errorf("the partitions cannot be placed so")
	}
	s.log.Info("partitions placed", "run", r.name, "shares", shares(place))
	r.waitFor, r.waitBackup = nil, false
	s.noteCommit(r)
	return r.core.Step(core.Committed{})
}

// shares says how many partitions each worker has.
func shares(place core.Placement) string {
	var out []string
	for id, name := range place.Workers {
		if n := partitionsOf(&place, core.WorkerID(id)); n > 0 {
			out = append(out, fmt.Sprintf("%s %d", name, n))
		}
	}
	sort.Strings(out)
	return strings.Join(out, ", ")
}

func partitionsOf(place *core.Placement, id core.WorkerID) int {
	n := 0
	for _, home := range place.Homes {
		if home == id {
			n++
		}
	}
	return n
}

func (s *Server) commitLayer(r *run, l core.Layer) ([]core.Effect, error) {
	l.Nanos = int64(time.Since(r.began))
	if err := r.append(journal.Layer(l)); err != nil {
		return nil, fmt.Errorf("commit %v layer %d: %w", l.Phase, l.Depth, err)
	}
	c := r.core
	committed := core.Committed{Nanos: l.Nanos}
	b := r.backup
	if b != nil {
		b.await(len(r.log)-1, l, *r.past().Placement())
		for _, m := range s.members {
			if len(b.pending[len(b.pending)-1].writers[m.name]) > 0 {
				m.tell(m.run, m.attempt) // what it has to upload
			}
		}
	}
	s.noteCommit(r)
	if b != nil && b.lags() && !s.stuck(r) {
		r.committed = func() {
			if r.core == c {
				s.step(committed)
			}
		}
		return nil, nil
	}
	return c.Step(committed)
}

// memberOf returns the worker with a number.
func (s *Server) memberOf(r *run, id core.WorkerID) *member {
	if int64(id) >= int64(len(r.names)) {
		return nil
	}
	return s.members[r.names[id]]
}

func (s *Server) order(r *run, id core.WorkerID, attempt *everystatev1.AttemptOrder) {
	if m := s.memberOf(r, id); m != nil {
		m.tell(r, attempt)
	}
}

func (s *Server) orderStage(r *run, id core.WorkerID, stage everystatev1.Stage) {
	m := s.memberOf(r, id)
	if m == nil || m.attempt == nil {
		return
	}
	m.tell(r, &everystatev1.AttemptOrder{
		Epoch: m.attempt.GetEpoch(), Phase: m.attempt.GetPhase(), Depth: m.attempt.GetDepth(),
		Owners: m.attempt.GetOwners(), Stage: stage,
	})
}

func (s *Server) attemptOrder(r *run, a core.Attempt) *everystatev1.AttemptOrder {
	o := &everystatev1.AttemptOrder{
		Epoch: uint64(a.Epoch), Phase: everystatev1.Phase(a.Phase), Depth: a.Depth,
		Stage: everystatev1.Stage_STAGE_BEGUN,
	}
	o.Owners = s.owners(r, r.past().Placement().Homes, nil)
	return o
}

func (s *Server) holdOrder(r *run, h core.Hold) *everystatev1.AttemptOrder {
	return &everystatev1.AttemptOrder{
		Epoch: uint64(h.Epoch), Stage: everystatev1.Stage_STAGE_HELD, Sources: s.owners(r, h.From, h.Parts),
	}
}

// owners groups partitions by worker. parts are the partitions, nil if they are
// numbered from 0.
func (s *Server) owners(r *run, homes []core.WorkerID, parts []uint32) []*everystatev1.Owner {
	of := make(map[core.WorkerID]*everystatev1.Owner)
	var out []*everystatev1.Owner
	for i, home := range homes {
		owner := of[home]
		if owner == nil {
			owner = &everystatev1.Owner{}
			if m := s.memberOf(r, home); m != nil {
				owner.Worker, owner.Address = m.name, m.address
			}
			of[home] = owner
			out = append(out, owner)
		}
		part := uint32(i)
		if parts != nil {
			part = parts[i]
		}
		owner.Partitions = append(owner.Partitions, part)
	}
	return out
}

// forgetAfter is how long a worker is remembered that is gone and keeps nothing.
const forgetAfter = 10 * time.Minute

// expire gives up the workers whose leases have run out.
func (s *Server) expire(now time.Time) {
	for name, m := range s.members {
		if !m.present && now.Sub(m.lastCall) > forgetAfter && !s.isKeeper(name) {
			delete(s.members, name)
		}
	}
	lease := time.Duration(s.opts.LeaseMillis) * time.Millisecond
	for _, m := range s.members {
		if m.present && now.Sub(m.lastCall) > lease {
			s.log.Warn("worker lost", "worker", m.name, "silent", now.Sub(m.lastCall).Round(time.Millisecond))
			s.lose(m)
		}
	}
}

// isKeeper reports whether a worker keeps partitions of any run.
func (s *Server) isKeeper(name string) bool {
	for _, r := range s.runs {
		place := r.past().Placement()
		if place == nil {
			continue
		}
		id := slices.Index(place.Workers, name)
		if id >= 0 && partitionsOf(place, core.WorkerID(id)) > 0 {
			return true
		}
	}
	return false
}

// lose takes a worker to be gone.
func (s *Server) lose(m *member) {
	m.present = false
	m.report = nil
	m.tell(nil, nil)
	if r := s.active; r != nil && r.core != nil {
		id := r.names.id(m.name)
		r.givenUp[id] = true
		s.step(core.Lost{Worker: id})
		s.tellDurable(r)
	}
}

// complain says who is waited for when the active run stands still.
func (s *Server) complain(now time.Time) {
	r := s.active
	silence := time.Duration(s.opts.SilenceMillis) * time.Millisecond
	if r == nil || now.Sub(r.moved) < silence || now.Sub(r.told) < silence {
		return
	}
	r.told = now
	s.log.Warn("no progress", "run", r.name, "for", now.Sub(r.moved).Round(time.Second), "waiting", s.waitingFor(r))
}

// waitingFor says in one line who the run waits for and why.
func (s *Server) waitingFor(r *run) string {
	if r != s.active {
		return ""
	}
	b := r.backup
	switch {
	case r.core == nil && r.history.Placement() == nil && len(s.available()) == 0:
		return "for a worker to come"
	case r.core == nil && b != nil:
		return "for the bucket" + behind(b)
	case r.committed != nil:
		return "for the bucket, which lags behind" + behind(b)
	case r.waitBackup && b != nil:
		return "for the bucket to have everything, before partitions are moved" + behind(b)
	case len(r.waitFor) > 0:
		var names []string
		for _, id := range r.waitFor {
			if id == core.NoWorker {
				return "for the bucket, which alone has partitions of the run"
			}
			names = append(names, r.names[id])
		}
		return "for " + strings.Join(names, ", ") + ", which keeps partitions of the run and is not there"
	}
	var late []string
	for _, m := range s.members {
		if m.run == r && m.attempt != nil && m.report.GetStage() < m.attempt.GetStage() {
			late = append(late, fmt.Sprintf("%s to reach stage %s", m.name, stageName(m.attempt.GetStage())))
		}
	}
	sort.Strings(late)
	if len(late) == 0 {
		return ""
	}
	text := "for " + strings.Join(late, ", ")
	if r.trouble != "" {
		text += "; tried again after: " + r.trouble
	}
	return text
}

// behind says why a bucket has not everything.
func behind(b *backup) string {
	switch missing := b.missing(); {
	case b.trouble != "":
		return ": " + b.trouble
	case len(missing) > 0:
		return ": " + strings.Join(missing, ", ") + " to upload its share"
	}
	return ""
}

func stageName(stage everystatev1.Stage) string {
	switch stage {
	case everystatev1.Stage_STAGE_BEGUN:
		return "begun"
	case everystatev1.Stage_STAGE_EXPANDED:
		return "expanded"
	case everystatev1.Stage_STAGE_WRITTEN:
		return "written"
	case everystatev1.Stage_STAGE_HELD:
		return "held"
	case everystatev1.Stage_STAGE_UNSPECIFIED:
	}
	return "idle"
}

func stateName(state everystatev1.RunState) string {
	return strings.ToLower(strings.TrimPrefix(state.String(), "RUN_STATE_"))
}
