package sweep

import "cmp"

// Compare orders records as a database does: by distance, then by size, the greatest
// first, and then by board, as the reference does, which writes empty cells as dots.
func Compare(a, b *Record) int {
	return cmp.Or(cmp.Compare(b.Distance(), a.Distance()), cmp.Compare(b.States(), a.States()), compareBoards(a.Board, b.Board))
}

func compareBoards(a, b string) int {
	for i := range min(len(a), len(b)) {
		switch x, y := a[i], b[i]; {
		case x == y:
		case x == 'o':
			return -1
		case y == 'o':
			return 1
		default:
			return cmp.Compare(x, y)
		}
	}
	return cmp.Compare(len(a), len(b))
}
