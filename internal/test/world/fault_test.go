package world

import (
	"fmt"
	"slices"
	"time"
)

// fault is something that goes wrong. strike reports whether it could happen.
type fault struct {
	name   string
	weight int
	bucket bool // needs a bucket: without one it ends the run
	strike func(w *world, d *draw) bool
}

func faults() []fault {
	worker := func(f func(m *machine, d *draw) bool) func(*world, *draw) bool {
		return func(w *world, d *draw) bool { return f(w.workers[d.n(len(w.workers))], d) }
	}
	coordinator := func(f func(m *machine, d *draw) bool) func(*world, *draw) bool {
		return func(w *world, d *draw) bool { return f(w.coordinators[d.n(len(w.coordinators))], d) }
	}
	return []fault{
		{"worker killed", 6, false, worker(killed)},
		{"worker without power", 6, false, worker(noPower)},
		{"worker restarted", 2, false, worker(restarted)},
		{"worker drains", 3, false, worker(drains)},
		{"worker stands still", 2, false, worker(standsStill)},
		{"worker comes", 3, false, func(w *world, _ *draw) bool { return len(w.workers) < 7 && w.comes() != nil }},
		{"worker's disk full", 3, false, worker(diskFull)},
		{"worker's disk lost", 3, true, worker(diskLost)},
		{"worker's disk of before", 3, true, worker(diskOfBefore)},
		{"worker's disk damaged", 2, true, worker(diskDamaged)},
		{"worker's disk lost, no bucket", 1, false, worker(diskLost)},
		{"coordinator killed", 4, false, coordinator(killed)},
		{"coordinator without power", 4, false, coordinator(noPower)},
		{"coordinator restarted", 1, false, coordinator(restarted)},
		{"coordinator's disk full", 1, false, coordinator(diskFull)},
		{"coordinator's disk lost", 2, true, coordinator(diskLost)},
		{"coordinator's disk of before", 2, true, coordinator(diskOfBefore)},
		{"coordinator's disk damaged", 1, true, coordinator(diskDamaged)},
		{"coordinator's journal of before, no bucket", 2, false, coordinator(journalOfBefore)},
		{"second coordinator", 3, true, second},
		{"worker changes sides", 3, true, worker(changesSides)},
		{"network cut", 5, false, cut(true)},
		{"network cut one way", 5, false, cut(false)},
		{"network slow", 3, false, slow},
		{"connection broken", 6, false, breaks(broken)},
		{"connection half open", 4, false, breaks(halfOpen)},
		{"connection mute", 3, false, breaks(mute)},
		{"calls go wrong", 4, false, callsGoWrong},
		{"bucket goes wrong", 6, true, bucketGoesWrong},
		{"bucket away", 3, true, bucketAway},
		{"run paused", 2, false, func(w *world, _ *draw) bool { w.watch.asks("pause", nil); return true }},
		{"run asked for less", 3, false, asksForLess},
	}
}

// asksForLess resumes the run with a limit, or without goal distances.
func asksForLess(w *world, d *draw) bool {
	want := w.everything()
	switch d.n(4) {
	case 0:
		want.MaxDepth = new(d.n(6))
	case 1:
		want.MaxStates = 1 + int64(d.n(100))
	case 2:
		want.StopAtGoal = true
	default:
		want.GoalDistance = false
	}
	w.watch.asks("resume with less", &want)
	return true
}

// later schedules f for a time, or for the next calm if that comes first.
func (w *world) later(after time.Duration, f func()) {
	w.ends = append(w.ends, ending{time.Now().Add(after), f})
}

// ending ends a fault, at the latest when there is calm.
type ending struct {
	at time.Time
	f  func()
}

// endFaults ends the faults whose time has come, or all.
func (w *world) endFaults(all bool) {
	due := func(e ending) bool { return all || !time.Now().Before(e.at) }
	for i := 0; i < len(w.ends); i++ {
		if due(w.ends[i]) {
			w.ends[i].f()
		}
	}
	w.ends = slices.DeleteFunc(w.ends, due)
}

// strike draws a fault and makes it happen.
func (w *world) strike() {
	total := 0
	all := faults()
	for _, f := range all {
		total += f.weight
	}
	n := w.chaos.n(total)
	for _, f := range all {
		if n -= f.weight; n >= 0 {
			continue
		}
		d := &draw{w.chaos.next()}
		if f.bucket && w.cloud == nil {
			return
		}
		w.logf("FAULT: %s", f.name)
		if f.strike(w, d) {
			w.counts("fault: " + f.name)
			w.faults++
		}
		return
	}
}

// comesBack starts a process on a machine, sooner or later.
func (m *machine) comesBack(d *draw) {
	most := 2 * time.Second
	if d.one(3) {
		most = 4 * leaseMillis * time.Millisecond
	}
	m.again = time.Now().Add(d.duration(most))
	m.logf("%s comes back at %v", m.what, m.again.Sub(m.begun))
}

func killed(m *machine, d *draw) bool {
	if m.proc == nil {
		return false
	}
	m.logf("%s is killed", m.what)
	m.kill(false, d)
	m.comesBack(d)
	return true
}

func noPower(m *machine, d *draw) bool {
	if m.proc == nil {
		return false
	}
	m.logf("%s has no power", m.what)
	m.kill(true, d)
	m.comesBack(d)
	return true
}

func restarted(m *machine, d *draw) bool {
	if m.proc == nil {
		return false
	}
	m.logf("%s is restarted", m.what)
	m.end()
	m.comesBack(d)
	return true
}

// drains lets a worker leave, if need be one that somebody starts only for that.
func drains(m *machine, _ *draw) bool {
	if m.proc == nil && !m.left {
		m.start()
	}
	if m.proc == nil {
		return false
	}
	select {
	case <-m.proc.drain:
		return false
	default:
	}
	m.logf("%s drains", m.what)
	close(m.proc.drain)
	return true
}

// standsStill stops a machine for 98 % of the time, for a while.
func standsStill(m *machine, d *draw) bool {
	if m.proc == nil {
		return false
	}
	period, until := time.Second+d.duration(2*time.Second), time.Now().Add(d.duration(30*time.Second))
	m.logf("%s stands still most of every %v", m.what, period)
	m.stutters(period, func() bool { return time.Now().After(until) })
	return true
}

// stutters stops a machine for 98 % of the time until over says so, or until there is
// calm. What a process does meanwhile nobody notices, as nothing leaves the machine.
func (m *machine) stutters(period time.Duration, over func() bool) {
	others := append(append([]*machine{}, m.coordinators...), m.workers...)
	each := func(do func(route)) {
		for _, o := range others {
			if o != m {
				do(route{m.host, o.host})
				do(route{o.host, m.host})
			}
		}
	}
	each(m.net.block)
	still := period * 98 / 100
	m.later(still, func() {
		m.frozen.Add(int64(still))
		each(m.net.open)
		if over() || m.calm {
			return
		}
		m.later(period-still, func() { m.stutters(period, over) })
	})
}

func diskFull(m *machine, d *draw) bool {
	m.logf("%s: disk full", m.what)
	files := m.disk
	files.full.Store(true)
	m.parked = true
	m.later(d.duration(10*time.Second), func() { files.full.Store(false) })
	return true
}

// diskLost ends a machine and replaces it by one with an empty disk.
func diskLost(m *machine, d *draw) bool {
	m.logf("%s: disk lost", m.what)
	m.kill(true, d)
	m.disk = newDisk()
	m.spoil("lost")
	m.comesBack(d)
	return true
}

// spoil notes that a machine has lost durable data.
func (m *machine) spoil(how string) {
	m.disk.wrong = how
	m.mu.Lock()
	defer m.mu.Unlock()
	m.spoiled++
}

func diskOfBefore(m *machine, d *draw) bool {
	if m.disk.once == nil {
		return false
	}
	m.logf("%s: disk of before", m.what)
	m.kill(true, d)
	m.disk.files, m.disk.once = m.disk.once, nil
	if m.disk.damaged {
		m.spoil("damaged")
	} else {
		m.spoil("of before")
	}
	m.comesBack(d)
	return true
}

// journalOfBefore restores a backup of a coordinator whose run is kept nowhere else. If
// the backup lacks the run, its identity is gone, and workers refuse another run of its
// name.
func journalOfBefore(m *machine, d *draw) bool {
	return m.cloud == nil && m.disk.begun && diskOfBefore(m, d)
}

func diskDamaged(m *machine, d *draw) bool {
	if m.proc == nil {
		return false
	}
	m.kill(d.one(2), d)
	m.comesBack(d)
	name, err := m.disk.damage(d)
	if err != nil {
		m.fail("damage %s: %v", m.what, err)
	}
	m.parked = true // Pebble, when it finds out
	m.logf("%s: %s damaged", m.what, name)
	m.spoil("damaged")
	return name != ""
}

// second adds a coordinator that takes the run over, as if the first were believed dead.
func second(w *world, d *draw) bool {
	if len(w.coordinators) == 3 {
		return false
	}
	c := w.coordinate()
	for _, m := range w.workers {
		if m.proc != nil && d.one(2) {
			m.boss = c
			killed(m, d)
		}
	}
	return true
}

func changesSides(m *machine, d *draw) bool {
	c := m.coordinators[d.n(len(m.coordinators))]
	if m.boss == c || m.proc == nil {
		return false
	}
	m.boss = c
	return restarted(m, d)
}

// cut keeps a machine from hearing another and, with both, the other from hearing it.
func cut(both bool) func(*world, *draw) bool {
	return func(w *world, d *draw) bool {
		all := append(append([]*machine{}, w.coordinators...), w.workers...)
		a := all[d.n(len(all))]
		for _, b := range all {
			if b == a || len(all) > 2 && d.one(3) {
				continue
			}
			routes := []route{{a.host, b.host}, {b.host, a.host}}
			if !both {
				routes = routes[:1]
			}
			for _, r := range routes {
				w.logf("nothing gets from %s to %s", r.from, r.to)
				w.net.block(r)
			}
			w.later(d.duration(3*leaseMillis*time.Millisecond), func() {
				for _, r := range routes {
					w.net.open(r)
				}
			})
		}
		return true
	}
}

func slow(w *world, d *draw) bool {
	w.net.delay(d.duration(time.Second))
	w.later(d.duration(10*time.Second), func() { w.net.delay(0) })
	return true
}

func breaks(how breach) func(*world, *draw) bool {
	return func(w *world, d *draw) bool {
		name := w.net.breaks(d.next(), how)
		w.logf("connection %s", name)
		return name != ""
	}
}

func callsGoWrong(w *world, d *draw) bool {
	w.trouble.set(func(t *troubles) { t.calls = 2 + d.n(10) })
	w.later(d.duration(10*time.Second), func() { w.trouble.set(func(t *troubles) { t.calls = 0 }) })
	return true
}

func bucketGoesWrong(w *world, d *draw) bool {
	w.trouble.set(func(t *troubles) { t.bucket = 2 + d.n(10) })
	w.later(d.duration(20*time.Second), func() { w.trouble.set(func(t *troubles) { t.bucket = 0 }) })
	return true
}

func bucketAway(w *world, d *draw) bool {
	w.trouble.set(func(t *troubles) { t.away = true })
	w.later(d.duration(20*time.Second), func() { w.trouble.set(func(t *troubles) { t.away = false }) })
	return true
}

// calms ends all faults, and has a person mend what can be mended.
func (w *world) calms() {
	w.logf("CALM after %d faults", w.faults)
	w.calm, w.mended = true, time.Now()
	w.endFaults(true)
	counts := w.coordinators[len(w.coordinators)-1]
	for _, c := range w.coordinators {
		if c != counts {
			w.logf("%s is taken away", c.what)
			c.end()
			c.again = time.Time{}
		}
	}
	for _, m := range w.workers {
		if m.boss != counts {
			m.boss = counts
			m.end()
		}
	}
	w.mend()
	for _, m := range append([]*machine{counts}, w.workers...) {
		if m.proc == nil {
			m.left = false
			m.start()
		}
	}
}

// mend replaces damaged disks by empty ones, if there is a bucket: nothing else helps
// them.
func (w *world) mend() {
	if w.cloud == nil {
		return
	}
	for _, m := range append(append([]*machine{}, w.coordinators...), w.workers...) {
		if m.disk.wrong == "damaged" {
			w.logf("%s gets another disk", m.what)
			m.kill(false, w.dice.of("mend", m.what))
			m.disk = newDisk()
			m.spoil("replaced")
		}
	}
}

// states describes what the machines are doing, for a failure.
func (w *world) states() string {
	text := ""
	for _, m := range append(append([]*machine{}, w.coordinators...), w.workers...) {
		is := "is not there"
		if m.proc != nil {
			is = "is there"
		}
		text += fmt.Sprintf("%s %s; ", m.what, is)
	}
	return text
}
