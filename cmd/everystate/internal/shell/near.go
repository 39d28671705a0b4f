package shell

import (
	"slices"
	"strings"
)

// Meant returns the end of an error about a name that is not known: which of the
// known ones are near, as a question, or nothing.
func Meant(name string, known []string) string {
	near := nearest(name, known)
	if len(near) == 0 {
		return ""
	}
	return "; did you mean " + strings.Join(near, " or ") + "?"
}

// nearest returns the names that a misspelt one may be for: those that differ in
// punctuation only, or else the ones with the fewest wrong letters, if these are a
// third of it at most, and those that it is the beginning of.
func nearest(name string, known []string) []string {
	const lettersMax = 64
	folded := fold(name)
	if folded == "" || len(folded) > lettersMax {
		return nil
	}
	var near []string
	least := max(1, min(3, len(folded)/3))
	for _, k := range known {
		other := fold(k)
		if other == folded {
			return []string{k}
		}
		d := wrongLetters(folded, other)
		if len(folded) >= 3 && strings.HasPrefix(other, folded) {
			d = 1
		}
		if d > least || slices.Contains(near, k) {
			continue
		}
		if d < least {
			near, least = nil, d
		}
		near = append(near, k)
	}
	return near
}

// fold takes out what people leave out or write another way.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("-_ .", r) {
			return -1
		}
		return r
	}, strings.ToLower(strings.ReplaceAll(name, "*", "star")))
}

// wrongLetters counts the letters to insert, leave out, change or swap with their
// neighbour to make one word of another.
func wrongLetters(a, b string) int {
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		now := make([]int, len(b)+1)
		now[0] = i + 1
		for j := range len(b) {
			change := last[j]
			if a[i] != b[j] {
				change++
			}
			now[j+1] = min(change, last[j+1]+1, now[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				now[j+1] = min(now[j+1], before[j-1]+1)
			}
		}
		before, last = last, now
	}
	return last[len(b)]
}
