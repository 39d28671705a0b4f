package journal

import (
	"encoding/hex"
	"errors"
	"flag"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/everystate/everystate/coordinator/history"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/puzzle/digest"
	"github.com/everystate/everystate/puzzle/partition"
)

var update = flag.Bool("update", false, "rewrite the files in testdata")

func testSpec() history.Spec {
	return history.Spec{
		Family:     "rush-hour",
		Name:       "Jam 93 · «exit»",
		Metric:     "step",
		Text:       "metric: step\n\nAAB.\n..B.\n",
		Partitions: 4,
	}
}

// testLayers is a run of both phases that was resumed now and then, so that its
// epochs have gaps.
func testLayers() []history.Layer {
	return []history.Layer{
		{Phase: history.Forward, Depth: 0, Epoch: 1, States: 1, Digest: digest.Digest{1, 2}, Bytes: 40, PartStates: []int64{0, 0, 1, 0}, Nanos: 1500},
		{Phase: history.Forward, Depth: 1, Epoch: 2, States: 300, Generated: 317, Goals: 3, Digest: digest.Digest{1 << 63, 4}, Bytes: 900, PartStates: []int64{0, 128, 130, 42}, Nanos: 1 << 40},
		{Phase: history.Forward, Depth: 2, Epoch: 7, States: math.MaxInt64, Generated: math.MaxInt64, Goals: math.MaxInt64, Digest: digest.Digest{math.MaxUint64, math.MaxUint64}, Bytes: math.MaxInt64, PartStates: []int64{math.MaxInt64 - 1, 0, 1, 0}, Nanos: math.MaxInt64},
		{Phase: history.Goal, Depth: 0, Epoch: 9, States: 3, Bytes: 1, PartStates: []int64{3, 0, 0, 0}},
		{Phase: history.Goal, Depth: 1, Epoch: math.MaxUint32, States: 2, Generated: 8, PartStates: []int64{1, 0, 0, 1}},
	}
}

func testEnds() [2]history.PhaseEnd {
	return [2]history.PhaseEnd{
		{Phase: history.Forward, Layers: 3, Generated: 12, Nanos: 77},
		{Phase: history.Goal, Layers: 2, Generated: math.MaxInt64, Nanos: math.MaxInt64},
	}
}

// testJournal returns the entries of the run, and its history after each.
func testJournal(tb testing.TB) (Entries, []history.History) {
	tb.Helper()
	var log Entries
	var h history.History
	var after []history.History
	add := func(entry []byte, ok bool) {
		tb.Helper()
		if !ok {
			tb.Fatalf("entry %d is not next", len(log))
		}
		log = append(log, entry)
		after = append(after, h)
	}
	layers, ends := testLayers(), testEnds()
	add(Spec(testSpec()), true)
	for _, l := range layers[:3] {
		add(Layer(l), h.AddLayer(l))
	}
	add(End(ends[0]), h.AddEnd(ends[0]))
	for _, l := range layers[3:] {
		add(Layer(l), h.AddLayer(l))
	}
	add(End(ends[1]), h.AddEnd(ends[1]))
	return log, after
}

// Reading undoes writing, wherever the journal stops.
func TestRoundTrip(t *testing.T) {
	log, after := testJournal(t)
	for n := 1; n <= len(log); n++ {
		spec, h, err := Read(log[:n])
		if err != nil {
			t.Fatalf("%d entries: %v", n, err)
		}
		if spec != testSpec() {
			t.Errorf("%d entries: spec %+v", n, spec)
		}
		if !reflect.DeepEqual(h, after[n-1]) {
			t.Errorf("%d entries: history %+v, should be %+v", n, h, after[n-1])
		}
		if again := write(spec, &h); !slices.EqualFunc(again, log[:n], slices.Equal) {
			t.Errorf("%d entries: written again they differ", n)
		}
	}
}

func TestEmptyLog(t *testing.T) {
	spec, h, err := Read(Entries{})
	if err != nil || spec != (history.Spec{}) || len(h.Layers(history.Forward)) != 0 {
		t.Errorf("got %+v, %+v, %v", spec, h, err)
	}
}

func TestLogError(t *testing.T) {
	broken := errors.New("broken")
	if _, _, err := Read(failing{broken}); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

type failing struct{ err error }

func (f failing) Journal(func([]byte) error) error { return f.err }

// write returns the journal of a history, as the coordinator would have written
// it.
func write(spec history.Spec, h *history.History) Entries {
	log := Entries{Spec(spec)}
	for _, p := range []history.Phase{history.Forward, history.Goal} {
		for _, l := range h.Layers(p) {
			log = append(log, Layer(l))
		}
		if end := h.End(p); end != nil {
			log = append(log, End(*end))
		}
	}
	return log
}

// checkRead reads a log. Unless that is an error, what it says must be something
// that the core could have made.
func checkRead(tb testing.TB, log Entries) (ok bool) {
	tb.Helper()
	spec, h, err := Read(log)
	if err != nil {
		return false
	}
	if len(log) == 0 {
		return true
	}
	if p := spec.Partitions; p < 1 || p > partition.Max || p&(p-1) != 0 {
		tb.Fatalf("%d partitions", p)
	}
	n, epoch := 1, uint32(0)
	for _, p := range []history.Phase{history.Forward, history.Goal} {
		for d, l := range h.Layers(p) {
			n++
			checkLayer(tb, l, spec.Partitions)
			if l.Phase != p || int(l.Depth) != d || l.Epoch <= epoch {
				tb.Fatalf("%v layer %d: %+v", p, d, l)
			}
			epoch = l.Epoch
		}
		end := h.End(p)
		if end != nil {
			n++
			if end.Phase != p || int(end.Layers) != len(h.Layers(p)) || end.Generated < 0 || end.Nanos < 0 {
				tb.Fatalf("end of %v: %+v", p, end)
			}
		}
		if p == history.Forward && end == nil && (len(h.Layers(history.Goal)) > 0 || h.End(history.Goal) != nil) {
			tb.Fatal("the goal phase begins before the forward phase has ended")
		}
	}
	if want := lasting(tb, log); n != want {
		tb.Fatalf("%d of %d entries count, want %d", n, len(log), want)
	}
	again, back, err := Read(write(spec, &h))
	if err != nil || again != spec || !reflect.DeepEqual(back, h) {
		tb.Fatalf("written and read again it is another: %v", err)
	}
	return true
}

// lasting returns how many entries of a log are not of layers that were made again later,
// and do not follow from them.
func lasting(tb testing.TB, log Entries) int {
	tb.Helper()
	var there []*everystatev1.JournalEntry
	for _, body := range log {
		e := new(everystatev1.JournalEntry)
		if err := proto.Unmarshal(body, e); err != nil {
			tb.Fatal(err)
		}
		again := slices.IndexFunc(there, func(o *everystatev1.JournalEntry) bool {
			return e.GetLayer() != nil && o.GetLayer() != nil && o.GetLayer().GetPhase() == e.GetLayer().GetPhase() && o.GetLayer().GetDepth() == e.GetLayer().GetDepth()
		})
		if again >= 0 {
			there = there[:again]
		}
		there = append(there, e)
	}
	return len(there)
}

func checkLayer(tb testing.TB, l history.Layer, partitions int) {
	tb.Helper()
	var sum int64
	for _, n := range l.PartStates {
		if n < 0 || n > math.MaxInt64-sum {
			tb.Fatalf("partitions of %+v", l)
		}
		sum += n
	}
	if len(l.PartStates) != partitions || sum != l.States || sum < 1 ||
		l.Generated < 0 || l.Goals < 0 || l.Goals > l.States || l.Bytes < 0 || l.Nanos < 0 ||
		l.Depth == 0 && l.Generated != 0 || l.Phase == history.Goal && l.Goals != 0 {
		tb.Fatalf("impossible layer %+v", l)
	}
}

// A layer that is made again replaces the one that was there and whatever was made after
// it, in what is read of a log, in what a bucket still has to get, and among the objects
// that it has to have.
func TestMadeAgain(t *testing.T) {
	log, _ := testJournal(t)
	log = log[:6] // no epoch is greater than that of the last layer
	_, whole, err := Read(log)
	if err != nil {
		t.Fatal(err)
	}
	forward := whole.Layers(history.Forward)
	if len(forward) < 3 || len(whole.Layers(history.Goal)) != 1 {
		t.Fatalf("too few layers: %+v", whole)
	}
	again := forward[1]
	again.Epoch = whole.LastEpoch() + 1
	_, h, err := Read(append(slices.Clone(log), Layer(again)))
	if err != nil {
		t.Fatal(err)
	}
	var want history.History
	want.AddLayer(forward[0])
	want.AddLayer(again)
	if !reflect.DeepEqual(write(testSpec(), &h), write(testSpec(), &want)) || h.States(history.Forward) != want.States(history.Forward) ||
		h.States(history.Goal) != 0 || h.FirstGoal() != want.FirstGoal() || h.Has(forward[1]) || !h.Has(again) {
		t.Errorf("%+v, want %+v", h, want)
	}

	var c Copy
	if err := c.Follow(append(slices.Clone(log), Layer(again)), testSpec().Partitions, len(log), history.Identity{}, "alone", time.Time{}); err != nil {
		t.Fatal(err)
	}
	if c.Layers(history.Forward) != 1 || c.Layers(history.Goal) != 0 || len(c.Pending()) != 1 {
		t.Errorf("the log is taken to have %d and %d layers, and to lack %d", c.Layers(history.Forward), c.Layers(history.Goal), len(c.Pending()))
	}
	c.Appended()
	if c.Layers(history.Forward) != 2 || len(c.Pending()) != 0 {
		t.Errorf("afterwards %d", c.Layers(history.Forward))
	}

	object := func(name string, p history.Phase, depth, epoch uint32) LayerObject {
		return LayerObject{Object: Object{Name: name}, Phase: p, Depth: depth, Epoch: epoch}
	}
	objects := []LayerObject{
		object("a", history.Forward, 0, 1), object("b", history.Forward, 1, 2), object("c", history.Forward, 1, 2),
		object("d", history.Forward, 2, 3), object("e", history.Goal, 0, 4), object("f", history.Forward, 1, 5), object("g", history.Forward, 1, 5),
	}
	names := func(named ...uint32) (names string) {
		for _, o := range Current(objects, history.DepthsOf(named)) {
			names += o.Name
		}
		return names
	}
	if names() != "afg" {
		t.Errorf("objects %s are to be there", names())
	}
	for i := range objects {
		objects[i].drops = objects[i].Depth // as in a graded space
	}
	if names() != "fg" || names(0, 7) != "afg" {
		t.Errorf("of a run that drops layers, objects %s and %s are to be there", names(), names(0, 7))
	}
}

// A truncated or flipped entry is an error or another possible run. Which of the
// two it is, is the affair of the checksum around it.
func TestDamagedEntries(t *testing.T) {
	log, _ := testJournal(t)
	refused, accepted := 0, 0
	try := func(log Entries) {
		if checkRead(t, log) {
			accepted++
		} else {
			refused++
		}
	}
	for i, entry := range log {
		damaged := slices.Clone(log)
		for n := range entry {
			damaged[i] = entry[:n]
			try(damaged)
			try(damaged[:i+1])
		}
		for bit := range len(entry) * 8 {
			damaged[i] = slices.Clone(entry)
			damaged[i][bit/8] ^= 1 << (bit % 8)
			try(damaged)
			try(damaged[:i+1])
		}
	}
	t.Logf("%d refused, %d possible", refused, accepted)
}

// Any order but the right one is refused.
func TestOrder(t *testing.T) {
	log, _ := testJournal(t)
	for i := range log {
		for j := range i {
			swapped := slices.Clone(log)
			swapped[i], swapped[j] = swapped[j], swapped[i]
			if checkRead(t, swapped) {
				t.Errorf("entries %d and %d swapped: no error", i, j)
			}
		}
		if checkRead(t, slices.Insert(slices.Clone(log), i, log[i])) {
			t.Errorf("entry %d twice: no error", i)
		}
		if i < len(log)-1 && checkRead(t, slices.Delete(slices.Clone(log), i, i+1)) {
			t.Errorf("without entry %d: no error", i)
		}
	}
}

func TestRefused(t *testing.T) {
	layer := func(change func(r *everystatev1.LayerRecord)) Entries {
		r := &everystatev1.LayerRecord{
			Phase: everystatev1.Phase_PHASE_FORWARD, Depth: 1, Epoch: 2, States: 5, Generated: 9, GoalStates: 1,
			Digest: make([]byte, digest.Size), PartitionStates: []uint64{1, 1, 3, 0},
		}
		change(r)
		return Entries{Spec(testSpec()), Layer(testLayers()[0]), marshal(&everystatev1.JournalEntry{Entry: &everystatev1.JournalEntry_Layer{Layer: r}})}
	}
	end := func(change func(e *everystatev1.PhaseEnd)) Entries {
		e := &everystatev1.PhaseEnd{Phase: everystatev1.Phase_PHASE_FORWARD, Layers: 1, Generated: 4}
		change(e)
		return Entries{Spec(testSpec()), Layer(testLayers()[0]), marshal(&everystatev1.JournalEntry{Entry: &everystatev1.JournalEntry_PhaseEnd{PhaseEnd: e}})}
	}
	spec := func(change func(s *everystatev1.RunSpec)) Entries {
		s := &everystatev1.RunSpec{Family: "f", Metric: "m", Text: "t", Partitions: 4, FormatVersion: FormatVersion}
		change(s)
		return Entries{marshal(&everystatev1.JournalEntry{Entry: &everystatev1.JournalEntry_Spec{Spec: s}})}
	}
	const misfit = "journal entry 2: forward layer 1: counts are inconsistent"
	for _, test := range []struct {
		name string
		log  Entries
		want string // the error, or what it begins with; empty for none
	}{
		{"good layer", layer(func(*everystatev1.LayerRecord) {}), ""},
		{"good end", end(func(*everystatev1.PhaseEnd) {}), ""},
		{"good spec", spec(func(*everystatev1.RunSpec) {}), ""},

		{"newer version", spec(func(s *everystatev1.RunSpec) { s.FormatVersion = 6 }), "journal entry 0: the run has format version 6; this program reads versions 1 to 5"},
		{"no version", spec(func(s *everystatev1.RunSpec) { s.FormatVersion = 0 }), "journal entry 0: the run has format version 0; this program reads versions 1 to 5"},
		{"no partitions", spec(func(s *everystatev1.RunSpec) { s.Partitions = 0 }), "journal entry 0: 0 partitions: must be a power of two from 1 to 4096"},
		{"odd partitions", spec(func(s *everystatev1.RunSpec) { s.Partitions = 3 }), "journal entry 0: 3 partitions: must be a power of two from 1 to 4096"},
		{"many partitions", spec(func(s *everystatev1.RunSpec) { s.Partitions = 2 * partition.Max }), "journal entry 0: 8192 partitions: must be a power of two from 1 to 4096"},

		{"empty entry", Entries{Spec(testSpec()), nil}, "journal entry 1: is of a kind unknown to this version"},
		{"unknown kind", Entries{Spec(testSpec()), {0xa2, 0x06, 0x01, 0x78}}, "journal entry 1: is of a kind unknown to this version"},
		{"no spec first", Entries{nil}, "journal entry 0: the spec must come first, and once"},
		{"layer first", layer(func(*everystatev1.LayerRecord) {})[2:], "journal entry 0: the spec must come first, and once"},
		{"two specs", Entries{Spec(testSpec()), Spec(testSpec())}, "journal entry 1: the spec must come first, and once"},
		{"not protobuf", Entries{{0xff}}, "journal entry 0: cannot be read: "},
		{"not UTF-8", Entries{{0x0a, 0x03, 0x0a, 0x01, 0xff}}, "journal entry 0: cannot be read: "},

		{"depth", layer(func(r *everystatev1.LayerRecord) { r.Depth = 2 }), "journal entry 2: forward layer 2 is not the next"},
		{"made again", layer(func(r *everystatev1.LayerRecord) { r.Depth, r.Generated = 0, 0 }), ""},
		{"made again, in no later attempt", layer(func(r *everystatev1.LayerRecord) { r.Depth, r.Generated, r.Epoch = 0, 0, 1 }), "journal entry 2: forward layer 0 is not the next"},
		{"goal too early", layer(func(r *everystatev1.LayerRecord) {
			r.Phase, r.Depth, r.Generated, r.GoalStates = everystatev1.Phase_PHASE_GOAL, 0, 0, 0
		}), "journal entry 2: goal distance layer 0 is not the next"},
		{"epoch again", layer(func(r *everystatev1.LayerRecord) { r.Epoch = 1 }), "journal entry 2: forward layer 1 is not the next"},
		{"no epoch", layer(func(r *everystatev1.LayerRecord) { r.Epoch = 0 }), "journal entry 2: forward layer 1 is not the next"},
		{"epoch too large", layer(func(r *everystatev1.LayerRecord) { r.Epoch = 1<<32 + 2 }), misfit},
		{"no phase", layer(func(r *everystatev1.LayerRecord) { r.Phase = 0 }), "journal entry 2: there is no phase 0"},
		{"unknown phase", layer(func(r *everystatev1.LayerRecord) { r.Phase = 3 }), "journal entry 2: there is no phase 3"},
		{"phase that looks like another in eight bits", layer(func(r *everystatev1.LayerRecord) { r.Phase = 257 }), "journal entry 2: there is no phase 257"},
		{"digest", layer(func(r *everystatev1.LayerRecord) { r.Digest = r.Digest[:15] }), "journal entry 2: digest of 15 bytes: must be 16"},
		{"partitions", layer(func(r *everystatev1.LayerRecord) { r.PartitionStates = r.PartitionStates[:3] }), "journal entry 2: counts for 3 of 4 partitions"},
		{"states", layer(func(r *everystatev1.LayerRecord) { r.States++ }), misfit},
		{"no states", layer(func(r *everystatev1.LayerRecord) {
			r.States, r.GoalStates, r.PartitionStates = 0, 0, make([]uint64, 4)
		}), misfit},
		{"too many states", layer(func(r *everystatev1.LayerRecord) {
			r.States, r.PartitionStates = 2, []uint64{math.MaxUint64, 3, 0, 0}
		}), "journal entry 2: too many states"},
		{"generated", layer(func(r *everystatev1.LayerRecord) { r.Generated = math.MaxUint64 }), misfit},
		{"goals", layer(func(r *everystatev1.LayerRecord) { r.GoalStates = 6 }), misfit},
		{"sample", layer(func(r *everystatev1.LayerRecord) {
			r.Sample = []*everystatev1.SampledState{{Key: []uint64{7}, Move: 1}}
		}), ""},
		{"sample of too many states", layer(func(r *everystatev1.LayerRecord) {
			r.Sample = make([]*everystatev1.SampledState, 1+min(r.GetStates(), history.SampleMax))
		}), misfit},
		{"bytes", layer(func(r *everystatev1.LayerRecord) { r.StoredBytes = 1 << 63 }), misfit},
		{"time", layer(func(r *everystatev1.LayerRecord) { r.BusyNanos = -1 }), misfit},

		{"end of no phase", end(func(e *everystatev1.PhaseEnd) { e.Phase = 0 }), "journal entry 2: there is no phase 0"},
		{"end of an unknown phase", end(func(e *everystatev1.PhaseEnd) { e.Phase = 258 }), "journal entry 2: there is no phase 258"},
		{"end of the goal phase", end(func(e *everystatev1.PhaseEnd) { e.Phase = 2 }), "journal entry 2: phase goal distance cannot end here"},
		{"end elsewhere", end(func(e *everystatev1.PhaseEnd) { e.Layers = 2 }), "journal entry 2: phase forward cannot end here"},
		{"end generated", end(func(e *everystatev1.PhaseEnd) { e.Generated = 1 << 63 }), "journal entry 2: end of forward: counts are inconsistent"},
		{"end time", end(func(e *everystatev1.PhaseEnd) { e.BusyNanos = -1 }), "journal entry 2: end of forward: counts are inconsistent"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, _, err := Read(test.log)
			switch {
			case test.want == "" && err == nil:
			case err == nil:
				t.Error("no error")
			case strings.HasSuffix(test.want, ": ") && strings.HasPrefix(err.Error(), test.want):
			case err.Error() != test.want:
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
			checkRead(t, test.log)
		})
	}
}

// Fields that a later minor version adds do not hinder an older program.
func TestUnknownField(t *testing.T) {
	log := Entries{append(Spec(testSpec()), 0x98, 0x06, 0x07)}
	if spec, _, err := Read(log); err != nil || spec != testSpec() {
		t.Errorf("got %+v, %v", spec, err)
	}
}

// A journal of format version 1 stays readable for as long as a program says
// that it reads version 1, and what is written in that version stays the same.
// Each line of the file is an entry.
func TestVersion1(t *testing.T) {
	const file = "testdata/journal-v1.hex"
	want, after := testJournal(t)
	if *update {
		var body strings.Builder
		for _, e := range want {
			body.WriteString(hex.EncodeToString(e) + "\n")
		}
		if err := os.WriteFile(file, []byte(body.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	body, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var log Entries
	for _, line := range strings.Fields(string(body)) {
		entry, err := hex.DecodeString(line)
		if err != nil {
			t.Fatal(err)
		}
		log = append(log, entry)
	}
	spec, h, err := Read(log)
	if err != nil {
		t.Fatal(err)
	}
	if spec != testSpec() || !reflect.DeepEqual(h, after[len(after)-1]) {
		t.Errorf("got %+v, %+v", spec, h)
	}
	for i := range log {
		if i >= len(want) || !slices.Equal(log[i], want[i]) {
			t.Errorf("entry %d is %x\nand would now be written as %x", i, log[i], want[i])
		}
	}
}

// Whatever the bytes of a log, reading it does not panic, and it says nothing
// that the core could not have made. Entries are separated by their lengths, two
// bytes each.
func FuzzRead(f *testing.F) {
	log, _ := testJournal(f)
	for n := range len(log) + 1 {
		f.Add(join(log[:n]))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		checkRead(t, split(b))
	})
}

// What is read of an entry of a log fits together, and stands without its objects
// in a journal.
func FuzzReadEntry(f *testing.F) {
	log, _ := testJournal(f)
	for _, entry := range log {
		f.Add(entry)
		if with, err := WithObjects(entry, []Object{{Name: "layers/x", Bytes: 7, Partitions: []uint32{0, 3}}}); err == nil {
			f.Add(with)
		}
	}
	f.Add(Placement(history.Placement{Workers: []string{"a", "b"}, Homes: []history.WorkerID{0, 1, 1, 0}}))
	f.Add(Session(1<<20, "somebody", 5, history.Identity{7}))
	f.Fuzz(func(t *testing.T, entry []byte) {
		const partitions = 4
		e, err := ReadEntry(entry, partitions)
		if err != nil {
			return
		}
		plain, err := Plain(entry)
		if err != nil {
			t.Fatalf("%x can be read, and not without objects: %v", entry, err)
		}
		if e.Layer == nil {
			return
		}
		checkLayer(t, *e.Layer, partitions)
		for _, o := range e.Objects {
			for _, p := range o.Partitions {
				if p >= partitions || o.Name == "" || o.Bytes < 0 {
					t.Fatalf("object %+v", o)
				}
			}
		}
		again, err := WithObjects(plain, e.Objects)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := ReadEntry(again, partitions); err != nil || !reflect.DeepEqual(back, e) {
			t.Fatalf("%+v became %+v: %v", e, back, err)
		}
	})
}

func join(log Entries) []byte {
	var b []byte
	for _, e := range log {
		b = append(b, byte(len(e)>>8), byte(len(e)))
		b = append(b, e...)
	}
	return b
}

func split(b []byte) Entries {
	log := Entries{}
	for len(b) >= 2 {
		n := min(int(b[0])<<8|int(b[1]), len(b)-2)
		log = append(log, b[2:2+n])
		b = b[2+n:]
	}
	return log
}

// The largest layer fits in an entry of the store (store.EntryBytesMax).
func TestLargestEntry(t *testing.T) {
	l := history.Layer{Phase: history.Forward, Depth: math.MaxUint32, Epoch: math.MaxUint32, Nanos: math.MaxInt64}
	for range partition.Max {
		l.PartStates = append(l.PartStates, math.MaxInt64)
	}
	const entryBytesMax = 1 << 20
	if n := len(Layer(l)); n > entryBytesMax/2 {
		t.Errorf("%d bytes", n)
	}
}

// Each session's epochs are beyond those of the session before, whether it
// committed anything or not.
func TestSessions(t *testing.T) {
	var h history.History
	log := Entries{Spec(testSpec())}
	var firsts []uint32
	begin := func() {
		first := h.NextSession(0)
		if !h.AddSession(first) {
			t.Fatalf("session %d is not next", first)
		}
		firsts = append(firsts, first)
		log = append(log, Session(first, "", 0, history.Identity{}))
	}
	begin()
	begin()
	layer := testLayers()[0]
	layer.Epoch = firsts[1] + 5
	if !h.AddLayer(layer) {
		t.Fatal("a layer of the session is refused")
	}
	log = append(log, Layer(layer))
	begin()
	if !slices.IsSorted(firsts) || firsts[0] == 0 || firsts[0] == firsts[1] || firsts[2] <= layer.Epoch {
		t.Errorf("sessions begin with %d", firsts)
	}
	_, got, err := Read(log)
	if err != nil || !reflect.DeepEqual(got, h) {
		t.Errorf("read %+v, %v; want %+v", got, err, h)
	}
	if _, _, err := Read(append(log, Session(firsts[1], "", 0, history.Identity{}))); err == nil {
		t.Error("a session with epochs of an earlier one is accepted")
	}
	late := testLayers()[1]
	late.Epoch = layer.Epoch + 1
	if _, _, err := Read(append(log, Layer(late))); err == nil {
		t.Error("a layer of an earlier session is accepted")
	}
}

// TestModule reads a puzzle's module back, and logs that end in the middle of one or
// do not fit it.
func TestModule(t *testing.T) {
	t.Parallel()
	spec := testSpec()
	spec.Module = strings.Repeat("0123456789abcdef", 80_000) // 2.4 chunks
	begin := Begin(spec)
	if len(begin) != 4 || Chunks(len(spec.Module)) != 3 {
		t.Fatalf("%d entries", len(begin))
	}
	log := slices.Concat(begin, Entries{Session(1<<20, "x", 1, history.Identity{7})})
	got, _, err := Read(log)
	if err != nil || got != spec {
		t.Fatalf("another spec, or %v", err)
	}
	if got, _, err = Read(begin[:2]); err != nil || got.Module != spec.Module[:ChunkBytes] {
		t.Errorf("a log that is cut off: %d bytes, %v", len(got.Module), err)
	}
	for _, test := range []struct {
		name string
		log  Entries
		want string
	}{
		{"a session too early", slices.Concat(begin[:3], log[4:]), "journal entry 3: the module must follow the spec: 231424 bytes are missing"},
		{"a chunk too many", slices.Concat(begin, begin[3:]), "journal entry 4: a chunk of 231424 bytes, but only 0 of the module are missing"},
		{"a chunk too short", slices.Concat(begin[:1], begin[3:]), "journal entry 1: a chunk of 231424 bytes, but only 1280000 of the module are missing"},
		{"a chunk without a module", slices.Concat(Entries{Spec(testSpec())}, begin[1:]), "journal entry 1: a chunk of 524288 bytes, but only 0 of the module are missing"},
	} {
		if _, _, err := Read(test.log); err == nil || err.Error() != test.want {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

// A run has one identity, from the first session that says one on. Sessions of earlier
// versions say none, and one of another run has no place in the journal.
func TestIdentity(t *testing.T) {
	a, b := history.Identity{1}, history.Identity{2}
	session := func(n uint32, id history.Identity) []byte { return Session(n<<20, "", 0, id) }
	for _, test := range []struct {
		sessions []history.Identity
		want     history.Identity
		fails    bool
	}{
		{sessions: nil},
		{sessions: []history.Identity{{}}},
		{sessions: []history.Identity{a}, want: a},
		{sessions: []history.Identity{{}, a, a}, want: a},
		{sessions: []history.Identity{a, {}, a}, want: a}, // an earlier version came between
		{sessions: []history.Identity{a, b}, fails: true},
	} {
		log := Entries{Spec(testSpec())}
		for i, id := range test.sessions {
			log = append(log, session(uint32(i)+1, id))
		}
		_, h, err := Read(log)
		if (err != nil) != test.fails || err == nil && h.Identity() != test.want {
			t.Errorf("%v: %v, %v", test.sessions, h.Identity(), err)
		}
	}
	torn := marshal(&everystatev1.JournalEntry{Entry: &everystatev1.JournalEntry_SessionStart{
		SessionStart: &everystatev1.SessionStart{FirstEpoch: 1 << 20, RunIdentity: []byte{1, 2, 3}},
	}})
	if _, _, err := Read(Entries{Spec(testSpec()), torn}); err == nil {
		t.Error("an identity of three bytes is taken")
	}
}

// A run that keeps its frontier has a format version of its own, says with each layer
// what it drops, and is read back as it was.
func TestFrontier(t *testing.T) {
	spec := testSpec()
	spec.Keep = history.Keep{Frontier: true, Named: history.DepthsOf([]uint32{1, 4})}
	log := Begin(spec)
	for depth := range uint32(7) {
		log = append(log, Layer(history.Layer{
			Phase: history.Forward, Depth: depth, Epoch: depth + 1, States: 1, PartStates: []int64{1, 0, 0, 0}, KeptFrom: max(depth, 1) - 1,
		}))
	}
	got, h, err := Read(log)
	if err != nil || got != spec || h.KeptFrom() != 5 || h.DroppedLayers() != 3 || h.Keep() != spec.Keep {
		t.Errorf("%+v, kept from %d, %d dropped, %v", got, h.KeptFrom(), h.DroppedLayers(), err)
	}
	checkRead(t, log)
	for name, entries := range map[string]Entries{
		"drops in a run that keeps all": append(Begin(testSpec()), log[1:]...),
		"keeps what was dropped before": append(slices.Clone(log), Layer(history.Layer{Phase: history.Forward, Depth: 7, Epoch: 8, States: 1, PartStates: []int64{1, 0, 0, 0}, KeptFrom: 4})),
		"drops itself":                  append(slices.Clone(log), Layer(history.Layer{Phase: history.Forward, Depth: 7, Epoch: 8, States: 1, PartStates: []int64{1, 0, 0, 0}, KeptFrom: 8})),
		"names layers, and keeps all":   {withKept(spec, FormatVersion, 1, 4)},
		"names layers out of order":     {withKept(spec, FrontierVersion, 4, 1)},
		"names a layer twice":           {withKept(spec, FrontierVersion, 4, 4)},
	} {
		if _, _, err := Read(entries); err == nil {
			t.Errorf("a journal that %s was read", name)
		}
	}
}

// withKept returns a spec that names layers to keep.
func withKept(s history.Spec, version uint32, depths ...uint32) []byte {
	m := RunSpec(s)
	m.FormatVersion, m.KeptLayers = version, depths
	return marshal(&everystatev1.JournalEntry{Entry: &everystatev1.JournalEntry_Spec{Spec: m}})
}
