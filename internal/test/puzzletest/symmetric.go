package puzzletest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// SymmetricText returns the text of a random permutation puzzle with two orbits whose
// sites, three or four, can be turned into one another. Some are refused when read, as
// two of their moves are the same.
func SymmetricText(rng *rand.Rand) string {
	sites := 3 + rng.IntN(2)
	sizes := [2]int{sites, sites * (1 + rng.IntN(2))}
	modulus := 1 + rng.IntN(3)
	text := fmt.Sprintf("puzzle: permutation\nmetric: htm\nsets: P Q\npieces: %d / ", sizes[0])
	if rng.IntN(3) == 0 && sizes[1] > sites {
		text += strings.TrimSpace(strings.Repeat("1 2 ", sites)) + "\n"
	} else {
		text += fmt.Sprintf("%d\n", sizes[1])
	}
	text += "orientations:" + strings.Repeat(fmt.Sprint(" ", modulus), sizes[0]) + strings.Repeat(" 1", sizes[1]) + "\n"
	p, q := rng.Perm(sizes[0])[:2+rng.IntN(2)], rng.Perm(sizes[1])[:2+rng.IntN(2)]
	turns := []int{rng.IntN(modulus), rng.IntN(modulus), rng.IntN(modulus)}
	for site := range sites {
		cycles := "("
		for i, place := range p {
			cycles += fmt.Sprintf(" %d+%d", (place+site)%sizes[0]+1, turns[i])
		}
		cycles += ")("
		for _, place := range q {
			cycles += fmt.Sprintf(" %d", sizes[0]+(place+site*sizes[1]/sites)%sizes[1]+1)
		}
		text += fmt.Sprintf("move M%d: %s)\n", site, cycles)
	}
	return text
}

// SiteTurn returns the line "NAME: cycles" of the turn by one site of a puzzle that
// SymmetricText returned, and the number of sites; false if pieces of it look alike.
func SiteTurn(text, name string) (line string, sites int, ok bool) {
	var others int
	_, pieces, _ := strings.Cut(text, "pieces: ")
	if n, err := fmt.Sscanf(pieces, "%d / %d\n", &sites, &others); n != 2 || err != nil {
		return "", 0, false
	}
	line = name + ": "
	for first := range 1 + others/sites {
		line += "("
		for i := range sites {
			if first == 0 {
				line += fmt.Sprintf(" %d", i+1)
			} else {
				line += fmt.Sprintf(" %d", sites+first+i*(others/sites))
			}
		}
		line += ")"
	}
	return line + "\n", sites, true
}

// ModuloText returns a puzzle of SymmetricText modulo the turn by one site.
func ModuloText(text string) (modulo string, ok bool) {
	line, _, ok := SiteTurn(text, "alias x")
	return strings.Replace(text, "orientations:", "modulo: x\norientations:", 1) + line, ok
}
