package group

import "math/big"

// Spanned returns the order of the subgroup that vectors generate in the product of
// the cyclic groups of the given moduli.
func Spanned(moduli []int, vectors [][]int) *big.Int {
	order := big.NewInt(1)
	var rows [][]int
	for _, v := range vectors {
		rows = append(rows, append([]int(nil), v...))
	}
	for col, m := range moduli {
		// Combine the rows to one row with the least entry possible, and zeros in the
		// others. The multiple of that row that clears its entry is a row again.
		pivot := make([]int, len(moduli))
		for _, row := range rows {
			for row[col]%m != 0 {
				if pivot[col] == 0 {
					copy(pivot, row)
					clear(row)
					break
				}
				subtract(row, pivot, row[col]/pivot[col], moduli, col)
				if row[col] != 0 {
					for j := range row {
						row[j], pivot[j] = pivot[j], row[j]
					}
				}
			}
		}
		if pivot[col] == 0 {
			continue
		}
		step := gcd(pivot[col], m)
		// A multiple of the pivot has the entry step; the rest of the pivot remains a
		// row.
		times := 1
		for times*pivot[col]%m != step {
			times++
		}
		small := make([]int, len(moduli))
		subtract(small, pivot, -times, moduli, col)
		left := append([]int(nil), pivot...)
		subtract(left, small, pivot[col]/step, moduli, col)
		over := make([]int, len(moduli))
		subtract(over, small, -(m / step), moduli, col)
		rows = append(rows, left, over)
		order.Mul(order, big.NewInt(int64(m/step)))
	}
	return order
}

// subtract subtracts a multiple of another row from a row, from a column on.
func subtract(row, other []int, times int, moduli []int, col int) {
	for j := col; j < len(row); j++ {
		row[j] = ((row[j]-times*other[j])%moduli[j] + moduli[j]) % moduli[j]
	}
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
