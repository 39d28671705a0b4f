package machine

// Random is the random number generator of the reference: RC4 with a text as its key.
type Random struct {
	s    [256]byte
	i, j byte
}

// NewRandom returns a generator with a seed.
func NewRandom(seed string) *Random {
	r := &Random{}
	for i := range r.s {
		r.s[i] = byte(i)
	}
	var key []byte
	for _, c := range seed {
		if c > 0xff {
			key = append(key, byte(c>>8))
		}
		key = append(key, byte(c))
	}
	if len(key) == 0 {
		return r
	}
	j := byte(0)
	for i := range r.s {
		j += r.s[i] + key[i%len(key)]
		r.s[i], r.s[j] = r.s[j], r.s[i]
	}
	return r
}

func (r *Random) next() byte {
	r.i++
	r.j += r.s[r.i]
	r.s[r.i], r.s[r.j] = r.s[r.j], r.s[r.i]
	return r.s[r.s[r.i]+r.s[r.j]]
}

// below returns a number less than n. It uses seven bytes of the generator.
func (r *Random) below(n int) int {
	const bytes = 7
	value := float64(0)
	for range bytes {
		value = value*256 + float64(r.next())
	}
	return int(value / (1<<(8*bytes) - 1) * float64(n))
}
