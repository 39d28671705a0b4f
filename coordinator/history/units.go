package history

// UnitSet is the units of a sweep that are done.
type UnitSet []uint64

// Done reports whether a unit is done.
func (s UnitSet) Done(unit int) bool {
	return unit/64 < len(s) && s[unit/64]>>(unit%64)&1 != 0
}

// Add adds a unit. It reports whether the unit was not in the set.
func (s *UnitSet) Add(unit uint32) bool {
	for int64(len(*s)) <= int64(unit/64) {
		*s = append(*s, 0)
	}
	word, bit := &(*s)[unit/64], uint64(1)<<(unit%64)
	if *word&bit != 0 {
		return false
	}
	*word |= bit
	return true
}
