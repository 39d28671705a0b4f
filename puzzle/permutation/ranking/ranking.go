// Package ranking numbers lists of small items: the rank of a list is its index in
// lexicographic order among all lists of the same items.
//
// The package must never know what the items are, nor check them: it is called for
// every state. All functions are safe for concurrent use.
package ranking

import (
	"math"
	"math/bits"
)

// ItemsMax is the greatest number of items in a list.
const ItemsMax = 64

// Max bounds ranks, leaving room for a factor of ItemsMax.
const Max = math.MaxUint64 / ItemsMax

// Factorials are those that fit a word.
var Factorials = func() (f [21]uint64) {
	f[0] = 1
	for i := 1; i < len(f); i++ {
		f[i] = f[i-1] * uint64(i)
	}
	return f
}()

// Multiply returns a product, and whether it fits a word.
func Multiply(a, b uint64) (uint64, bool) {
	high, low := bits.Mul64(a, b)
	return low, high == 0
}

// Turns ranks items below a modulus.
func Turns(modulus int, items []uint8) (rank uint64) {
	for _, item := range items {
		rank = rank*uint64(modulus) + uint64(item)
	}
	return rank
}

// ToTurns writes the items of a rank.
func ToTurns(modulus int, items []uint8, rank uint64) {
	for i := len(items) - 1; i >= 0; i-- {
		items[i] = uint8(rank % uint64(modulus))
		rank /= uint64(modulus)
	}
}

// Complete sets the last item so that all have a sum.
func Complete(modulus int, sum uint8, items []uint8) {
	last, total := len(items)-1, 0
	for _, item := range items[:last] {
		total += int(item)
	}
	items[last] = uint8((int(sum) + len(items)*modulus - total) % modulus)
}

// Distinct ranks a permutation in the factorial number system: each digit is the
// number of remaining items that are smaller.
func Distinct(items []uint8) uint64 {
	left, rank := uint64(1)<<len(items)-1, uint64(0)
	for i, item := range items {
		bit := uint64(1) << (item & 63)
		rank = rank*uint64(len(items)-i) + uint64(bits.OnesCount64(left&(bit-1)))
		left &^= bit
	}
	return rank
}

// ToDistinct writes the permutation of a rank.
func ToDistinct(items []uint8, rank uint64) {
	factoradic(items, rank)
	if len(items) <= 16 {
		left := uint64(0xfedcba9876543210)
		for i, digit := range items {
			at := uint(digit) * 4 & 63
			items[i] = uint8(left >> at & 15)
			below := uint64(1)<<at - 1
			left = left&below | left>>4&^below
		}
		return
	}
	var left [ItemsMax]uint8
	for i := range left {
		left[i] = uint8(i)
	}
	for i, digit := range items {
		items[i] = left[digit]
		copy(left[digit:], left[digit+1:])
	}
}

// factoradic writes the digits of a rank. Divisions of 32 bits are much faster.
func factoradic(digits []uint8, rank uint64) {
	base := uint32(1)
	i := len(digits) - 1
	for ; i >= 0 && rank>>32 != 0; i-- {
		digits[i] = uint8(rank % uint64(base))
		rank /= uint64(base)
		base++
	}
	for low := uint32(rank); i >= 0; i-- {
		q := low / base
		digits[i] = uint8(low - q*base)
		low = q
		base++
	}
}

// Alike ranks a list in which each item occurs as often as occurs states; lists is the
// number of such lists. Of the lists with a given beginning, the fraction that
// continues with an item is the fraction of the remaining items that it makes up.
func Alike(occurs []uint8, lists uint64, items []uint8) uint64 {
	var counts [ItemsMax]uint8
	copy(counts[:], occurs)
	rank := uint64(0)
	for i, item := range items {
		below := uint64(0)
		for _, count := range counts[:item] {
			below += uint64(count)
		}
		left := uint64(len(items) - i)
		rank += lists * below / left
		lists = lists * uint64(counts[item]) / left
		counts[item]--
	}
	return rank
}

// ToAlike writes the list of a rank.
func ToAlike(occurs []uint8, lists uint64, items []uint8, rank uint64) {
	var counts [ItemsMax]uint8
	copy(counts[:], occurs)
	for i := range items {
		left := uint64(len(items) - i)
		item := 0
		share := lists * uint64(counts[0]) / left
		for rank >= share {
			rank -= share
			item++
			share = lists * uint64(counts[item]) / left
		}
		items[i] = uint8(item)
		lists = share
		counts[item]--
	}
}

// Two ranks a list with the given number of zeros, and ones. All lists with a 0 at a
// place come before those with a 1 there.
func Two(zeros int, items []uint8) uint64 {
	rank := uint64(0)
	for i, item := range items {
		one := uint64(item)
		rank += listsOfTwo[zeros&(ItemsMax-1)][len(items)-i] & -one
		zeros -= 1 - int(one)
	}
	return rank
}

// ToTwo writes the list of a rank.
func ToTwo(zeros int, items []uint8, rank uint64) {
	for i := range items {
		before := listsOfTwo[zeros&(ItemsMax-1)][len(items)-i]
		items[i] = 0
		if rank >= before {
			rank -= before
			items[i] = 1
		} else {
			zeros--
		}
	}
}

// listsOfTwo holds, by zeros and length, the number of lists of zeros and ones that
// begin with a zero. Those needed for ranks below 2^64 fit a word.
var listsOfTwo = func() (lists [ItemsMax][ItemsMax + 1]uint64) {
	var chosen [ItemsMax]uint64 // binomial coefficients of the current length
	chosen[0] = 1
	for length := 1; length <= ItemsMax; length++ {
		for zeros := 1; zeros < ItemsMax; zeros++ {
			lists[zeros][length] = chosen[zeros-1]
		}
		for zeros := ItemsMax - 1; zeros > 0; zeros-- {
			chosen[zeros] += chosen[zeros-1]
		}
	}
	return lists
}()

// Parity returns the parity of a permutation of different numbers below ItemsMax: 1 if it
// is odd.
func Parity(items []uint8) (odd uint8) {
	seen := uint64(0)
	for _, item := range items {
		odd ^= uint8(bits.OnesCount64(seen >> (item & 63)))
		seen |= 1 << (item & 63)
	}
	return odd & 1
}
