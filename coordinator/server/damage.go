package server

import (
	"fmt"
	"slices"
	"strings"

	"github.com/everystate/everystate/coordinator/convert"
	"github.com/everystate/everystate/coordinator/core"
	"github.com/everystate/everystate/coordinator/gauges"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
)

// takeDamage notes which stores of a worker are damaged. The active run continues when
// the worker has what it lacks; a run that had come to its end is taken up again for
// that unless it is another coordinator's, and any other when it is resumed.
func takeDamage(s *Server, m *member, req *everystatev1.SynchronizeRequest) {
	was := m.damaged
	m.damaged = req.GetDamaged()
	for _, d := range m.damaged {
		r := s.runs[d.GetRun()]
		if r == nil || !convert.Concerns(d, r.name, r.job.past().Identity()) || !r.job.past().Placement().On(m.name) {
			continue
		}
		if !d.GetRestoring() && !slices.ContainsFunc(was, func(o *everystatev1.Damage) bool { return o.GetRun() == d.GetRun() && !o.GetRestoring() }) {
			s.damages++
			s.log.Error("the store of a worker is damaged; what it lacks is restored or made again", "run", r.name, "worker", m.name, "damage", oneLine(d.GetWhat()))
		}
		switch {
		case r == s.active && r.job.working():
			s.tell(m, func(id history.WorkerID) core.Event { return convert.Damage(d, id) })
		case r.control.State == history.Stopped && (s.opts.Adopt || !r.control.Elsewhere):
			r.control.Elsewhere = false // or what is done about it would never get into the bucket
			s.setState(r, history.Queued, "")
			s.soon()
		}
	}
}

// tells reports whether a worker says of a run that its store is damaged, or only that it
// still restores partitions.
func tells(damaged []*everystatev1.Damage, r *run, restoring bool) bool {
	return slices.ContainsFunc(damaged, func(d *everystatev1.Damage) bool {
		return d.GetRestoring() == restoring && convert.Concerns(d, r.name, r.job.past().Identity())
	})
}

// troubleOf returns what is wrong with a worker, in one line.
func troubleOf(s *Server, m *member) string {
	var all []string
	if s.still.Stands(m.name) {
		all = append(all, fmt.Sprintf("stalled %d %% of the time", s.still.Percent(m.name)))
	}
	for _, d := range m.damaged {
		all = append(all, fmt.Sprintf("restoring %s: %s", d.GetRun(), oneLine(d.GetWhat())))
	}
	return strings.Join(all, "; ")
}

// makeAgain forgets a layer that neither the workers nor the bucket have any more, with
// whatever was made after it. The log keeps the entries, as it is never cut, until the
// layer is committed once more.
func (b *backup) makeAgain(phase history.Phase, depth uint32) {
	b.server.log.Warn("records of a layer are lost, in the bucket too; making it again, with those after it", "run", b.run.name, "phase", gauges.Phase(phase), "layer", depth)
	b.run.history.Cut(phase, depth)
	b.copy.Cut(phase, depth)
}

// cutBack drops the layers of a run from one on, and whatever was made after it.
func (r *run) cutBack(phase history.Phase, depth uint32) error {
	from, rest, err := journal.Without(r.log, r.spec.Partitions, phase, depth)
	if err != nil {
		return err
	}
	r.server.log.Warn("records of a layer are lost; making it again, with those after it", "run", r.name, "phase", gauges.Phase(phase), "layer", depth)
	return r.replaceTail(from, rest)
}
