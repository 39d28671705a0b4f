package rushhour

// allSymbols holds every symbol that can name a vehicle, in the order in which
// vehicles without letters of their own are named.
const allSymbols = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnpqrstuvwyz0123456789"

// vehicleNames returns the names of the vehicles in moves. Letters are their own
// names. In the types notation, where vehicles have none, the goal vehicle is X and
// the others are named in reading order of the start: A to Z without X, the lower-case
// letters without o and x, 0 to 9, then AA, AB and so on.
func vehicleNames(s *setup) []string {
	names := make([]string, len(s.vehicles))
	next := 0
	for i, v := range s.vehicles {
		switch {
		case s.notation != notationTypes, i == s.goal:
			names[i] = string(v.symbol)
		default:
			names[i] = nameOfNumber(next)
			next++
		}
	}
	return names
}

// nameOfNumber returns the name of the n-th vehicle other than X.
func nameOfNumber(n int) string {
	const singles = len(allSymbols) - 1
	if n < singles {
		if n >= 'X'-'A' {
			n++
		}
		return allSymbols[n : n+1]
	}
	n -= singles
	return string([]byte{'A' + byte(n/26), 'A' + byte(n%26)}) // at most 256 vehicles
}
