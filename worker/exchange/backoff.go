package exchange

import "time"

// backOffFirst is the time until the first call after one that failed. The time doubles
// with each failure.
const backOffFirst = 50 * time.Millisecond

// BackOff returns how long to wait after so many failures: between half of a time that
// doubles with each, up to most, and that time, so that workers that fail at the same
// time do not retry at the same time.
func BackOff(failures int, most time.Duration, random func() uint64) time.Duration {
	d := min(backOffFirst<<min(failures, 16), most)
	return d/2 + time.Duration(random()%uint64(d/2+1))
}
