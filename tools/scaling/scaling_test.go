package main

import (
	"bytes"
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
)

var update = flag.Bool("update", false, "rewrite testdata and the tables of docs/lab/SCALING.md")

const (
	golden = "testdata/tables.txt"
	page   = "../../docs/lab/SCALING.md"
)

func read(t *testing.T, name string) string {
	t.Helper()
	body, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(body), "\r", "")
}

// usualText is what the program prints without flags.
var usualText = sync.OnceValue(func() string {
	o, err := parse(nil, &bytes.Buffer{})
	if err != nil {
		return err.Error()
	}
	return o.text()
})

func usualOptions(t *testing.T, args ...string) options {
	t.Helper()
	o, err := parse(args, &bytes.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestTables pins all that the model says without flags. It may rewrite the page,
// so that it runs before the tests that are parallel.
func TestTables(t *testing.T) {
	got := usualText()
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		tables := strings.Split(strings.TrimSuffix(got, "\n"), "\n\n")
		if err := os.WriteFile(page, []byte(withTables(t, read(t, page), tables)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want := read(t, golden); got != want {
		t.Errorf("the tables have changed (-update rewrites them)\n got\n%s\nwant\n%s", got, want)
	}
}

const (
	opening = "```text\n"
	closing = "```\n"
)

// TestPage compares the blocks of docs/lab/SCALING.md with the tables: each is there
// once, and there are no others.
func TestPage(t *testing.T) {
	t.Parallel()
	tables := strings.Split(strings.TrimSuffix(usualText(), "\n"), "\n\n")
	text := read(t, page)
	if want := withTables(t, text, tables); text != want {
		t.Error("docs/lab/SCALING.md has tables that the program does not print (go test ./tools/scaling -update)")
	}
	if n := strings.Count(text, opening); n != len(tables) {
		t.Errorf("docs/lab/SCALING.md has %d tables, the program %d", n, len(tables))
	}
}

// withTables returns the page with the tables put into the blocks that begin with
// the same word.
func withTables(t *testing.T, text string, tables []string) string {
	t.Helper()
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, opening)
		out.WriteString(before)
		if !found {
			return out.String()
		}
		block, after, found := strings.Cut(rest, closing)
		if !found {
			t.Fatal("a block of docs/lab/SCALING.md has no end")
		}
		title := func(s string) string {
			line, _, _ := strings.Cut(s, "\n")
			name, _, _ := strings.Cut(line, ":")
			return name
		}
		n := 0
		for _, table := range tables {
			if title(table) == title(block) {
				out.WriteString(opening + table + "\n" + closing)
				n++
			}
		}
		if n != 1 {
			t.Fatalf("%d tables for the block %q", n, title(block))
		}
		text = after
	}
}

// TestSpaces holds the layers against what is known of them as a whole.
func TestSpaces(t *testing.T) {
	t.Parallel()
	factorial := func(n int64) int64 {
		f := int64(1)
		for i := int64(2); i <= n; i++ {
			f *= i
		}
		return f
	}
	for _, test := range []struct {
		space         *space
		states        int64
		layers        int
		first, second int64
	}{
		{tiles3x4(), factorial(12) / 2, 54, 1, 2},
		{tiles4x4(), factorial(16) / 2, 81, 1, 2},
		{large8x8(), 10_219_743, 76, 1, 6},
		{deep8x8(), 3_549_037, 160, 1, 8},
		{unitRush(), 36 << 35, 733, 0, 0},
	} {
		if n := test.space.states(); n != test.states || len(test.space.layers) != test.layers {
			t.Errorf("%s: %d states in %d layers, want %d in %d", test.space.name, n, len(test.space.layers), test.states, test.layers)
		}
		if l := test.space.layers; test.first > 0 && (l[0] != test.first || l[1] != test.second) {
			t.Errorf("%s begins with %d, %d", test.space.name, l[0], l[1])
		}
		for d, n := range test.space.layers {
			if n < 1 {
				t.Errorf("%s: %d states at depth %d", test.space.name, n, d)
			}
		}
	}
}

// TestSpread: nothing is lost, and the deviation is that of a hash.
func TestSpread(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int64{0, 1, 63, 64, 1000, 1 << 20, 784_195_801_886} {
		parts := make([]int64, 1024)
		spread(rng, n, parts)
		var sum int64
		var squares float64
		mean := float64(n) / float64(len(parts))
		for _, p := range parts {
			if p < 0 {
				t.Fatalf("%d states spread: a partition has %d", n, p)
			}
			sum += p
			squares += (float64(p) - mean) * (float64(p) - mean)
		}
		if sum != n {
			t.Errorf("%d states spread: %d are left", n, sum)
		}
		if n < 1000 {
			continue
		}
		if ratio := math.Sqrt(squares/1024) / math.Sqrt(mean); ratio < 0.9 || ratio > 1.1 {
			t.Errorf("%d states spread: %.2f times the deviation of a hash", n, ratio)
		}
	}
}

// small is a space whose simulation takes no time.
func small(s *space) *space {
	c := *s
	c.layers = c.layers[:min(40, len(c.layers))]
	return &c
}

func eachCluster(f func(s *space, c cluster)) {
	for _, s := range []*space{tiles3x4(), small(tiles4x4()), large8x8(), deep8x8()} {
		for _, workers := range []int{2, 3, 16, 256} {
			for _, partitions := range []int{64, 512} {
				f(s, cluster{workers: workers, partitions: partitions, machine: usual(), costs: clusterCosts})
			}
		}
	}
}

// TestConserved: what is sent arrives, waits add up, states are all stored.
func TestConserved(t *testing.T) {
	t.Parallel()
	same := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(math.Abs(a)+math.Abs(b))+1e-9 }
	eachCluster(func(s *space, c cluster) {
		r := simulate(s, c)
		var total, stored float64
		for d, l := range r.layers {
			// Senders fill their blocks differently, so that only candidates are equal to
			// the last bit; bytes are as close as blocks are alike.
			if math.Abs(l.wire-l.received) > 0.05*l.wire+1e4 {
				t.Errorf("%s, %d workers, layer %d: %.0f bytes sent, %.0f received", s.name, c.workers, d+1, l.wire, l.received)
			}
			sum := 0.0
			for _, w := range l.waited {
				sum += w
			}
			if !same(sum, l.seconds) {
				t.Errorf("%s, %d workers, layer %d: waits of %g s, and %g s in all", s.name, c.workers, d+1, sum, l.seconds)
			}
			total += l.seconds
			if d+1 < len(s.layers) {
				stored += s.stored(float64(s.layers[d+1]))
			}
		}
		if !same(total, r.seconds) || !same(stored, r.stored) {
			t.Errorf("%s, %d workers: %g s of %g, %g bytes of %g", s.name, c.workers, total, r.seconds, stored, r.stored)
		}
	})
	s := simulation{cluster: cluster{workers: 4, local: 0.25}}
	var out, in float64
	for _, share := range []float64{0.1, 0.2, 0.3, 0.4} {
		o, i := s.exchanged(4, share*1000, (0.5-share)*1000, 1000)
		out, in = out+o, in+i
	}
	if !same(out, in) {
		t.Errorf("%g candidates leave, %g arrive", out, in)
	}
}

// TestLatencyBound: no number of workers makes a layer that several make faster than its
// agreements.
func TestLatencyBound(t *testing.T) {
	t.Parallel()
	eachCluster(func(s *space, c cluster) {
		r := simulate(s, c)
		bound := 0.0
		for _, l := range r.layers {
			bound += c.costs.layer
			if !l.alone {
				bound += agreements*(c.costs.agreement+c.machine.LatencyMS/1e3) + c.costs.member
			}
		}
		if r.seconds < bound {
			t.Errorf("%s, %d workers: %g s, and the agreements alone take %g", s.name, c.workers, r.seconds, bound)
		}
	})
}

// TestOneMoreWorker: a worker more never makes a run slower by more than a fiftieth, and no
// number of them makes it slower by more than that than fewer.
func TestOneMoreWorker(t *testing.T) {
	t.Parallel()
	for _, s := range []*space{tiles3x4(), small(tiles4x4()), large8x8(), deep8x8()} {
		for _, cores := range []int{1, 8} {
			best, last := math.Inf(1), math.Inf(1)
			for _, workers := range []int{1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 32, 33, 64, 128, 255, 256} {
				c := cluster{workers: workers, partitions: 4096, machine: usual(), costs: clusterCosts}
				c.machine.Cores = cores
				seconds := simulate(s, c).seconds
				t.Logf("%s, %d cores, %d workers: %s", s.name, cores, workers, duration(seconds))
				if seconds > last*1.02 || seconds > best*1.02 {
					t.Errorf("%s, %d cores: %g s with %d workers, and %g with fewer", s.name, cores, seconds, workers, best)
				}
				best, last = min(best, seconds), seconds
			}
		}
	}
}

// TestMoreIsNeverSlower: twice of one resource never makes a run slower, but for when a
// worker that makes layers alone comes to the end of its time.
func TestMoreIsNeverSlower(t *testing.T) {
	t.Parallel()
	more := map[string]func(*machine){
		"network":    func(m *machine) { m.NetGbit *= 2 },
		"disk read":  func(m *machine) { m.DiskRead *= 2 },
		"disk write": func(m *machine) { m.DiskWrite *= 2 },
		"bucket":     func(m *machine) { m.BucketMB *= 2 },
		"latency":    func(m *machine) { m.LatencyMS /= 2 },
	}
	eachCluster(func(s *space, c cluster) {
		c.machine.NetGbit, c.machine.DiskRead, c.machine.DiskWrite, c.machine.BucketMB = 1, 100, 100, 20
		r := simulate(s, c)
		for name, do := range more {
			with := c
			do(&with.machine)
			if got := simulate(s, with); got.seconds > r.seconds*1.01 {
				t.Errorf("%s, %d workers: %g s, and with twice the %s %g", s.name, c.workers, r.seconds, name, got.seconds)
			}
		}
	})
}

// TestLinear: with a network and disks without bound, and agreements that cost
// nothing, twice the workers take half the time but for what the exchange costs
// the processors and the spread of the partitions.
func TestLinear(t *testing.T) {
	t.Parallel()
	s := tiles3x4()
	s.rates.pack, s.rates.unpack, s.rates.wire, s.sent = 0, 0, 0, 1
	m := machine{Cores: 1, MemoryGB: 1000}
	alone := simulate(s, cluster{workers: 1, partitions: 1024, machine: m, together: true}).seconds
	for _, workers := range []int{2, 4, 16, 64, 256} {
		r := simulate(s, cluster{workers: workers, partitions: 1024, machine: m, together: true})
		speedup := alone / r.seconds / float64(workers)
		if speedup > 1+1e-9 || speedup < 0.97 {
			t.Errorf("%d workers are %.3f times as fast as so many should be", workers, speedup)
		}
		if uneven := r.waited[onSpread] / r.seconds; math.Abs(1-speedup-uneven) > 1e-6 {
			t.Errorf("%d workers: %.4f is lost, of which %.4f by uneven shares", workers, 1-speedup, uneven)
		}
	}
	// With fewer partitions than lanes some have nothing to do.
	r := simulate(s, cluster{workers: 64, partitions: 32, machine: m, together: true})
	if speedup := alone / r.seconds; speedup > 32 || speedup < 30 {
		t.Errorf("32 partitions keep %.1f of 64 workers busy", speedup)
	}
}

// TestValidation: the model agrees with what was measured about as well as
// docs/lab/SCALING.md says.
func TestValidation(t *testing.T) {
	t.Parallel()
	for _, v := range validation() {
		r := simulate(v.space, v.cluster)
		for _, c := range []struct {
			of                  string
			predicted, measured float64
			low, high           float64
		}{
			{"seconds of processor time", r.cpuSeconds(), v.cpu, 0.75, 1.2},
			{"bytes on disk", r.stored / mB, v.disk, 0.8, 1.05},
			{"bytes on the wire", r.wire / mB, v.wire, 0.95, 1.05},
		} {
			if ratio := c.predicted / c.measured; c.measured > 0 && (ratio < c.low || ratio > c.high) {
				t.Errorf("%s, %s: %g %s predicted, %g measured", v.space.name, v.what, c.predicted, c.of, c.measured)
			}
		}
	}
}

func TestMergedAgain(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		candidates, inbox float64
		partitions        int
		want              float64
	}{
		{100, 100, 4, 0},
		{3100, 100, 1, 0},
		{3200, 100, 1, 3100},          // once, all but the piece of that moment
		{6300, 100, 1, 3100 + 2*3100}, // and again with 31 more
	} {
		if got := mergedAgain(test.candidates, test.inbox, test.partitions); math.Abs(got-test.want) > 1e-6 {
			t.Errorf("%v: got %v", test, got)
		}
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, args := range []string{
		"-workers 0", "-workers 4,x", "-workers 2000", "-space chess", "-partitions 3", "-partitions 8192",
		"-cores 0", "-memory 0", "-network -1", "-local 2", "-nothing", "-latency -1",
	} {
		if _, err := parse(strings.Fields(args), &bytes.Buffer{}); err == nil {
			t.Errorf("%s was accepted", args)
		}
	}
	o := usualOptions(t, "-workers", "2,8", "-space", "deep 8x8", "-layers")
	if got := o.text(); strings.Count(got, "\n") < 2*160 || !strings.Contains(got, "deep 8x8, 8 workers") {
		t.Errorf("layers of two clusters:\n%s", got)
	}
}
