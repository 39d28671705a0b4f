package journal

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/everystate/everystate/coordinator/history"
)

// TestControlOfEarlierVersions reads what earlier versions have stored: no limit
// was a depth of -1 there, and depth 0 is one.
func TestControlOfEarlierVersions(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		stored string
		want   history.Want
	}{
		{`{"submitted":"2026-01-02T03:04:05Z","state":2,"want":{"MaxDepth":-1,"MaxStates":0,"StopAtGoal":false,"GoalDistance":true,"Settle":false}}`, history.Want{GoalDistance: true}},
		{`{"state":2,"want":{"MaxDepth":0,"MaxStates":0,"StopAtGoal":false,"GoalDistance":false}}`, history.Want{MaxDepth: new(0)}},
		{`{"state":2,"want":{"MaxDepth":7,"MaxStates":9,"StopAtGoal":true,"Settle":true}}`, history.Want{MaxDepth: new(7), MaxStates: 9, StopAtGoal: true, Settle: true}},
		{`{"state":2,"want":{"MaxStates":9}}`, history.Want{MaxStates: 9}},
		{`{"state":2}`, history.Want{}},
		{`{"want":{"MaxDepth":-9223372036854775808}}`, history.Want{}},
	} {
		c, err := readControl([]byte(test.stored))
		if err != nil || !reflect.DeepEqual(c.Want, test.want) {
			t.Errorf("%s: %+v, %v", test.stored, c.Want, err)
		}
	}
}

// TestControlForEarlierVersions writes what earlier versions read: they take a
// depth that is missing for none, and any other for a limit unless it is negative.
func TestControlForEarlierVersions(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		want  history.Want
		depth int
	}{
		{history.Want{}, -1},
		{history.Want{MaxDepth: new(0)}, 0},
		{history.Want{MaxDepth: new(12), GoalDistance: true}, 12},
	} {
		c := Control{State: history.Paused, Want: test.want, Failure: "x"}
		body, err := c.Body()
		if err != nil {
			t.Fatal(err)
		}
		var earlier struct {
			State int    `json:"state"`
			Fault string `json:"failure"`
			Want  struct {
				MaxDepth     int
				GoalDistance bool
			} `json:"want"`
		}
		if err := json.Unmarshal(body, &earlier); err != nil {
			t.Fatal(err)
		}
		if earlier.Want.MaxDepth != test.depth || earlier.Want.GoalDistance != test.want.GoalDistance || earlier.State != int(history.Paused) || earlier.Fault != "x" {
			t.Errorf("%+v is stored as %s", test.want, body)
		}
		again, err := readControl(body)
		if err != nil || !reflect.DeepEqual(again, c) {
			t.Errorf("%s is read as %+v, %v", body, again, err)
		}
	}
}
