package display

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/engine"
)

func progress() engine.Progress {
	return engine.Progress{
		Phase: history.Forward, Depth: 3, Layers: []int64{1, 4, 16}, States: 5_000_000,
		Frontier: 1000, Expanded: 250, Generated: 12_000_000, Elapsed: 2 * time.Second,
		MemoryBytes: 64 << 20, DiskBytes: 3 << 20,
	}
}

func TestExploration(t *testing.T) {
	t.Parallel()
	view := &Exploration{Name: "Jam 93", Run: "runs/jam 93", StatesBefore: 1_000_000, Progress: progress}
	want := []string{
		"Jam 93: depth 3, 2.0 s",
		"states    5,000,000, 2,000,000 per second",
		"frontier  ██████░░░░░░░░░░░░░░░░░░  25% of 1,000",
		"memory    64.0 MiB, 3.0 MiB on disk",
		"layers    ▁▃█",
	}
	if got := view.Frame(80); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, c := range []struct {
		change func(e *Exploration, p *engine.Progress)
		width  int
		want   string
	}{
		{func(e *Exploration, _ *engine.Progress) { e.Promised = 20_000_000 }, 80, "5,000,000 of 20,000,000 (25%), 2,000,000 per second"},
		{func(e *Exploration, _ *engine.Progress) { e.Promised = 20_000_000 }, 40, "5,000,000, 2,000,000/s"},
		{func(e *Exploration, _ *engine.Progress) { e.Promised = -1 }, 40, "5,000,000, 2,000,000/s"},
		{func(*Exploration, *engine.Progress) {}, 25, "5,000,000"},
		{func(e *Exploration, p *engine.Progress) {
			e.Promised, p.Phase, p.Forward = 20_000_000, history.Goal, []int64{1, 6_000_000}
		}, 60, "5,000,000 of at most 6,000,001, 0 per second"},
	} {
		p := progress()
		e := &Exploration{Name: "Jam 93", StatesBefore: 1_000_000, Progress: func() engine.Progress { return p }}
		c.change(e, &p)
		if got := strings.TrimPrefix(e.Frame(c.width)[1], "states    "); got != c.want {
			t.Errorf("%d characters: %s, not %s", c.width, got, c.want)
		}
	}
	likely := &Exploration{Progress: progress, MaxStates: 50_000_000}
	likely.Likely.Store(19_987_654)
	if got, want := likely.Frame(80)[1], "5,000,000 of about 20,000,000 (25%)"; !strings.Contains(got, want) {
		t.Errorf("%s, without %s", got, want)
	}
	if got, want := likely.Line(), "about_states=19987654"; !strings.Contains(got, want) {
		t.Errorf("%s, without %s", got, want)
	}
	likely.Likely.Store(4_000_000) // too low, as there are more already
	if got, want := likely.Frame(80)[1], "5,000,000 of at most 50,000,000 (10%)"; !strings.Contains(got, want) {
		t.Errorf("%s, without %s", got, want)
	}
	promising := &Exploration{Promised: 20_000_000, Progress: progress}
	if got, want := promising.Line(), "states=5000000 of_states=20000000 states_per_second"; !strings.Contains(got, want) {
		t.Errorf("%s, without %s", got, want)
	}
	for _, line := range view.Frame(20) {
		if len([]rune(line)) > 19 {
			t.Errorf("%q does not fit 20 characters", line)
		}
	}
	line := "progress phase=forward depth=3 states=5000000 states_per_second=2000000 frontier=1000 expanded=250 " +
		`generated=12000000 memory_bytes=67108864 disk_bytes=3145728 seconds=2.0 run="runs/jam 93"`
	if got := view.Line(); got != line {
		t.Errorf("got\n%s\nwant\n%s", got, line)
	}
}

func TestExplorationInBucket(t *testing.T) {
	t.Parallel()
	p := progress()
	view := &Exploration{Name: "Jam 93", Run: "r", Progress: func() engine.Progress { return p }}
	for _, test := range []struct {
		bucket engine.BucketProgress
		want   string
	}{
		{engine.BucketProgress{}, "bucket    up to date"},
		{engine.BucketProgress{Layers: 2, Bytes: 3 << 20}, "bucket    2 layers behind, 3.0 MiB"},
		{engine.BucketProgress{Layers: 1, Bytes: 1 << 20, Waiting: true}, "bucket    waiting for the bucket: 1 layer behind, 1.0 MiB"},
		{engine.BucketProgress{Layers: 1, Trouble: "SlowDown (503)"}, "bucket    waiting for the bucket: SlowDown (503)"},
	} {
		p.Bucket = &test.bucket
		if got := view.Frame(80); got[len(got)-1] != test.want {
			t.Errorf("got %q, want %q", got[len(got)-1], test.want)
		}
	}
	p = engine.Progress{ToFetch: 10, Fetched: 4}
	if got, want := view.Line(), `progress phase=fetch states=4 of=10 run="r"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestSpeed(t *testing.T) {
	t.Parallel()
	var s speedometer
	at := func(phase history.Phase, seconds int, states int64) engine.Progress {
		return engine.Progress{Phase: phase, Elapsed: time.Duration(seconds) * time.Second, States: states}
	}
	for i, test := range []struct {
		p    engine.Progress
		want float64
	}{
		{at(history.Forward, 2, 300), 100}, // 100 were there before
		{at(history.Forward, 4, 1100), 250},
		{at(history.Forward, 6, 2100), 450}, // since second 2: older samples have left the window
		{at(history.Goal, 7, 500), 0},
		{at(history.Goal, 8, 800), 300},
	} {
		if got := s.rate(test.p, 100); got != test.want {
			t.Errorf("step %d: got %v, want %v", i, got, test.want)
		}
	}
}

// TestSweeping shows a sweep whose states are known before, and one where they are not.
func TestSweeping(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		view := &Sweeping{Units: 8, States: 1000, Started: time.Now(), Before: 100, Progress: func() SweepProgress {
			return SweepProgress{Units: 4, States: 500, Puzzles: 3, Greatest: 7}
		}}
		time.Sleep(4 * time.Second) //nolint:forbidigo // The clock of synctest.
		if got := strings.Join(view.Frame(80), "\n"); !strings.Contains(got, "500 of 1,000") || !strings.Contains(got, "100 states per second, about 5.0 s left") {
			t.Errorf("got\n%s", got)
		}
		view.States = 0
		if got := strings.Join(view.Frame(80), "\n"); strings.Contains(got, "500 of") || strings.Contains(got, "left") || !strings.Contains(got, "100 states per second") {
			t.Errorf("got\n%s", got)
		}
	})
}

// TestTerminal shows when frames are drawn and that nothing of them stays.
func TestTerminal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		d := Terminal(&out, func() int { return 80 }, &Verification{Run: "r", States: 10})
		time.Sleep(terminalFirst - 1) //nolint:forbidigo // The clock of synctest.
		synctest.Wait()
		if out.Len() > 0 {
			t.Errorf("drawn too early: %q", out.String())
		}
		time.Sleep(terminalInterval + 2) //nolint:forbidigo // The clock of synctest.
		synctest.Wait()
		d.Stop()
		frame := "verifying r\nstates    ░░░░░░░░░░░░░░░░░░░░░░░░   0% of 10\n"
		erase := "\x1b[2A\r\x1b[J"
		if got := out.String(); got != frame+erase+frame+erase {
			t.Errorf("got %q", got)
		}
	})
}

// TestNarrower narrows the terminal between two frames: what it wraps is erased, too.
func TestNarrower(t *testing.T) {
	t.Parallel()
	lines := []string{"\x1b[1m0123456789\x1b[0m", "", "0123"}
	for width, want := range map[int]int{80: 3, 10: 3, 9: 4, 4: 5, 3: 7} {
		if got := rows(lines, width); got != want {
			t.Errorf("%d characters: %d rows, not %d", width, got, want)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		width := 60
		d := Terminal(&out, func() int { return width }, &Steps{Phase: "report", Title: strings.Repeat("x", 50)})
		time.Sleep(terminalFirst + 1) //nolint:forbidigo // The clock of synctest.
		synctest.Wait()
		width = 30
		d.Stop()
		if !strings.HasSuffix(out.String(), "\x1b[4A\r\x1b[J") { // two lines of 50 and 39, each on two rows
			t.Errorf("got %q", out.String())
		}
	})
}

// TestSteps has the same for people and for programs.
func TestSteps(t *testing.T) {
	t.Parallel()
	v := &Steps{Phase: "report", Title: "reporting on r", Run: "r"}
	v.At("the state graph", 0.259)
	if got, want := strings.Join(v.Frame(40), "\n"), "reporting on r\ndone      ██████░░░░░░░░░░░░░░░░░░  25%\nnow       the state graph"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got, want := v.Line(), `progress phase=report percent=25 doing="the state graph" run="r"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		view := &Verification{Run: "r", States: 10, Doing: Exporting}
		view.Done.Store(4)
		d := Lines(&out, view)
		time.Sleep(linesFirst + linesInterval + 1) //nolint:forbidigo // The clock of synctest.
		synctest.Wait()
		d.Stop()
		if got, want := out.String(), strings.Repeat("progress phase=export states=4 of=10 run=\"r\"\n", 2); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func TestNone(t *testing.T) {
	t.Parallel()
	None().Stop()
}
