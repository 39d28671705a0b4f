package journal

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/everystate/everystate/coordinator/history"
)

// Control is what has been asked of a run, and what became of that. It is no part
// of the record of truth: without it a run would be paused. It lies beside the
// log of a run in a bucket, and beside a coordinator's journal.
type Control struct {
	// Submitted orders the queue of a coordinator.
	Submitted time.Time     `json:"submitted"`
	State     history.State `json:"state"` // its number
	Want      history.Want  `json:"want"`
	Failure   string        `json:"failure,omitempty"`

	// WorkedMillis is for how long a coordinator has worked on the run, in milliseconds.
	WorkedMillis int64 `json:"worked_millis,omitempty"`

	// Elsewhere says that the run was found in a bucket and nobody has asked this
	// coordinator to work on it: what became of it there is not for this one to
	// say. It is never so in a bucket.
	Elsewhere bool `json:"elsewhere,omitempty"`
}

// ReadControl reads the control object of a run in a bucket.
func ReadControl(body []byte) (Control, error) {
	var c Control
	if err := json.Unmarshal(body, &c); err != nil {
		return Control{}, fmt.Errorf("the control object cannot be read: %w", err)
	}
	c.Elsewhere = false
	return c, nil
}

// storedWant is history.Want as control objects have always had it: a depth that
// is negative, or missing, is no limit.
type storedWant struct {
	MaxDepth     *int
	MaxStates    int64
	StopAtGoal   bool
	GoalDistance bool
	Settle       bool
}

// controlFields are those of Control without its methods.
type controlFields Control

// MarshalJSON writes the control object as it is stored.
func (c Control) MarshalJSON() ([]byte, error) {
	want := storedWant(c.Want)
	if want.MaxDepth == nil {
		want.MaxDepth = new(-1)
	}
	return json.Marshal(struct {
		controlFields
		Want storedWant `json:"want"`
	}{controlFields(c), want})
}

// UnmarshalJSON reads a control object of this version or an earlier one.
func (c *Control) UnmarshalJSON(body []byte) error {
	var stored struct {
		controlFields
		Want storedWant `json:"want"`
	}
	if err := json.Unmarshal(body, &stored); err != nil {
		return err
	}
	*c = Control(stored.controlFields)
	c.Want = history.Want(stored.Want)
	if d := c.Want.MaxDepth; d != nil && *d < 0 {
		c.Want.MaxDepth = nil
	}
	return nil
}

// Body returns the control object as it is stored.
func (c *Control) Body() ([]byte, error) { return json.Marshal(c) }

// LocalBy begins the SessionBy of a run that is worked on by no coordinator.
const LocalBy = "explore on "

// Who says to people who has begun a session, nothing if that is not known. A
// coordinator gives its name alone.
func Who(by string) string {
	if by == "" || strings.HasPrefix(by, LocalBy) {
		return by
	}
	return "the coordinator " + by
}
