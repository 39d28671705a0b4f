package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/store/bucket"
)

// Control is what was asked of a run and what became of it. It is not part of the
// record of truth: a run without it counts as paused. It is stored beside the log
// of a run in a bucket, and beside a coordinator's journal.
type Control struct {
	// Submitted is when the run was submitted. It orders a coordinator's queue.
	Submitted time.Time     `json:"submitted"`
	State     history.State `json:"state"` // as a number
	Want      history.Want  `json:"want"`
	Failure   string        `json:"failure,omitempty"`

	// WorkedMillis is how long a coordinator has worked on the run, in milliseconds.
	WorkedMillis int64 `json:"worked_millis,omitempty"`

	// Elsewhere is set if the run was found in a bucket and nobody has asked this
	// coordinator to work on it, so its state there is not for this coordinator
	// to report. It is never set in a bucket.
	Elsewhere bool `json:"elsewhere,omitempty"`

	// Unsent is set while the bucket does not have what was asked here. Once it has, what is
	// there counts, as another coordinator may have been asked since. It is never set in a
	// bucket.
	Unsent bool `json:"unsent,omitempty"`

	// Bucket is the URL of the run in the bucket that has had what was asked here, if any.
	// It is never set in a bucket.
	Bucket string `json:"bucket,omitempty"`
}

// Removed reports whether a run that is not in a bucket was removed from there, given its
// URL: the bucket has had what was asked of the run, and nothing has been asked since.
func (c *Control) Removed(from string) bool {
	over := c.State == history.Stopped || c.State == history.Cancelled || c.State == history.Failed || c.State == history.Paused
	return over && c.Bucket == from && !c.Unsent
}

// ControlOf returns the control object of a run in a bucket, and whether there is one.
func ControlOf(ctx context.Context, run *bucket.Run) (c Control, known bool, err error) {
	body, err := run.Control(ctx)
	if errors.Is(err, bucket.ErrNotExist) {
		return c, false, nil
	}
	if err != nil {
		return c, false, err
	}
	if c, err = readControl(body); err != nil {
		return c, false, fmt.Errorf("%s: %w", run.URL(), err)
	}
	return c, true, nil
}

func readControl(body []byte) (Control, error) {
	var c Control
	if err := json.Unmarshal(body, &c); err != nil {
		return Control{}, fmt.Errorf("the control object cannot be read: %w", err)
	}
	c.Elsewhere, c.Unsent, c.Bucket = false, false, ""
	return c, nil
}

// storedWant is history.Want as control objects have always stored it: a depth
// that is negative or missing means no limit.
type storedWant struct {
	MaxDepth     *int
	MaxStates    int64
	StopAtGoal   bool
	GoalDistance bool
	Settle       bool
}

// controlFields has the fields of Control without its methods.
type controlFields Control

// MarshalJSON returns the control object as it is stored.
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

// UnmarshalJSON reads a control object of this or an earlier version.
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

// Body returns the control object as it is stored in a bucket.
func (c *Control) Body() ([]byte, error) {
	there := *c
	there.Unsent, there.Bucket = false, ""
	return json.Marshal(&there)
}

// Store writes the control object of a run in a bucket.
func (c *Control) Store(ctx context.Context, run *bucket.Run) error {
	body, err := c.Body()
	if err != nil {
		return err
	}
	return run.SetControl(ctx, body)
}

// LocalBy is the prefix of Entry.SessionBy of a session without a coordinator.
const LocalBy = "explore on "

// Who describes, for people, who began a session, given its SessionBy: of a
// coordinator that is its bare name. It returns "" if it is unknown.
func Who(by string) string {
	if by == "" || strings.HasPrefix(by, LocalBy) {
		return by
	}
	return "the coordinator " + by
}
