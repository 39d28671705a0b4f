package rushhour

// A forest is sets of numbers that are joined: of each number, a smaller one of its set, or
// itself if it is the least, the root.
type forest []int32

// apart returns n numbers that are not joined, in f if it has room.
func apart(f forest, n int) forest {
	f = resized(f, n)
	for x := range f {
		f[x] = int32(x)
	}
	return f
}

func (f forest) find(x int32) int32 {
	for f[x] != x {
		f[x] = f[f[x]]
		x = f[x]
	}
	return x
}

// union joins the sets of two numbers.
func (f forest) union(x, y int32) {
	if x, y = f[x], f[y]; x != y {
		f.unite(x, y)
	}
}

// unite is union for numbers with different parents.
func (f forest) unite(x, y int32) {
	x, y = f.find(x), f.find(y)
	switch {
	case x < y:
		f[y] = x
	case y < x:
		f[x] = y
	}
}

// root is find if it was called for all smaller numbers, and nothing was joined since.
func (f forest) root(x int32) int32 {
	f[x] = f[f[x]]
	return f[x]
}
