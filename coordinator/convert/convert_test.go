package convert_test

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/everystate/everystate/coordinator/convert"
	"github.com/everystate/everystate/coordinator/core"
	"github.com/everystate/everystate/coordinator/history"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/puzzle/digest"
)

// An order names layers and does not list them: that of a run with 100,000 layers, all
// of which a new one is compared with, is as small as that of a run with ten.
func TestPlanOfManyLayers(t *testing.T) {
	t.Parallel()
	var past history.History
	for depth := range 100_000 {
		past.AddLayer(history.Layer{Phase: history.Forward, Depth: uint32(depth), Epoch: uint32(depth) + 1, States: 1, PartStates: []int64{1}})
	}
	c := core.New(history.Spec{Partitions: 1}, core.Options{}, past, history.Want{})
	effects, err := c.Step(core.Joined{Worker: 1})
	if err != nil {
		t.Fatal(err)
	}
	p := convert.Plan(effects[0].(core.Begin).Attempt)
	const want = "source:CANDIDATE_SOURCE_SUCCESSORS expand:{phase:PHASE_FORWARD first:99999 end:100000} exclude:{phase:PHASE_FORWARD end:100000} count_goals:true"
	if size := proto.Size(p); size > 40 {
		t.Errorf("%d bytes: %v, want %s", size, p, want)
	}
	if ex := p.GetExclude(); len(ex) != 1 || ex[0].GetFirst() != 0 || ex[0].GetEnd() != 100_000 || p.GetExpand()[0].GetFirst() != 99_999 {
		t.Errorf("%v, want %s", p, want)
	}
}

// A layer of a table has its states by partition, and the rest of the whole layer. What cannot
// be is refused here or has counts that the core refuses.
func TestMadeOfTable(t *testing.T) {
	t.Parallel()
	sum := make([]byte, digest.Size)
	sum[0] = 7
	for _, tt := range []struct {
		name   string
		states []uint64
		whole  []*everystatev1.PartitionReport
		want   string
	}{
		{"spread", []uint64{0, 5, 2, 0}, []*everystatev1.PartitionReport{{States: 7, GoalStates: 6, RepresentedStates: 20, Digest: sum}},
			"[0: 0 0 0] [1: 5 5 18] [2: 2 1 2] [3: 0 0 0]"},
		{"nothing", []uint64{0, 0}, []*everystatev1.PartitionReport{{Digest: sum}}, "[0: 0 0 0] [1: 0 0 0]"},
		{"more goals than states", []uint64{1, 1}, []*everystatev1.PartitionReport{{States: 2, GoalStates: 5, Digest: sum}}, "[0: 1 1 0] [1: 1 4 0]"},
		{"another sum", []uint64{1, 1}, []*everystatev1.PartitionReport{{States: 3, Digest: sum}}, "3 states in a layer of a table, and 2 in its partitions"},
		{"too many", []uint64{math.MaxInt64, 1}, []*everystatev1.PartitionReport{{States: 3, Digest: sum}}, "too many states"},
		{"no report", []uint64{1, 1}, nil, "0 reports of a layer of a table"},
	} {
		report := &everystatev1.RunReport{Stage: everystatev1.Stage_STAGE_WRITTEN, Made: []*everystatev1.MadeLayer{{PartitionStates: tt.states, Partitions: tt.whole}}}
		ev, err := convert.Event(report, 1, &everystatev1.AttemptOrder{Alone: &everystatev1.Alone{}}, nil)
		got := fmt.Sprint(err)
		if err == nil {
			var all []string
			var d digest.Digest
			for _, p := range ev.(core.MadeAlone).Layers[0].Parts {
				all = append(all, fmt.Sprintf("[%d: %d %d %d]", p.Part, p.States, p.Goals, p.Represented))
				d.Add(p.Digest)
			}
			if got = strings.Join(all, " "); !bytes.Equal(d.Bytes(), sum) {
				t.Errorf("%s: digest %v", tt.name, d)
			}
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}
