package core

import (
	"fmt"
	"slices"
	"testing"

	"github.com/everystate/everystate/coordinator/history"
)

// Whatever happens to workers that have disks of their own, to their
// coordinators and to the backup, a run ends with the layers of a plain
// breadth-first search, or waits for a disk that nobody else has the records of.
//
// Everything is drawn from the seed. Calls arrive late, twice, in any order, or
// never. Workers crash and come back or not, with their disk or without it,
// pause, leave, come late, and are given up by a clock that jumps. Coordinators
// crash, lose their journal, and work two at a time on one backup, which is slow
// and not always there. Then there is calm: everything that can come back comes
// back, and the run has to end.
func TestPlacedSimulation(t *testing.T) {
	simulateAll(t, 10_000, simulatePlaced,
		"commits", "given up", "failed", "retries", "restarted", "expired", "never came", "placements", "holds", "fetched",
		"restored", "rewinds", "waits", "leaving", "let go", "uploads", "truncated", "journal overruled", "conflicts",
		"late appends", "lost answers", "crash", "lose disk", "pause", "drain", "come late", "crash coordinator",
		"lose journal", "backup away", "clock jumps", "clock stands", "second coordinator", "change sides", "ask",
		"ends exhausted", "ends waiting")
}

// calmSteps is how long a run may take once there is calm. It is far above what
// is needed.
const calmSteps = 60_000

type placedSimulation struct {
	*world
	graph *graph
	truth space

	bucket       *bucket // nil if there is no backup
	machines     []*machine
	byName       map[string]*machine
	coordinators []*coordinator
	incarnations int
	processes    int
	settle       bool
	standsUntil  int // the clock that leases are measured with
	calmSince    int
	checked      int // entries of the log
	logged       history.History
	done         bool
}

func simulatePlaced(t *testing.T, seed uint64) tally {
	t.Helper()
	w := newWorld(t, seed, 1)
	s := &placedSimulation{world: w, graph: randomGraph(w.rng), byName: make(map[string]*machine)}
	s.truth = s.graph.explore()
	s.settle = s.rng.IntN(2) == 0
	if s.rng.IntN(5) > 0 {
		s.bucket = &bucket{objects: make(map[objectKey]map[uint32]states)}
	}
	s.faults = s.rng.IntN(10)
	s.coordinate()
	for range 1 + s.rng.IntN(4) {
		s.at(s.rng.IntN(60), s.comes)
	}
	for range s.rng.IntN(12) {
		s.at(s.rng.IntN(200+s.rng.IntN(1500)), s.chaos)
	}
	s.at(500+s.rng.IntN(1200), s.calms)
	s.run(func() bool { return s.done })
	s.compare()
	return s.count
}

// everything is what is wanted in the end.
func (s *placedSimulation) everything() history.Want {
	return history.Want{GoalDistance: s.graph.reversible, Settle: s.settle}
}

func (s *placedSimulation) randomWant() history.Want {
	w := s.everything()
	if s.calm {
		return w
	}
	switch s.rng.IntN(12) {
	case 0:
		w.MaxDepth = new(s.rng.IntN(6))
	case 1:
		w.MaxStates = 1 + s.rng.Int64N(30)
	case 2:
		w.StopAtGoal = true
	case 3:
		w.GoalDistance = false
	}
	return w
}

// send carries a call or its answer. If it is lost, there will be another.
func (s *placedSimulation) send(arrives func()) {
	if !s.calm && s.rng.IntN(40) == 0 {
		return
	}
	s.after(arrives)
	if s.rng.IntN(10) == 0 {
		s.after(arrives)
	}
	if !s.calm && s.rng.IntN(40) == 0 {
		s.at(s.rng.IntN(600), arrives)
	}
}

// coordinate adds a coordinator.
func (s *placedSimulation) coordinate() *coordinator {
	c := &coordinator{sim: s, number: len(s.coordinators) + 1}
	s.coordinators = append(s.coordinators, c)
	c.starts()
	return c
}

// comes adds a worker.
func (s *placedSimulation) comes() {
	m := &machine{
		sim:    s,
		name:   fmt.Sprintf("w%02d", len(s.machines)),
		weight: s.rng.Uint32N(4),
		boss:   s.coordinators[s.rng.IntN(len(s.coordinators))],
		disk:   make(map[runKey]states),
	}
	s.machines = append(s.machines, m)
	s.byName[m.name] = m
	m.starts()
}

// chaos lets something go wrong.
func (s *placedSimulation) chaos() {
	if s.calm || len(s.machines) == 0 {
		return
	}
	m := s.machines[s.rng.IntN(len(s.machines))]
	c := s.coordinators[s.rng.IntN(len(s.coordinators))]
	what := []string{
		"crash", "crash", "crash", "lose disk", "lose disk", "pause", "pause", "drain", "drain", "come late", "come late",
		"crash coordinator", "crash coordinator", "lose journal", "backup away", "clock jumps", "clock stands",
		"second coordinator", "second coordinator", "ask",
	}[s.rng.IntN(20)]
	if s.bucket == nil && what == "lose disk" && s.rng.IntN(2) > 0 {
		return
	}
	s.logf("chaos: %s %s %d", what, m.name, c.number)
	if s.strikes(what, m, c) {
		s.count[what]++
	}
}

// strikes reports whether it could happen.
func (s *placedSimulation) strikes(what string, m *machine, c *coordinator) bool {
	switch what {
	case "crash":
		return s.crash(m)
	case "lose disk":
		return s.loseDisk(m)
	case "pause":
		if m.proc == nil {
			return false
		}
		m.proc.pausedUntil = s.now + s.rng.IntN(2*lease+100)
	case "drain":
		if m.proc == nil || m.draining {
			return false
		}
		m.draining = true
		if s.rng.IntN(4) == 0 {
			s.at(s.rng.IntN(200), func() { m.draining = false })
		}
	case "come late":
		s.comes()
	case "ask":
		if c.proc == nil {
			return false
		}
		c.proc.ask()
	case "clock stands":
		s.standsUntil = s.now + s.rng.IntN(1000)
	case "clock jumps":
		return s.jump(c)
	case "crash coordinator":
		return s.crashCoordinator(c)
	default:
		return s.bucket != nil && s.strikesBackup(what, m, c)
	}
	return true
}

func (s *placedSimulation) strikesBackup(what string, m *machine, c *coordinator) bool {
	switch what {
	case "lose journal":
		if c.proc == nil || !s.crashCoordinator(c) {
			return false
		}
		c.journal = nil
	case "backup away":
		s.bucket.away = true
		s.at(s.rng.IntN(800), func() { s.bucket.away = false })
	case "second coordinator":
		if len(s.coordinators) == 3 {
			return false
		}
		c := s.coordinate()
		for _, m := range s.machines {
			if s.rng.IntN(2) == 0 {
				m.boss = c
			}
		}
		for range s.rng.IntN(6) {
			s.at(s.rng.IntN(800), s.changeSides)
		}
	}
	return true
}

// changeSides lets a worker work for another coordinator.
func (s *placedSimulation) changeSides() {
	m, c := s.machines[s.rng.IntN(len(s.machines))], s.coordinators[s.rng.IntN(len(s.coordinators))]
	if !s.calm && m.boss != c && c.proc != nil {
		s.logf("%s changes to coordinator %d", m.name, c.number)
		s.count["change sides"]++
		m.boss = c
	}
}

func (s *placedSimulation) crash(m *machine) bool {
	if m.proc == nil {
		return false
	}
	m.proc = nil
	delay := s.rng.IntN(lease / 2)
	if s.rng.IntN(2) == 0 {
		delay = s.rng.IntN(4 * lease)
	}
	s.at(delay, func() { s.comesBack(m) })
	return true
}

// comesBack starts a machine again if that is possible.
func (s *placedSimulation) comesBack(m *machine) bool {
	if m.proc != nil || m.diskLost || m.left {
		return false
	}
	m.starts()
	return true
}

// loseDisk ends a machine. Another one takes its place.
func (s *placedSimulation) loseDisk(m *machine) bool {
	if m.diskLost {
		return false
	}
	m.proc, m.diskLost, m.disk = nil, true, nil
	if s.rng.IntN(4) == 0 { // as when a rack burns
		s.crashCoordinator(m.boss)
	}
	s.at(s.rng.IntN(200), s.comes)
	return true
}

// jump lets leases run out that have not.
func (s *placedSimulation) jump(c *coordinator) bool {
	p := c.proc
	if p == nil {
		return false
	}
	for _, m := range p.members {
		if m.present && s.rng.IntN(2) == 0 && p.alive() {
			p.lose(m)
		}
	}
	return true
}

func (s *placedSimulation) crashCoordinator(c *coordinator) bool {
	if c.proc == nil {
		return false
	}
	c.proc = nil
	delay := s.rng.IntN(50)
	if s.rng.IntN(3) == 0 {
		delay = s.rng.IntN(1000)
	}
	s.at(delay, func() {
		if c.proc == nil && c.stopped == "" {
			c.starts()
		}
	})
	return true
}

// calms ends all that goes wrong.
func (s *placedSimulation) calms() {
	s.logf("calm")
	s.calm, s.calmSince, s.standsUntil = true, s.now, s.now
	if s.bucket != nil {
		s.bucket.away = false
	}
	for _, m := range s.machines {
		m.draining = false
		s.comesBack(m)
	}
	s.operate()
}

// operate is what a person does who reads what the coordinators say.
func (s *placedSimulation) operate() {
	if s.now-s.calmSince > calmSteps {
		s.fatalf("is stuck: %v", s.winner())
	}
	if s.bucket != nil {
		s.bucket.away = false
	}
	p := s.winner()
	if p == nil {
		for _, c := range s.coordinators {
			if c.stopped == "" || c == s.coordinators[len(s.coordinators)-1] {
				c.stopped = ""
				c.starts()
				break
			}
		}
		p = s.winner()
	}
	working := 0
	for _, m := range s.machines {
		m.boss = p.coordinator
		if m.proc != nil {
			working++
		}
	}
	if working == 0 {
		s.comes()
	}
	s.operateRun(p)
	s.done = s.finished(p)
	s.at(50, s.operate)
}

// operateRun starts those that the run waits for, and asks for everything.
func (s *placedSimulation) operateRun(p *process) {
	if p.core == nil {
		return
	}
	if p.want != s.everything() {
		p.ask()
	}
	for _, id := range p.waits {
		if m := s.byName[p.names[id]]; m.left {
			s.count["left and called back"]++
			m.left = false
			s.comesBack(m)
		}
	}
}

// winner returns the process that has the run: the last to have begun a session,
// or any that will.
func (s *placedSimulation) winner() *process {
	var best *process
	rank := func(p *process) int {
		if p.core == nil {
			return 0
		}
		h, _ := historyOf(p.journal)
		return int(h.Session())
	}
	for _, c := range s.coordinators {
		if p := c.proc; p != nil && (best == nil || rank(p) > rank(best)) {
			best = p
		}
	}
	return best
}

// finished reports whether there is nothing more to come: the run has stopped,
// and all that can be is in the backup, or it waits for a lost disk. All other
// coordinators have found out that they are not alone.
func (s *placedSimulation) finished(p *process) bool {
	if p.core == nil || p.recording || p.rewinding {
		return false
	}
	for _, c := range s.coordinators {
		if c.proc != nil && c.proc != p {
			return false
		}
	}
	if len(p.waits) > 0 && s.bucket == nil {
		gone := 0
		for _, id := range p.waits {
			if m := s.byName[p.names[id]]; m.diskLost {
				gone++
			}
		}
		if gone == len(p.waits) {
			s.count["ends waiting"]++
			return true
		}
	}
	if p.stop == nil || p.stop.Reason != history.Exhausted || p.want != s.everything() {
		return false
	}
	if s.bucket != nil && p.logged < len(p.journal) && !s.neverUploaded(p) {
		return false
	}
	s.count["ends exhausted"]++
	return true
}

// neverUploaded reports whether the log cannot grow: a worker is needed for it
// whose disk is lost, though others have what it kept.
func (s *placedSimulation) neverUploaded(p *process) bool {
	if p.appending || p.journal[p.logged].layer == nil {
		return false
	}
	layers := madeIn(p.journal[:p.logged+1])
	for _, name := range s.bucket.missing(layers[len(layers)-1]) {
		if s.byName[name].diskLost {
			s.count["ends without backup"]++
			return true
		}
	}
	return false
}

// checkLog checks that the log is one history, and a true one.
func (s *placedSimulation) checkLog() {
	b := s.bucket
	for ; s.checked < len(b.log); s.checked++ {
		h, ok := historyOf(b.log[:s.checked+1])
		if !ok {
			s.fatalf("entry %d of the log is not next", s.checked)
		}
		s.logged = h
		e := b.log[s.checked]
		switch {
		case e.layer != nil:
			layers := s.truth.layers[e.layer.Phase]
			if int(e.layer.Depth) >= len(layers) || !sameLayer(*e.layer, layers[e.layer.Depth]) {
				s.fatalf("entry %d of the log is %s", s.checked, describeLayer(*e.layer))
			}
			s.checkObjects()
		case e.end != nil:
			if *e.end != s.truth.ends[e.end.Phase] {
				s.fatalf("entry %d of the log is %s", s.checked, describeEnd(*e.end))
			}
		}
		// A coordinator appends in its own session only.
		for i := s.checked; e.session == nil && i >= 0; i-- {
			if se := b.log[i].session; se != nil {
				if own := b.creators[s.checked]; se.by != own.number && own.core != nil {
					s.fatalf("process %d appends in the session of process %d", own.number, se.by)
				}
				break
			}
		}
	}
}

// checkObjects checks that the last layer of the log can be restored.
func (s *placedSimulation) checkObjects() {
	layers := madeIn(s.bucket.log[:s.checked+1])
	m := layers[len(layers)-1]
	all := states{}
	for part := range s.graph.partitions {
		recs, found := s.bucket.restore(m, uint32(part))
		if !found && m.PartStates[part] > 0 {
			s.fatalf("%v layer %d, epoch %d is in the log, partition %d is not in the backup", m.Phase, m.Depth, m.Epoch, part)
		}
		for n, move := range recs {
			all[n] = move
		}
	}
	if s.graph.digest(m.Phase, m.Depth, all) != m.Digest {
		s.fatalf("%v layer %d, epoch %d: something else is in the backup", m.Phase, m.Depth, m.Epoch)
	}
}

// checkKept checks that the disks of those who keep the partitions hold what was
// found.
func (s *placedSimulation) checkKept(p *process) {
	homes := p.homes()
	for _, m := range madeIn(p.journal) {
		all := states{}
		complete := true
		for part, name := range homes {
			recs, found := s.byName[name].disk[m.key(uint32(part))]
			if !found && !s.byName[name].diskLost && !p.overtaken() {
				s.fatalf("%s does not keep %v layer %d, epoch %d, partition %d", name, m.Phase, m.Depth, m.Epoch, part)
			}
			complete = complete && found
			for n, move := range recs {
				all[n] = move
			}
		}
		if complete && s.graph.digest(m.Phase, m.Depth, all) != m.Digest {
			s.fatalf("%v layer %d, epoch %d: something else is kept", m.Phase, m.Depth, m.Epoch)
		}
		if s.settle && !complete && !p.overtaken() {
			gone := slices.ContainsFunc(homes, func(name string) bool { return s.byName[name].diskLost && p.memberOf(s.byName[name]).present })
			if !gone {
				s.fatalf("%v layer %d, epoch %d is not kept as a whole", m.Phase, m.Depth, m.Epoch)
			}
		}
	}
}

// compare compares what was committed with the truth.
func (s *placedSimulation) compare() {
	p := s.winner()
	h, ok := historyOf(p.journal)
	if !ok {
		s.fatalf("the journal is not a history")
	}
	if place := p.core.History().Placement(); h.Placement() != nil && !slices.Equal(place.Homes, h.Placement().Homes) {
		s.fatalf("homes %v, should be %v", place.Homes, h.Placement().Homes)
	}
	for _, h := range []*history.History{&h, p.core.History()} {
		if p.stop == nil {
			if wrong := s.truth.disagreesSoFar(h, s.graph.phases()...); wrong != "" {
				s.fatalf("%s", wrong)
			}
		} else if wrong := s.truth.disagrees(h, s.graph.phases()...); wrong != "" {
			s.fatalf("%s", wrong)
		}
	}
}
