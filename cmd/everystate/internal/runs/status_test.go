package runs

import (
	"testing"
	"time"

	"github.com/everystate/everystate/coordinator/client"
)

// TestDescribeStatus says what a run waits for as soon as nothing has happened for a while.
func TestDescribeStatus(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		status client.Status
		want   string
	}{
		{client.Status{State: client.Running, WaitingFor: "for w1 to reach stage written", Idle: time.Second / 2}, "running"},
		{client.Status{State: client.Running, WaitingFor: "for a worker", Idle: time.Minute}, "running, waiting for a worker"},
		{client.Status{State: client.Waiting, WaitingFor: "for w1"}, "waiting for w1"},
		{client.Status{State: client.Stopped, Complete: true}, "complete"},
	} {
		if got := DescribeStatus(&test.status); got != test.want {
			t.Errorf("%+v: %q", test.status, got)
		}
	}
	for _, test := range []struct {
		worker client.Worker
		want   string
	}{
		{client.Worker{Present: true, Silent: 3 * time.Second}, "present"},
		{client.Worker{Present: true, Silent: 8 * time.Second}, "present, silent for 8s"},
		{client.Worker{Silent: time.Minute}, "lost, silent for 1m0s"},
	} {
		if got := describeWorker(&test.worker); got != test.want {
			t.Errorf("%+v: %q", test.worker, got)
		}
	}
}
