package bucket

import (
	"testing"
	"time"
)

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for failures, want := range map[int]time.Duration{
		1: 200 * time.Millisecond, 2: 400 * time.Millisecond, 6: 6400 * time.Millisecond,
		7: 10 * time.Second, 1 << 30: 10 * time.Second,
	} {
		if got := RetryAfter(failures); got != want {
			t.Errorf("after %d failures: %v, want %v", failures, got, want)
		}
	}
}
