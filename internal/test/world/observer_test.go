package world

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/everystate/everystate/coordinator/client"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/puzzle/digest"
	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/store"
)

const (
	// lookInterval is how often the coordinators are polled.
	lookInterval = 700 * time.Millisecond

	// readWait is how long reading a layer may take.
	readWait = 30 * time.Second

	// patience is how long a person leaves alone a run that has stopped too early.
	patience = 3 * time.Second
)

// observer polls the coordinators all the time, and checks every answer against the
// truth and against earlier answers. It also does what a person does: it submits the
// run, and resumes it when it has stopped too early.
//
// What is committed is true, whoever says so and whatever happens afterwards. What is
// committed never shrinks below what is durable: the whole journal without a bucket, and
// with one what was said to be in it, as long as no coordinator's disk was lost and
// there was no other coordinator.
type observer struct {
	*world
	ctx  context.Context //nolint:containedctx // it ends with the world
	stop context.CancelFunc
	over chan struct{}

	clients map[*machine]*view

	mu      sync.Mutex // guards the fields below
	targets []*machine // the coordinators
	wishes  []wish
	last    client.Status // of the coordinator that counts
	heard   time.Time
	errText string
	there   map[string]bool // workers, by address
}

// view is what is known of one coordinator.
type view struct {
	client  *client.Client
	run     *client.Run
	text    string
	entries int
	durable int
	still   time.Time // since when the run has stood still too early, or is unknown
	reads   int
}

// A wish is what the operator of the run asks for: to pause it, or to resume it with
// other limits.
type wish struct {
	what string
	want *history.Want // nil to pause
}

func newObserver(w *world) *observer {
	ctx, stop := context.WithCancel(context.Background())
	return &observer{world: w, ctx: ctx, stop: stop, over: make(chan struct{}), clients: make(map[*machine]*view), there: make(map[string]bool)}
}

// loop polls until the observer is stopped.
func (o *observer) loop() {
	defer close(o.over)
	for {
		select {
		case <-o.ctx.Done():
			for _, v := range o.clients {
				_ = v.client.Close() // only calls can end
			}
			return
		case <-time.After(lookInterval):
		}
		targets := o.watched()
		for i, m := range targets {
			o.look(m, i == len(targets)-1)
		}
	}
}

func (o *observer) watched() []*machine {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]*machine{}, o.targets...)
}

// watches sets the coordinators to poll, the last of which counts.
func (o *observer) watches(targets []*machine) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.targets = append([]*machine{}, targets...)
}

// asks has the run paused, or asked for less, at the next look.
func (o *observer) asks(what string, want *history.Want) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.wishes = append(o.wishes, wish{what, want})
}

// latest returns the last answer of the coordinator that counts, and when it came.
func (o *observer) latest() (client.Status, time.Time, string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.last, o.heard, o.errText
}

// look polls one coordinator.
func (o *observer) look(m *machine, counts bool) {
	v := o.clients[m]
	if v == nil {
		c, _, err := o.newClient(m, "10.0.2."+m.host[len("10.0.0."):])
		if err != nil {
			o.fail("%v", err)
			return
		}
		v = &view{client: c}
		o.clients[m] = v
	}
	s, workers, err := v.client.Get(o.ctx, run)
	if counts {
		o.note(s, workers, err)
	}
	text := fmt.Sprintf("%v %s%s", s.State, s.WaitingFor, s.Failure)
	if err != nil {
		text = err.Error()
	}
	if text != v.text {
		v.text = text
		o.logf("%s says: %s, %d entries, %d durable", m.what, text, s.Entries, s.DurableEntries)
	}
	if err != nil {
		if counts && errors.Is(err, client.ErrNoRun) {
			o.submit(v)
		}
		return
	}
	o.check(m, v, s)
	if counts {
		o.operate(v, s)
	}
}

func (o *observer) note(s client.Status, workers []client.Worker, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err != nil {
		o.errText = err.Error()
		return
	}
	o.last, o.heard, o.errText = s, time.Now(), ""
	clear(o.there)
	for _, worker := range workers {
		o.there[worker.Address] = o.there[worker.Address] || worker.Present // others may have been there before
	}
}

// present reports whether the coordinator that counts has said that a worker is there.
func (o *observer) present(m *machine) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.there[net.JoinHostPort(m.host, strconv.Itoa(workerPort))]
}

// submit submits the run, at once to the first coordinator, and to others when they have
// had time to find it in the bucket.
func (o *observer) submit(v *view) {
	if v.still.IsZero() {
		v.still = time.Now()
	}
	if o.submitted && time.Since(v.still) < 10*patience {
		return
	}
	_, err := v.client.Submit(o.ctx, run, o.spec(), o.everything())
	o.logf("submitted: %v", err)
	if err == nil {
		o.submitted, v.still = true, time.Time{}
	}
}

// operate resumes a run that has stopped too early, and does what is wished.
func (o *observer) operate(v *view, s client.Status) {
	o.mu.Lock()
	wishes := o.wishes
	o.wishes = nil
	o.mu.Unlock()
	for _, w := range wishes {
		var err error
		if w.want == nil {
			_, err = v.client.Pause(o.ctx, run)
		} else {
			_, err = v.client.Resume(o.ctx, run, w.want)
		}
		o.logf("asked to %s %+v: %v", w.what, w.want, err)
	}
	if !s.State.Over() || o.complete(s) {
		v.still = time.Time{}
		return
	}
	if v.still.IsZero() {
		v.still = time.Now()
	}
	if time.Since(v.still) < patience {
		return
	}
	v.still = time.Time{}
	want := o.everything()
	_, err := v.client.Resume(o.ctx, run, &want)
	o.logf("resumed: %v", err)
	o.counts("resumed")
}

// complete reports whether everything has been found.
func (o *observer) complete(s client.Status) bool {
	want := o.everything()
	return s.State == client.Stopped && s.Complete && s.Want.GoalDistance == want.GoalDistance &&
		s.Want.MaxDepth == nil && s.Want.MaxStates == 0 && !s.Want.StopAtGoal
}

// check checks what a coordinator says against the truth, and against what it said
// before.
func (o *observer) check(m *machine, v *view, s client.Status) {
	if s.Bucket != "" && s.DurableEntries > s.Entries {
		o.fail("%s says that %d of %d entries are durable", m.what, s.DurableEntries, s.Entries)
	}
	ctx, cancel := context.WithTimeout(o.ctx, readWait)
	defer cancel()
	var err error
	if v.run == nil {
		v.run, err = v.client.Open(ctx, run)
	} else {
		err = v.run.Refresh(ctx)
	}
	if err != nil {
		v.run = nil
		if spoiled, _ := m.spoilt(); store.IsCorruption(err) && spoiled == 0 {
			o.fail("%s: %v", m.what, err)
		}
		return
	}
	if wrong := o.truth.disagrees(v.run.History(), false); wrong != "" {
		o.fail("%s: %s", m.what, wrong)
		return
	}
	o.counts("answers checked")
	if v.run.Spec().Store == history.Table {
		o.counts("answers about a table")
	}
	o.grows(m, v, s)
	if v.reads++; v.reads%4 == 0 {
		o.read(ctx, m, v)
	}
}

// grows checks that nothing durable is taken back.
func (o *observer) grows(m *machine, v *view, s client.Status) {
	least := v.durable
	if o.cloud == nil {
		least = v.entries
	}
	if spoiled, others := m.spoilt(); spoiled > 0 || others {
		v.entries, v.durable = 0, 0
		return
	}
	if got := v.run.Entries(); got < least {
		o.fail("%s: %d entries were durable, and there are %d", m.what, least, got)
	}
	v.entries, v.durable = v.run.Entries(), max(v.durable, s.DurableEntries)
}

// read reads one of the committed layers. Its keepers may be away.
func (o *observer) read(ctx context.Context, m *machine, v *view) {
	layers := layersOf(v.run.History())
	if len(layers) == 0 {
		return
	}
	l := layers[o.dice.of("read", m.what, v.reads).n(len(layers))]
	got, err := digestOf(ctx, v.run, l)
	switch {
	case err != nil:
		o.counts("reads that failed")
	case got != l.Digest:
		o.fail("%s: %v layer %d: digest %v was read, %v committed", m.what, l.Phase, l.Depth, got, l.Digest)
	default:
		o.counts("layers read")
	}
}

// layersOf returns the layers of a run that have not been dropped.
func layersOf(h *history.History) []history.Layer {
	all := append(append([]history.Layer{}, h.Layers(history.Forward)...), h.Layers(history.Goal)...)
	return slices.DeleteFunc(all, h.Dropped)
}

// digestOf reads a layer and returns its digest. An error may mean that part of it is
// unavailable.
func digestOf(ctx context.Context, r *client.Run, l history.Layer) (digest.Digest, error) {
	var sum digest.Digest
	scheme, err := partition.New(r.Board().Puzzle.Layout(), r.Spec().Partitions)
	if err != nil {
		return sum, err
	}
	shape := store.Shape{Stride: scheme.Stride(), MoveBits: scheme.MoveBits()}
	if scheme.Narrow() {
		shape.KeyBits = scheme.LocalBits()
	}
	salt := digest.LayerSalt(uint8(l.Phase), l.Depth)
	states := int64(0)
	err = r.Layer(ctx, l, func(part uint32, block []byte) error {
		recs, ok := shape.DecodeBlock(nil, block)
		if !store.CheckBlock(block) || !ok {
			return errors.New("a block is damaged")
		}
		keys := scheme.Keys(nil, partition.ID(part), recs)
		for i := 0; i*shape.Stride < len(recs); i++ {
			sum.AddState(salt, keys[i*scheme.Words():(i+1)*scheme.Words()], scheme.Move(recs[i*shape.Stride:]))
			states++
		}
		return nil
	})
	if err == nil && states != l.States {
		err = fmt.Errorf("%d states of %d arrived", states, l.States)
	}
	return sum, err
}
