package server

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/everystate/everystate/coordinator/convert"
	"github.com/everystate/everystate/coordinator/core"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/wire"
)

// takeUploads notes what a worker has uploaded, and why it cannot upload more.
func (s *sessionService) takeUploads(m *member, req *everystatev1.SynchronizeRequest) {
	was := m.trouble
	m.trouble = oneLine(req.GetUploadTrouble())
	switch {
	case was == "" && m.trouble != "":
		s.log.Warn("a worker cannot upload; it is retrying", "worker", m.name, "error", m.trouble)
	case was != "" && m.trouble == "":
		s.log.Info("a worker can upload again", "worker", m.name)
	}
	for _, u := range req.GetUploaded() {
		if r := s.runs[u.GetRun()]; r != nil {
			r.backup.uploaded(m.name, u)
		}
	}
}

// take tells the core what a worker has reached.
func (l *layersJob) take(m *member, was, report *everystatev1.RunReport) {
	if l.core != nil && report.GetAhead() > 0 && report.GetRun() == l.name && bytes.Equal(report.GetRunIdentity(), wire.Identity(l.past().Identity())) {
		l.step(convert.Fetched(report, l.names.ID(m.name)))
	}
	if l.core == nil || report.GetRun() != l.name || m.attempt == nil || report.GetEpoch() != m.attempt.GetEpoch() {
		return
	}
	s := l.server
	if !bytes.Equal(report.GetRunIdentity(), wire.Identity(l.past().Identity())) {
		s.misrouted++
		if !bytes.Equal(was.GetRunIdentity(), report.GetRunIdentity()) {
			s.log.Warn("ignoring a report about a different run of the same name", "run", l.name, "worker", m.name)
		}
		return
	}
	id := l.names.ID(m.name)
	l.pace.Reached(s.now(), report.GetExpanded()+report.GetWritten())
	epoch := uint32(report.GetEpoch())
	if why := report.GetFailure(); why != "" {
		if peer := l.server.members[report.GetUnreached()]; peer != nil && peer != m && s.roster.Of(peer.name).Present {
			l.grey.Unreached(s.now(), id, l.names.ID(peer.name), epoch)
		}
		ev := core.Failed{
			Worker: id, Epoch: epoch, Known: uint32(min(report.GetKnownEpoch(), math.MaxUint32)),
			Kind: convert.FailureKind(report.GetFailureKind()), Err: errors.New(m.name + ": " + oneLine(why)),
		}
		if ev.Kind == core.Missing {
			ev.Phase, _ = wire.PhaseOf(report.GetLackingPhase()) // 0, of which no layer is made again
			ev.Depth = report.GetLackingDepth()
		}
		l.step(ev)
		return
	}
	ev, err := convert.Event(report, id, m.attempt, l.names.ID)
	if err == nil && ev != nil {
		err = l.stepOf(ev)
	}
	if err != nil {
		// The sender is broken, or is not what it claims to be: nothing it reports next
		// can be trusted, and the run cannot do without it.
		l.step(core.Failed{Worker: id, Epoch: epoch, Err: fmt.Errorf("worker %s reports something impossible: %w", m.name, err)})
	}
}

// retry tells the core when the delay of an interrupted attempt is over.
func (l *layersJob) retry(e core.Retry) {
	s, c := l.server, l.core
	after := time.Duration(e.After) * time.Millisecond
	l.trouble = e.Err.Error()
	s.attemptsGivenUp++
	s.log.Warn("attempt abandoned", "run", l.name, "worker", l.names[e.Worker], "again", after, "why", l.trouble)
	time.AfterFunc(after, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if !s.stopping && l.core == c {
			l.step(core.Retried{})
		}
	})
}
