package server

import (
	"time"

	"github.com/everystate/everystate/coordinator/core"
	"github.com/everystate/everystate/coordinator/gauges"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/frontier"
	"github.com/everystate/everystate/internal/telemetry/metrics"
	"github.com/everystate/everystate/internal/wasm"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/wire"
	"github.com/everystate/everystate/puzzle"
)

// layersJob explores a board layer by layer: it drives a core.
type layersJob struct {
	*run
	noUnits

	board puzzle.Board

	// While the run is being worked on:
	core    *core.Core
	began   time.Time // of the attempt
	waits   core.Wait // what the core waits for
	trouble string    // why the attempt is made again
	grey    core.Grey // which workers do not reach each other
}

func (l *layersJob) read() (err error) {
	if l.board.Puzzle != nil {
		return nil // the board never changes
	}
	l.board, err = wasm.ReadStored(l.spec.Text, l.spec.Module, l.spec.Above)
	return err
}

func (l *layersJob) refuses(want history.Want) error      { return frontier.Refuses(l.spec, want) }
func (l *layersJob) wants(want history.Want) history.Want { return want.For(l.board.Puzzle, l.past()) }

func (l *layersJob) complete() bool {
	h := l.past()
	return h.Exhausted(l.wants(l.control.Want).GoalDistance || len(h.Layers(history.Goal)) > 0)
}

func (l *layersJob) past() *history.History {
	if l.core != nil {
		return l.core.History()
	}
	return &l.history
}

func (l *layersJob) gathers() bool { return l.history.Placement() == nil }
func (l *layersJob) ready() bool   { return true }
func (l *layersJob) working() bool { return l.core != nil }

// begin makes the core and tells it which workers are there.
func (l *layersJob) begin() error {
	s := l.server
	opts := frontier.CoreOptions(l.board.Puzzle)
	opts.Placed, opts.Alone, opts.Spread, opts.Ahead = true, s.opts.AloneStates, s.opts.SpreadStates, s.opts.AheadStates
	l.core = core.New(l.spec, opts, l.history, l.wants(l.control.Want))
	s.log.Info("run started", "run", l.name, "layers", len(l.history.Layers(history.Forward)))
	there := s.roster.Present()
	for i, name := range there {
		m := s.members[name]
		l.step(m.joining(l.names.ID(name), l.run, m.damaged, i < len(there)-1))
	}
	l.backup.announceDurable()
	if l.core != nil && len(there) == 0 {
		l.waits.For = l.history.Placement().Keepers()
	}
	s.giveUp(l.run)
	return nil
}

func (l *layersJob) end() {
	if l.core != nil {
		l.history = *l.core.History()
	}
	l.core, l.waits, l.trouble, l.grey = nil, core.Wait{}, "", core.Grey{}
}

func (l *layersJob) needs(m *member) bool { return l.core != nil && l.core.Needs(l.names.ID(m.name)) }

// underWay returns the attempt under way and how much its workers have done.
func (l *layersJob) underWay() (a core.Attempt, expanded, written uint64, is bool) {
	if l.core == nil {
		return a, 0, 0, false
	}
	if a, is = l.core.Attempt(); !is {
		return a, 0, 0, false
	}
	for _, m := range l.server.members {
		if m.run == l.run && m.report.GetEpoch() == uint64(a.Epoch) {
			expanded += m.report.GetExpanded()
			written += m.report.GetWritten()
		}
	}
	return a, expanded, written, true
}

func (l *layersJob) status(st *everystatev1.RunStatus) {
	if a, expanded, written, is := l.underWay(); is {
		h := l.past()
		st.Phase, st.Depth = wire.Phase(a.Phase), a.Depth
		st.States = uint64(h.States(a.Phase))
		st.Frontier = uint64(h.SpanStates(a.Expand))
		st.Expanded, st.Written = expanded, written
	}
}

func (l *layersJob) measure(put metrics.Put) {
	h := l.past()
	for _, p := range []history.Phase{history.Forward, history.Goal} {
		layers := h.Layers(p)
		if p == history.Goal && len(layers) == 0 {
			continue
		}
		var bytes, nanos int64
		for _, one := range layers {
			bytes += one.Bytes
			nanos += one.Nanos
		}
		put(gauges.RunLayers, float64(len(layers)), l.name, gauges.Phase(p))
		put(gauges.RunStates, float64(h.States(p)), l.name, gauges.Phase(p))
		put(gauges.RunGenerated, float64(h.Generated(p)), l.name, gauges.Phase(p))
		put(gauges.RunDuplicates, float64(max(0, h.Generated(p)-h.States(p))), l.name, gauges.Phase(p))
		put(gauges.RunBytes, float64(bytes), l.name, gauges.Phase(p))
		put(gauges.RunSeconds, float64(nanos)/1e9, l.name, gauges.Phase(p))
	}
	if a, expanded, written, is := l.underWay(); is {
		phase := gauges.Phase(a.Phase)
		put(gauges.ActiveLayer, float64(a.Depth), l.name, phase)
		put(gauges.ActiveFrontier, float64(h.SpanStates(a.Expand)), l.name, phase)
		put(gauges.ActiveExpanded, float64(expanded), l.name, phase)
		put(gauges.ActiveWritten, float64(written), l.name, phase)
	}
}
