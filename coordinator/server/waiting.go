package server

import (
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/everystate/everystate/coordinator/history"
)

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

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
	case (r.core == nil && r.history.Placement() == nil || r.sweep != nil) && len(s.available()) == 0:
		return "for a worker"
	case r.sweep != nil:
		return ""
	case r.core == nil && b != nil:
		return "for the bucket" + s.behind(b)
	case r.committed != nil:
		return "for the bucket to catch up" + s.behind(b)
	case r.waitBackup && b != nil:
		return "for the bucket to have everything before moving partitions" + s.behind(b)
	case len(r.waitFor) > 0:
		var names []string
		for _, id := range r.waitFor {
			if id == history.NoWorker {
				return "for the bucket, which has the only copy of some partitions"
			}
			names = append(names, r.names[id])
		}
		text := "for " + strings.Join(names, ", ") + ", which has partitions of the run and is not connected"
		if len(names) > 1 {
			text = "for " + strings.Join(names, ", ") + ", which have partitions of the run and are not connected"
		}
		if b != nil && len(b.pending) > 0 {
			text += "; the bucket does not have everything" + s.behind(b)
		}
		return text
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
		text += "; retried after: " + r.trouble
	}
	return text
}

// behind says why a bucket has not everything.
func (s *Server) behind(b *backup) string {
	text := ""
	if missing := b.missing(); b.trouble == "" && len(missing) > 0 {
		text = ": " + strings.Join(missing, ", ") + " to upload its share"
	}
	if trouble := s.bucketTrouble(b); trouble != "" {
		text += ": " + trouble
	}
	return text
}

// bucketTrouble says why the bucket does not take what it should: what the
// coordinator itself has met, or a worker whose share is next.
func (s *Server) bucketTrouble(b *backup) string {
	if b.trouble != "" {
		return b.trouble
	}
	for _, name := range b.missing() {
		if m := s.members[name]; m != nil && m.trouble != "" {
			return m.trouble
		}
	}
	return ""
}
