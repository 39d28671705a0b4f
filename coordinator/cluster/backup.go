package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/everystate/everystate/checkpoint"
	"github.com/everystate/everystate/coordinator/core"
	"github.com/everystate/everystate/coordinator/journal"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
)

const (
	// How much the bucket may lag behind before the next layer waits for it: what
	// is not there is made again when a worker's disk is lost.
	lagBytesMax  = 64 << 20
	lagLayersMax = 64

	// uploadsMax is the number of uploads in an answer.
	uploadsMax = 64

	// The bucket is tried again after backOffFirst, and twice as long each time.
	backOffFirst = 200 * time.Millisecond
	backOffMax   = 10 * time.Second

	// lookInterval is how often the log is looked at that nothing is written to.
	lookInterval = 10 * time.Second
)

// backup is how far a run's bucket is. The log in the bucket is a copy of the
// journal that follows behind it: an entry is there when everything before it is,
// and, if it commits a layer, all blocks of the layer. The server's mutex guards
// it, except for bucket.
type backup struct {
	bucket *checkpoint.Run
	url    string

	ready    bool          // the log has been compared with the journal
	busy     bool          // a goroutine is at work on it
	idle     chan struct{} // closed when the goroutine has ended
	logged   int           // entries in the log
	durable  [core.Goal + 1]int
	pending  []*pendingLayer // of the journal, not in the log
	control  []byte          // to be written, nil if it is there
	trouble  string
	conflict bool // the log has gone on without this coordinator

	told    core.Durable // what the core was told last
	changed chan struct{}
}

// pendingLayer is a layer that is not in the log yet.
type pendingLayer struct {
	index   int // of its entry
	layer   core.Layer
	writers map[string][]uint32 // their partitions that hold states
	done    map[string]int64    // bytes of the objects that are in the bucket
}

func (l *pendingLayer) complete() bool { return len(l.done) == len(l.writers) }

func newBackup(b *checkpoint.Bucket, name string) *backup {
	run := b.Run(name)
	return &backup{bucket: run, url: run.URL(), changed: make(chan struct{}, 1)}
}

func (b *backup) wake() {
	select {
	case b.changed <- struct{}{}:
	default: // told already
	}
}

func (b *backup) noteControl(body []byte) {
	b.control = body
	b.wake()
}

// follow notes the entries of the journal that are not in the log.
func (b *backup) follow(r *run) error {
	b.pending, b.durable = nil, [core.Goal + 1]int{}
	var place *core.Placement
	for i, entry := range r.log {
		e, err := journal.ReadEntry(entry, r.spec.Partitions)
		if err != nil {
			return fmt.Errorf("journal entry %d: %w", i, err)
		}
		switch {
		case e.Placement != nil:
			place = e.Placement
		case e.Layer != nil && i < b.logged:
			b.durable[e.Layer.Phase]++
		case e.Layer != nil:
			if place == nil {
				return fmt.Errorf("journal entry %d: a layer that no worker keeps", i)
			}
			b.await(i, *e.Layer, *place)
		}
	}
	return nil
}

// await notes a layer that is to be uploaded by those who keep its partitions.
func (b *backup) await(index int, l core.Layer, place core.Placement) {
	p := &pendingLayer{index: index, layer: l, writers: make(map[string][]uint32), done: make(map[string]int64)}
	for part, n := range l.PartStates {
		if n > 0 {
			name := place.Workers[place.Homes[part]]
			p.writers[name] = append(p.writers[name], uint32(part))
		}
	}
	b.pending = append(b.pending, p)
}

// lags reports whether the next layer should wait.
func (b *backup) lags() bool {
	if b.conflict {
		return false
	}
	var bytes int64
	for _, p := range b.pending[:max(0, len(b.pending)-1)] {
		bytes += p.layer.Bytes
	}
	return bytes > lagBytesMax || len(b.pending) > lagLayersMax
}

// uploads returns what a worker has to upload.
func (b *backup) uploads(run, worker string) []*everystatev1.Upload {
	if b == nil || !b.ready {
		return nil
	}
	var out []*everystatev1.Upload
	for _, p := range b.pending {
		parts := p.writers[worker]
		if _, done := p.done[worker]; done || len(parts) == 0 {
			continue
		}
		out = append(out, &everystatev1.Upload{
			Run: run, Phase: everystatev1.Phase(p.layer.Phase), Depth: p.layer.Depth, Epoch: uint64(p.layer.Epoch),
			Bucket: b.url, Partitions: parts,
		})
		if len(out) == uploadsMax {
			break
		}
	}
	return out
}

// uploaded notes what a worker has uploaded.
func (b *backup) uploaded(worker string, u *everystatev1.Upload) {
	if b == nil {
		return
	}
	for _, p := range b.pending {
		l := &p.layer
		if l.Phase == core.Phase(u.GetPhase()) && l.Depth == u.GetDepth() && uint64(l.Epoch) == u.GetEpoch() && len(p.writers[worker]) > 0 {
			p.done[worker] = int64(u.GetBytes())
			b.wake()
		}
	}
}

// missing returns the workers that the next entry of the log waits for.
func (b *backup) missing() []string {
	if len(b.pending) == 0 || b.pending[0].index != b.logged {
		return nil
	}
	var names []string
	for name := range b.pending[0].writers {
		if _, done := b.pending[0].done[name]; !done {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// next returns the next entry for the log, or nil if there is none yet.
func (b *backup) next(r *run) ([]byte, error) {
	if b.conflict || !b.ready || b.logged >= len(r.log) {
		return nil, nil
	}
	entry := r.log[b.logged]
	if len(b.pending) == 0 || b.pending[0].index != b.logged {
		return entry, nil
	}
	p := b.pending[0]
	if !p.complete() {
		return nil, nil
	}
	var objects []journal.Object
	for _, name := range slices.Sorted(maps.Keys(p.writers)) {
		objects = append(objects, journal.Object{
			Name:  checkpoint.ObjectName(uint8(p.layer.Phase), p.layer.Depth, p.layer.Epoch, name),
			Bytes: p.done[name], Partitions: p.writers[name],
		})
	}
	return journal.WithObjects(entry, objects)
}

// appended notes that the next entry is in the log.
func (b *backup) appended() {
	if len(b.pending) > 0 && b.pending[0].index == b.logged {
		b.durable[b.pending[0].layer.Phase]++
		b.pending = b.pending[1:]
	}
	b.logged++
}

// startBackup has a run kept in the bucket, if there is one.
func (s *Server) startBackup(r *run) {
	if s.bucket == nil || r.backup != nil && r.backup.busy || s.stopping {
		return
	}
	if r.backup == nil {
		r.backup = newBackup(s.bucket, r.name)
	}
	if body, err := json.Marshal(r.control); err == nil {
		r.backup.control = body
	}
	idle := make(chan struct{})
	r.backup.busy, r.backup.idle, r.backup.conflict = true, idle, false
	s.spawn(func(ctx context.Context) {
		defer close(idle)
		s.keepLog(ctx, r)
	})
}

// keepLog keeps the log of a run in the bucket up with its journal, until ctx
// ends or the log turns out to be another coordinator's.
func (s *Server) keepLog(ctx context.Context, r *run) {
	backOff := backOffFirst
	for ctx.Err() == nil {
		more, err := s.keepLogStep(ctx, r)
		s.mu.Lock()
		b := r.backup
		if b.conflict || s.runs[r.name] != r {
			b.busy = false
			s.mu.Unlock()
			return
		}
		s.noteTrouble(r, err)
		s.mu.Unlock()
		var again <-chan time.Time
		switch {
		case err != nil:
			timer := time.NewTimer(backOff)
			again, backOff = timer.C, min(2*backOff, backOffMax)
		case more:
			backOff = backOffFirst
			continue
		}
		woken, look := b.changed, (<-chan time.Time)(nil)
		if err != nil {
			woken = nil
		} else {
			look = time.After(lookInterval)
		}
		select {
		case <-look:
			s.lookAhead(ctx, r)
		case <-ctx.Done():
		case <-woken:
		case <-again:
		}
	}
	s.mu.Lock()
	r.backup.busy = false
	s.mu.Unlock()
}

// lookAhead looks whether somebody else has gone on with the run that is being
// worked on: who has nothing to write finds out too.
func (s *Server) lookAhead(ctx context.Context, r *run) {
	s.mu.Lock()
	n, look := r.backup.logged, s.active == r && r.backup.ready
	s.mu.Unlock()
	if !look {
		return
	}
	more, err := r.backup.bucket.Log(ctx, n)
	if err != nil || len(more) == 0 {
		return // the next append tells
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if b := r.backup; b.ready && b.logged == n {
		s.conflict(r, &checkpoint.TakenError{N: n, Entry: more[0]})
	}
}

// noteTrouble notes why the bucket is behind, and says it once.
func (s *Server) noteTrouble(r *run, err error) {
	b := r.backup
	was := b.trouble
	if b.trouble = ""; err != nil {
		b.trouble = oneLine(err.Error())
	}
	switch {
	case b.trouble == was:
	case b.trouble != "":
		s.log.Warn("the bucket does not take what it should; trying until it does", "run", r.name, "error", b.trouble)
	default:
		s.log.Info("the bucket is back", "run", r.name)
	}
}

// keepLogStep does one thing that is to be done, and reports whether there may
// be more.
func (s *Server) keepLogStep(ctx context.Context, r *run) (more bool, err error) {
	s.mu.Lock()
	b := r.backup
	ready, control := b.ready, b.control
	entry, err := b.next(r)
	n := b.logged
	s.mu.Unlock()
	switch {
	case err != nil:
		return false, err
	case !ready:
		return true, s.compareLog(ctx, r)
	case control != nil && n > 0: // a run begins with its log
		if err := b.bucket.SetControl(ctx, control); err != nil {
			return false, err
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if bytes.Equal(b.control, control) {
			b.control = nil
		}
		return true, nil
	case entry == nil:
		return false, nil
	}
	err = b.bucket.Append(ctx, n, entry)
	s.mu.Lock()
	defer s.mu.Unlock()
	var taken *checkpoint.TakenError
	if errors.As(err, &taken) {
		s.conflict(r, taken)
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if b.ready && b.logged == n {
		b.appended()
		s.logGrew(r)
	}
	return true, nil
}

// compareLog reads the log, and makes the journal agree with it.
func (s *Server) compareLog(ctx context.Context, r *run) error {
	log, err := r.backup.bucket.Log(ctx, 0)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.agree(r, log); err != nil {
		s.fail(r, fmt.Errorf("the run in the bucket cannot be gone on with: %w", err))
		r.backup.conflict = true // until it is resumed
		return nil
	}
	r.backup.ready = true
	s.logGrew(r)
	return nil
}

// agree makes the journal agree with a log: what the log has, the journal has.
func (s *Server) agree(r *run, log journal.Entries) error {
	if len(log) > 0 {
		spec, _, err := journal.Read(log)
		if err != nil {
			return err
		}
		if spec.Text != r.spec.Text || spec.Metric != r.spec.Metric || spec.Family != r.spec.Family || spec.Partitions != r.spec.Partitions {
			return errors.New("it explores another puzzle, or has another number of partitions")
		}
	}
	same, err := journal.Diverge(r.log, log)
	if err != nil {
		return err
	}
	if same < len(log) {
		s.log.Warn("the run went on elsewhere; taking over what the bucket has",
			"run", r.name, "entries", len(log), "same", same, "dropped", len(r.log)-same)
		if r.core != nil {
			return errors.New("it goes on elsewhere at this moment")
		}
		if err := r.replaceTail(same, log[same:]); err != nil {
			return err
		}
	}
	r.backup.logged = len(log)
	return r.backup.follow(r)
}

// conflict stops the work on a run of which another coordinator has taken over
// the log.
func (s *Server) conflict(r *run, taken *checkpoint.TakenError) {
	b := r.backup
	b.conflict, b.ready = true, false
	who := "another coordinator"
	// Who has written the entry is who began the last session before it.
	for _, entry := range slices.Backward(append(r.log[:min(taken.N, len(r.log)):min(taken.N, len(r.log))], taken.Entry)) {
		if e, err := journal.ReadEntry(entry, r.spec.Partitions); err == nil && e.SessionBy != "" && e.SessionBy != s.name {
			who = journal.Who(e.SessionBy)
			break
		}
	}
	s.fail(r, fmt.Errorf("%s works on this run: it has written entry %d of %s; this one stops", who, taken.N, b.url))
}

// logGrew lets the run go on where it waited for the log.
func (s *Server) logGrew(r *run) {
	if s.active != r {
		s.activateNext()
		return
	}
	s.start(r)
	s.tellDurable(r)
}

// stuck reports whether the log waits for a worker that is not expected back.
func (s *Server) stuck(r *run) bool {
	for _, name := range r.backup.missing() {
		if s.givenUp(name) {
			return true
		}
	}
	return false
}

// tellDurable tells the core of a run how far the log is, if that is news.
func (s *Server) tellDurable(r *run) {
	b := r.backup
	if b == nil || r.core == nil || !b.ready {
		return
	}
	stuck := s.stuck(r)
	if r.committed != nil && (stuck || !b.lags()) {
		committed := r.committed
		r.committed = nil
		committed()
	}
	if r.core == nil {
		return
	}
	now := core.Durable{Forward: b.durable[core.Forward], Goal: b.durable[core.Goal], Stuck: stuck}
	if now != b.told {
		b.told = now
		s.step(now)
	}
}

// rewind forgets what is not in the log.
func (s *Server) rewind(r *run) error {
	b := r.backup
	s.log.Warn("layers were lost before the bucket had them; they are made again",
		"run", r.name, "layers", len(b.pending))
	if err := r.replaceTail(b.logged, nil); err != nil {
		return err
	}
	return b.follow(r)
}
