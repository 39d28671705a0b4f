package shell

import (
	"slices"
	"strings"
)

// Meant returns the end of an error about an unknown name: a question that suggests
// similar known names, or "".
func Meant(name string, known []string) string {
	near := nearest(name, known)
	if len(near) == 0 {
		return ""
	}
	return "; did you mean " + strings.Join(near, " or ") + "?"
}

// nearest returns the names that a misspelt one may stand for: those that differ only in
// punctuation, or else those with the fewest wrong letters, if these are at most a third
// of the name, and those that begin with the name or have it as a word.
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
		if len(folded) >= 3 && strings.HasPrefix(other, folded) || slices.Contains(strings.Split(k, "-"), name) {
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

// fold removes what people leave out or write differently.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("-_ .", r) {
			return -1
		}
		return r
	}, strings.ToLower(strings.ReplaceAll(name, "*", "star")))
}

// wrongLetters counts the letters to insert, delete, change or swap with their neighbour
// to turn one word into another.
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
