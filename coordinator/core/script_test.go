package core

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/everystate/everystate/coordinator/history"
)

var update = flag.Bool("update", false, "rewrite the scripts in testdata with what the core does now")

// The scripts in testdata are pieces of the form
//
//	# why
//	command
//	command
//	----
//	effects
//
// with an empty line behind each. A command is a word, then workers, then
// name=value pairs. An epoch that is not given is that of the attempt under way.
//
//	new partitions=4 [reversible] [placed] [table] [alone=N] [spread=N] [ahead=N] [edges] [limits]   a run of which nothing is committed
//	restart [reversible] [placed] [edges] [limits]            the same run, of which all that was committed is known
//	join 1 2 [weight=N] [lanes=N] [straight] [alone] [ahead] [table=BYTES] [leaving] [lacking], lost 1    workers come and go
//	restarted 1 [lanes=N] [straight] [alone] [ahead], leaving 1, lacking 1
//	needs 1 2                                         may they go?
//	held 1 [epoch=E], fetched 1 [forward=N] [goal=N] [number=N]
//	durable [forward=N] [goal=N] [stuck]
//	rewound forward=N [session=E]                     N layers are left
//	began 1 2 [epoch=E]
//	expanded 1 2 generated=10 [epoch=E]
//	written 1 states=3,0 [goals=1,0] [parts=0,1] [bytes=7] [epoch=E]
//	made 1 layers=3,0/0,2/0,0 [goals=1] [epoch=E]     states of each layer by partition; goals of each layer
//	failed 1 err=full [epoch=E]
//	interrupted 1 [known=E] [epoch=E], missing 1, retried
//	committed [nanos=N]
//	ask [max-depth=N] [max-states=N] [stop-at-goal] [goal-distance] [settle]
//	history
//
// written without parts speaks of the worker's own, with 0 states for those that
// are not listed.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d scripts, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			body, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := runScript(t, string(body))
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			compareLines(t, file, got, string(body))
		})
	}
}

func compareLines(t *testing.T, file, got, want string) {
	t.Helper()
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		if i >= len(g) || i >= len(w) || g[i] != w[i] {
			t.Fatalf("%s:%d: the core does something else (-update rewrites the script)\n%s", file, i+1, got)
		}
	}
}

// runScript returns the script with the effects that its commands have now.
func runScript(t *testing.T, script string) string {
	t.Helper()
	var s scripted
	var out strings.Builder
	for _, piece := range strings.Split(strings.TrimSpace(script), "\n\n") {
		commands, _, found := strings.Cut(piece, "\n----")
		out.WriteString(commands + "\n")
		if found {
			out.WriteString("----\n")
			for _, line := range strings.Split(commands, "\n") {
				if line != "" && !strings.HasPrefix(line, "#") {
					s.run(t, line, &out)
				}
			}
		}
		out.WriteString("\n")
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// scripted is a core that lines of text are fed to.
type scripted struct {
	core       *Core
	partitions int
}

// command is a line of a script.
type command struct {
	line    string
	name    string
	workers []history.WorkerID
	args    map[string]string
}

func parseCommand(t *testing.T, line string) command {
	t.Helper()
	words := strings.Fields(line)
	c := command{line: line, name: words[0], args: make(map[string]string)}
	for _, word := range words[1:] {
		if n, err := strconv.ParseUint(word, 10, 32); err == nil {
			c.workers = append(c.workers, history.WorkerID(n))
			continue
		}
		name, value, _ := strings.Cut(word, "=")
		c.args[name] = value
	}
	return c
}

func (c command) has(name string) bool {
	_, ok := c.args[name]
	return ok
}

func (c command) ints(t *testing.T, name string) []int64 {
	t.Helper()
	if !c.has(name) {
		return nil
	}
	var list []int64
	for _, text := range strings.Split(c.args[name], ",") {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			t.Fatalf("%s: %v", c.line, err)
		}
		list = append(list, n)
	}
	return list
}

func (c command) integer(t *testing.T, name string, otherwise int64) int64 {
	t.Helper()
	if list := c.ints(t, name); len(list) > 0 {
		return list[0]
	}
	return otherwise
}

func (c command) want(t *testing.T) history.Want {
	t.Helper()
	var maxDepth *int
	if d := c.integer(t, "max-depth", -1); d >= 0 {
		maxDepth = new(int(d))
	}
	return history.Want{
		MaxDepth:     maxDepth,
		MaxStates:    c.integer(t, "max-states", 0),
		StopAtGoal:   c.has("stop-at-goal"),
		GoalDistance: c.has("goal-distance"),
		Settle:       c.has("settle"),
	}
}

func (c command) options() Options {
	opts := Options{Reversible: c.has("reversible"), Placed: c.has("placed"), Edges: c.has("edges"), Spread: -1}
	opts.Ahead = -1
	if c.has("ahead") {
		opts.Ahead, _ = strconv.ParseInt(c.args["ahead"], 10, 64)
	}
	if c.has("spread") {
		opts.Spread, _ = strconv.ParseInt(c.args["spread"], 10, 64)
	}
	if c.has("alone") {
		opts.Alone, _ = strconv.ParseInt(c.args["alone"], 10, 64)
	}
	return opts
}

func (c command) able(t *testing.T) Able {
	t.Helper()
	return Able{
		Lanes: int(c.integer(t, "lanes", 0)), Straight: c.has("straight"), Alone: c.has("alone"), Ahead: c.has("ahead"),
		TableBytes: c.integer(t, "table", 0),
	}
}

func (c command) spec(partitions int) history.Spec {
	spec := history.Spec{Partitions: partitions}
	if c.has("table") {
		spec.Store = history.Table
	}
	return spec
}

func (s *scripted) run(t *testing.T, line string, out *strings.Builder) {
	t.Helper()
	c := parseCommand(t, line)
	switch c.name {
	case "new":
		s.partitions = int(c.integer(t, "partitions", 4))
		var past history.History
		history.SetDivided(&past, c.has("divided"))
		s.core = New(c.spec(s.partitions), c.options(), past, c.want(t))
	case "restart":
		s.core = New(c.spec(s.partitions), c.options(), *s.core.History(), c.want(t))
	case "history":
		writeHistory(out, s.core.History())
	case "committed":
		s.step(out, Committed{Nanos: c.integer(t, "nanos", 0)})
	case "durable":
		s.step(out, Durable{Forward: int(c.integer(t, "forward", 0)), Goal: int(c.integer(t, "goal", 0)), Stuck: c.has("stuck")})
	case "rewound":
		s.step(out, s.rewound(t, c))
	case "needs":
		s.needs(c, out)
	case "retried":
		s.step(out, Retried{})
	case "ask":
		s.step(out, Asked{Want: c.want(t)})
	default:
		if len(c.workers) == 0 {
			t.Fatalf("%s: which worker?", line)
		}
		for _, w := range c.workers {
			s.step(out, s.eventOf(t, c, w))
		}
	}
}

func (s *scripted) eventOf(t *testing.T, c command, w history.WorkerID) Event {
	t.Helper()
	epoch := s.epoch(t, c)
	switch c.name {
	case "join":
		return Joined{Worker: w, Weight: uint32(c.integer(t, "weight", 0)), Able: c.able(t), Leaving: c.has("leaving"), Lacking: c.has("lacking")}
	case "fetched":
		return Fetched{Worker: w, Number: uint32(c.integer(t, "number", int64(s.core.ahead.number))), Forward: int(c.integer(t, "forward", 0)), Goal: int(c.integer(t, "goal", 0))}
	case "restarted":
		return Restarted{Worker: w, Able: c.able(t)}
	case "leaving":
		return Leaving{Worker: w}
	case "lacking":
		return Lacking{Worker: w}
	case "held":
		return Held{Worker: w, Epoch: epoch}
	case "lost":
		return Lost{Worker: w}
	case "began":
		return Began{Worker: w, Epoch: epoch}
	case "expanded":
		return Expanded{Worker: w, Epoch: epoch, Generated: c.integer(t, "generated", 0)}
	case "written":
		return Written{
			Expanded: Expanded{Worker: w, Epoch: epoch, Generated: c.integer(t, "generated", 0)},
			Parts:    s.partsOf(t, c, w), Bytes: c.integer(t, "bytes", 0),
		}
	case "made":
		return MadeAlone{Worker: w, Epoch: epoch, Layers: madeOf(t, c)}
	case "failed":
		return Failed{Worker: w, Epoch: epoch, Err: errors.New(c.args["err"])}
	case "missing":
		return Failed{Worker: w, Epoch: epoch, Kind: EdgesMissing, Err: errors.New("no edges")}
	case "lost-layer":
		phase := history.Forward
		if c.has("goal") {
			phase = history.Goal
		}
		return Failed{Worker: w, Epoch: epoch, Kind: Missing, Phase: phase, Depth: uint32(c.integer(t, "depth", 0)), Err: errors.New("nobody has it")}
	case "interrupted":
		return Failed{Worker: w, Epoch: epoch, Known: uint32(c.integer(t, "known", 0)), Kind: Interrupted, Err: errors.New("stream broke")}
	}
	t.Fatalf("%s: no such command", c.line)
	return nil
}

// epoch returns the epoch of a command.
func (s *scripted) epoch(t *testing.T, c command) uint32 {
	t.Helper()
	return uint32(c.integer(t, "epoch", int64(s.core.attempt.Epoch)))
}

// rewound returns what is left of the history: so many layers, and no end.
func (s *scripted) rewound(t *testing.T, c command) Event {
	t.Helper()
	old := s.core.History()
	var h history.History
	if place := old.Placement(); place != nil {
		h.AddPlacement(*place)
	}
	for _, l := range old.Layers(history.Forward)[:c.integer(t, "forward", 0)] {
		h.AddLayer(l)
	}
	if first := c.integer(t, "session", 0); first > 0 {
		h.AddSession(uint32(first))
	}
	return Rewound{h}
}

// needs tells which of the workers are needed.
func (s *scripted) needs(c command, out *strings.Builder) {
	for _, w := range c.workers {
		what := "may go"
		if s.core.Needs(w) {
			what = "is needed"
		}
		fmt.Fprintf(out, "%d %s\n", w, what)
	}
}

func (s *scripted) partsOf(t *testing.T, c command, w history.WorkerID) []Part {
	t.Helper()
	numbers := c.ints(t, "parts")
	if numbers == nil {
		for i, m := range s.core.members {
			if m == w {
				for _, p := range s.core.share(i) {
					numbers = append(numbers, int64(p))
				}
			}
		}
	}
	parts := make([]Part, len(numbers))
	states, goals := c.ints(t, "states"), c.ints(t, "goals")
	for i, n := range numbers {
		parts[i].Part = uint32(n)
		if i < len(states) {
			parts[i].States = states[i]
		}
		if i < len(goals) {
			parts[i].Goals = goals[i]
		}
	}
	return parts
}

// madeOf returns the layers that a worker has made alone.
func madeOf(t *testing.T, c command) (made []Made) {
	t.Helper()
	goals := c.ints(t, "goals")
	for i, states := range strings.Split(c.args["layers"], "/") {
		var m Made
		for p, n := range (command{args: map[string]string{"layer": states}}).ints(t, "layer") {
			if n == 0 {
				continue
			}
			part := Part{Part: uint32(p), States: n}
			if len(m.Parts) == 0 && i < len(goals) {
				part.Goals = goals[i]
			}
			m.Parts = append(m.Parts, part)
		}
		made = append(made, m)
	}
	return made
}

func (s *scripted) step(out *strings.Builder, ev Event) {
	before := s.core.describe()
	effects, err := s.core.Step(ev)
	if err != nil {
		fmt.Fprintf(out, "error: %v\n", err)
		if after := s.core.describe(); after != before {
			fmt.Fprintf(out, "AND THE CORE HAS CHANGED\n%s\n%s\n", before, after)
		}
	}
	for _, e := range effects {
		fmt.Fprintln(out, describeEffect(e))
	}
}

// describe tells all that a core knows, so that two of them can be compared.
func (c *Core) describe() string { return fmt.Sprintf("%+v", *c) }

func workerNames(all []history.WorkerID) []string {
	names := make([]string, len(all))
	for i, w := range all {
		names[i] = workerName(w)
	}
	return names
}

func describeEffect(e Effect) string {
	switch e := e.(type) {
	case Hold:
		text := fmt.Sprintf("hold %d: epoch %d, partitions %v from %v", e.Worker, e.Epoch, e.Parts, workerNames(e.From))
		if n := len(e.Layers); n > 0 {
			text += fmt.Sprintf(", with %d layers from %d on", n, e.Layers[0].Depth)
		}
		if e.Whole {
			text += ", all that it keeps"
		}
		if e.First != nil {
			text += ", first what is read for " + describeAttempt(*e.First)
		}
		return text
	case Ahead:
		if e.Number == 0 {
			return fmt.Sprintf("nothing ahead for %d", e.Worker)
		}
		return fmt.Sprintf("ahead %d: number %d, partitions %v from %v", e.Worker, e.Number, e.Parts, workerNames(e.From))
	case Renew:
		return fmt.Sprintf("renew: worker %d knows of epoch %d", e.Worker, e.Known)
	case CommitPlacement:
		return fmt.Sprintf("commit homes %v", e.Homes)
	case Rewind:
		if e.Lacking {
			return fmt.Sprintf("rewind to %v layer %d", e.Phase, e.Depth)
		}
		return "rewind"
	case Wait:
		switch {
		case e.Lag:
			return "wait for the copy, which lags behind"
		case e.Backup:
			return "wait for the copy to be complete"
		case len(e.For) == 0:
			return "wait for anybody"
		}
		return fmt.Sprintf("wait for %v", e.For)
	case Retry:
		return fmt.Sprintf("retry after %d ticks: worker %d: %v", e.After, e.Worker, e.Err)
	case Begin:
		text := fmt.Sprintf("begin %d: %s, partitions %v", e.Worker, describeAttempt(e.Attempt), e.Parts)
		if e.Lacking {
			text += ", lacking others"
		}
		return text
	case Expand:
		return fmt.Sprintf("expand %d: epoch %d", e.Worker, e.Epoch)
	case Write:
		return fmt.Sprintf("write %d: epoch %d", e.Worker, e.Epoch)
	case End:
		outcome := "given up"
		if e.Committed {
			outcome = "committed"
		}
		return fmt.Sprintf("end %d: epoch %d, %s", e.Worker, e.Attempt.Epoch, outcome)
	case CommitLayer:
		return "commit " + describeLayer(e.Layer)
	case CommitLayers:
		var all []string
		for _, l := range e.Layers {
			all = append(all, "commit "+describeLayer(l))
		}
		return strings.Join(all, "\n")
	case CommitEnd:
		return "commit " + describeEnd(e.End)
	case Stop:
		text := "stop: " + map[history.Reason]string{
			history.Exhausted:     "exhausted",
			history.DepthReached:  "depth reached",
			history.StatesReached: "states reached",
			history.GoalReached:   "goal reached",
			history.CannotGoOn:    "cannot go on",
		}[e.Reason]
		if e.Err != nil {
			text += ": " + e.Err.Error()
		}
		return text
	}
	return fmt.Sprintf("unknown effect %T", e)
}

// workerName is how a script writes a WorkerID.
func workerName(w history.WorkerID) string {
	if w == history.NoWorker {
		return "-"
	}
	return strconv.FormatUint(uint64(w), 10)
}

func describeAttempt(a Attempt) string {
	source := map[Source]string{FromStarts: "starts", FromGoals: "goals of", FromSuccessors: "successors of",
		FromPredecessors: "predecessors of", FromMoves: "moves of"}[a.Source]
	text := fmt.Sprintf("epoch %d, %v layer %d from %s%s", a.Epoch, a.Phase, a.Depth, source, describeSpans(a.Expand))
	if len(a.Exclude) > 0 {
		text += " without" + describeSpans(a.Exclude)
	}
	if len(a.Within) > 0 {
		text += " within" + describeSpans(a.Within)
	}
	if a.Straight {
		text += ", straight"
	}
	if a.Alone != nil {
		text += fmt.Sprintf(", alone, with %d layers behind it, up to %d states", len(a.Alone.Behind), a.Alone.States)
	}
	if a.Edges > 0 {
		text += fmt.Sprintf(", by the moves of epoch %d", a.Edges)
	}
	return text
}

func describeSpans(spans []history.Span) string {
	var text strings.Builder
	for _, s := range spans {
		for depth := s.First; depth < s.End; depth++ {
			fmt.Fprintf(&text, " %c%d", s.Phase.String()[0], depth)
		}
	}
	return text.String()
}

func describeLayer(l history.Layer) string {
	s := fmt.Sprintf("%v layer %d: epoch %d, %d states %v, %d generated, %d goals, %d bytes",
		l.Phase, l.Depth, l.Epoch, l.States, l.PartStates, l.Generated, l.Goals, l.Bytes)
	if l.KeptFrom > 0 {
		s += fmt.Sprintf(", kept from layer %d", l.KeptFrom)
	}
	return s
}

func describeEnd(e history.PhaseEnd) string {
	return fmt.Sprintf("end of %v: %d layers, %d generated", e.Phase, e.Layers, e.Generated)
}

func writeHistory(out *strings.Builder, h *history.History) {
	for _, p := range []history.Phase{history.Forward, history.Goal} {
		for _, l := range h.Layers(p) {
			fmt.Fprintf(out, "%s, %d ns\n", describeLayer(l), l.Nanos)
		}
		if end := h.End(p); end != nil {
			fmt.Fprintf(out, "%s, %d ns\n", describeEnd(*end), end.Nanos)
		}
		fmt.Fprintf(out, "%v: %d states, %d generated, %d ns\n", p, h.States(p), h.Generated(p), h.Nanos(p))
	}
	fmt.Fprintf(out, "%d goals, the first at depth %d\n", h.Goals(), h.FirstGoal())
}
