package sweep

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ErrRules reports rules whose text cannot be read.
var ErrRules = errors.New("cannot read the rules of the sweep")

// ReadRules reads the text of rules, one KEY: VALUE per line, and calls set with
// each.
func ReadRules(text string, set func(key, value string) error) error {
	for line := range strings.Lines(text) {
		key, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		if !ok {
			return fmt.Errorf("%w: %q is not KEY: VALUE", ErrRules, line)
		}
		if err := set(key, value); err != nil {
			return fmt.Errorf("%w: %s: %w", ErrRules, key, err)
		}
	}
	return nil
}

// ParseSample reads 1/N.
func ParseSample(text string) (int, error) {
	one, many, ok := strings.Cut(text, "/")
	n, err := strconv.Atoi(many)
	if !ok || one != "1" || err != nil || n < 1 {
		return 0, errors.New("must be 1/N, meaning one in N")
	}
	return n, nil
}

// Sampled reports whether a sample of one in n includes number.
func Sampled(number uint64, n int) bool { return n <= 1 || mix(number)%uint64(n) == 0 }

// mix is the 64-bit finaliser of MurmurHash3 (A. Appleby).
func mix(x uint64) uint64 {
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}
