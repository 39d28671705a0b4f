// Package division finds the first number of a list that is of use, where one judgement can tell
// that a whole part of it is useless. It must know nothing of what the numbers are.
package division

import "slices"

// A Division is how a list was divided into useless parts. Lists that are searched one after
// another are alike, so the parts of the last one are tried first, and each together with the next
// until that was in vain once. Its zero value knows of no list. It is for one goroutine.
type Division struct {
	parts, before []part
}

// A part ends where the next begins.
type part struct {
	end  int32 // 1 + its last number
	firm bool  // it was not useless together with the next
}

// Forget drops what is known of earlier lists.
func (d *Division) Forget() { d.parts = d.parts[:0] }

// Find returns the index of a number of a list, which ascends, that is not useless, or -1 if each
// is in a useless part. useless judges the part from one index to before another, which is never
// empty. If all parts of a useless part are useless, the number is the first of its kind.
func (d *Division) Find(list []int32, useless func(from, to int) bool) int {
	d.parts, d.before = d.before[:0], d.parts
	from := 0
	end := func(k int) int {
		n, _ := slices.BinarySearch(list[from:], d.before[k].end)
		return from + n
	}
	for k := 0; k < len(d.before); k++ {
		p, to := d.before[k], end(k)
		if to == from {
			continue
		}
		if !p.firm && k+1 < len(d.before) {
			both := end(k + 1)
			if both > to && useless(from, both) {
				k++
				d.parts, from = append(d.parts, d.before[k]), both
				continue
			}
			p.firm = both > to
		}
		if useless(from, to) {
			d.parts, from = append(d.parts, p), to
			continue
		}
		if i := d.halve(list, from, to, useless); i >= 0 {
			d.parts, d.before = d.before, d.parts
			return i
		}
		from = to
	}
	return d.divide(list, from, len(list), useless)
}

// divide is Find for what is left of the list, without what is known.
func (d *Division) divide(list []int32, from, to int, useless func(from, to int) bool) int {
	if from == to {
		return -1
	}
	if useless(from, to) {
		d.parts = append(d.parts, part{end: list[to-1] + 1})
		return -1
	}
	return d.halve(list, from, to, useless)
}

// halve is divide for a part that is not useless as a whole.
func (d *Division) halve(list []int32, from, to int, useless func(from, to int) bool) int {
	if to-from == 1 {
		return from
	}
	half := from + (to-from)/2
	if i := d.divide(list, from, half, useless); i >= 0 {
		return i
	}
	return d.divide(list, half, to, useless)
}
