package convert_test

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/everystate/everystate/coordinator/convert"
	"github.com/everystate/everystate/coordinator/core"
	"github.com/everystate/everystate/coordinator/history"
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
