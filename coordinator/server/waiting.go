package server

import (
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/everystate/everystate/coordinator/core"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/proto/wire"
)

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// complain logs what the active run waits for when it makes no progress.
func (s *Server) complain() {
	r, now := s.active, s.now()
	if r == nil || !r.pace.Complain(now, core.Ticks(s.opts.SilenceMillis)) {
		return
	}
	idle := time.Duration(r.pace.Idle(now)) * time.Millisecond
	s.log.Warn("no progress", "run", r.name, "for", idle.Round(time.Second), "waiting", s.waitingFor(r))
}

// waitingFor returns in one line whom the active run waits for, and why.
func (s *Server) waitingFor(r *run) string {
	switch b := r.backup; {
	case r.job.working():
		text, _ := r.job.waitingFor()
		return text
	case r.history.Placement() == nil && len(s.roster.Available()) == 0:
		return nobodyThere
	case r.claim.Session && !r.job.ready():
		return "for the plan of the sweep"
	case b != nil:
		return "for the bucket" + b.behind()
	}
	return ""
}

// nobodyThere is what a run waits for if no worker is available.
const nobodyThere = "for a worker"

func (l *layersJob) waitingFor() (text string, waits bool) {
	return l.waitText(), len(l.waits.For) > 0 || l.waits.Lag
}

func (l *layersJob) waitText() string {
	b := l.backup
	switch {
	case l.waits.Lag && b != nil:
		return "for the bucket to catch up" + b.behind()
	case l.waits.Backup && b != nil:
		return "for the bucket to have everything before moving partitions" + b.behind()
	case len(l.waits.For) > 0:
		var names []string
		for _, id := range l.waits.For {
			if id == history.NoWorker {
				return "for the bucket, which has the only copy of some partitions"
			}
			names = append(names, l.names[id])
		}
		text := "for " + strings.Join(names, ", ") + ", which has partitions of the run and is not connected"
		if len(names) > 1 {
			text = "for " + strings.Join(names, ", ") + ", which have partitions of the run and are not connected"
		}
		if b != nil && len(b.copy.Pending()) > 0 {
			text += "; the bucket does not have everything" + b.behind()
		}
		return text
	case len(l.server.roster.Available()) == 0:
		return nobodyThere
	}
	var late []string
	for _, m := range l.server.members {
		if m.run == l.run && m.attempt != nil && m.report.GetStage() < m.attempt.GetStage() {
			late = append(late, fmt.Sprintf("%s to reach stage %s", m.name, wire.StageName(m.attempt.GetStage())))
		} else if m.run == l.run && m.attempt == nil && tells(m.damaged, l.run, true) {
			late = append(late, m.name+" to restore the rest of its partitions")
		}
	}
	sort.Strings(late)
	if len(late) == 0 {
		return ""
	}
	text := "for " + strings.Join(late, ", ")
	if l.trouble != "" {
		text += "; retried after: " + l.trouble
	}
	return text
}

// behind returns why a bucket does not have everything.
func (b *backup) behind() string {
	text := ""
	if missing := b.copy.Missing(); b.patience.Trouble() == "" && len(missing) > 0 {
		text = ": " + strings.Join(missing, ", ") + " to upload its share"
	}
	if trouble := b.bucketTrouble(); trouble != "" {
		text += ": " + trouble
	}
	return text
}

// bucketTrouble returns why the bucket does not take what it should: an error that the
// coordinator itself has met, or one of a worker whose share is next.
func (b *backup) bucketTrouble() string {
	if b.removed {
		return "somebody removed the run from it; resume the run to write it there again"
	}
	if trouble := b.patience.Trouble(); trouble != "" {
		return trouble
	}
	for _, name := range b.copy.Missing() {
		if m := b.server.members[name]; m != nil && m.trouble != "" {
			return m.trouble
		}
	}
	return b.scrubbed.Trouble()
}
