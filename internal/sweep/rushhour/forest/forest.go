// Package forest joins numbers to sets. It must know nothing of what they number.
package forest

// A Forest holds disjoint sets of the numbers from 0. It maps each number to a smaller one of
// its set, and the least, the root, to itself. It is for one goroutine.
type Forest []int32

// Apart returns n numbers that are not joined, in f if it has room.
func Apart(f Forest, n int) Forest {
	if cap(f) < n {
		f = make(Forest, n, n+n/2)
	}
	f = f[:n]
	for x := range f {
		f[x] = int32(x)
	}
	return f
}

// Union joins the sets of two numbers.
func (f Forest) Union(x, y int32) {
	if x, y = f[x], f[y]; x != y {
		f.unite(x, y)
	}
}

// unite is Union for numbers with different parents.
func (f Forest) unite(x, y int32) {
	x, y = f.find(x), f.find(y)
	switch {
	case x < y:
		f[y] = x
	case y < x:
		f[x] = y
	}
}

// find returns the root of a number.
func (f Forest) find(x int32) int32 {
	for f[x] != x {
		f[x] = f[f[x]]
		x = f[x]
	}
	return x
}

// Root returns the root of a number, if it was called for all smaller ones since the last
// Union.
func (f Forest) Root(x int32) int32 {
	f[x] = f[f[x]]
	return f[x]
}
