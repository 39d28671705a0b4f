package world

import (
	"fmt"
	"time"
)

// dice draw numbers in a world as a function of the seed and the purpose, independent of
// which goroutine draws first.
type dice uint64

// of returns separate dice for a purpose.
func (d dice) of(what ...any) *draw {
	x := uint64(d) ^ 0xcbf29ce484222325
	for _, c := range []byte(fmt.Sprintln(what...)) {
		x = (x ^ uint64(c)) * 0x100000001b3
	}
	return &draw{x}
}

// draw is a sequence of numbers, by SplitMix64 (S. Vigna, public domain).
type draw struct{ state uint64 }

func (r *draw) next() uint64 {
	r.state += 0x9e3779b97f4a7c15
	x := r.state
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// n returns a number from 0 to n-1.
func (r *draw) n(n int) int { return int(r.next() % uint64(n)) }

// one reports true once in n times.
func (r *draw) one(n int) bool { return r.n(n) == 0 }

// duration returns a time from 1 ns to most.
func (r *draw) duration(most time.Duration) time.Duration {
	return 1 + time.Duration(r.next()%uint64(most))
}
