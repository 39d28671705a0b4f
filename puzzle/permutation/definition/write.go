package definition

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Text writes a definition as twsearch and ksolve read it. All moves have images.
func (d *Definition) Text() string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s %s\n\n", wordName, strings.ReplaceAll(d.named(), " ", "_"))
	for _, s := range d.Sets {
		fmt.Fprintf(&out, "%s %s %d %d\n", wordSet, s.Name, s.Places, s.Orientations)
	}
	fmt.Fprintf(&out, "\n%s\n", wordSolved)
	for i := range d.Sets {
		s := &d.Sets[i]
		pieces, turns := make([]string, s.Places), make([]string, s.Places)
		for j, p := range d.Solved[s.First : s.First+s.Places] {
			pieces[j], turns[j] = strconv.Itoa(p.Number), strconv.Itoa(p.Turn)
			if p.Modulus < s.Orientations {
				turns[j] = "?"
			}
		}
		writeRows(&out, s, pieces, turns)
	}
	out.WriteString(wordEnd + "\n")
	for _, list := range [][]Move{d.Moves, d.Words} {
		for _, m := range list {
			fmt.Fprintf(&out, "\n%s %s\n", wordMove, m.Name.Text)
			for i := range d.Sets {
				s := &d.Sets[i]
				pieces, turns := make([]string, s.Places), make([]string, s.Places)
				for to := range s.Places {
					from := int(m.From[s.First+to]) - s.First
					pieces[to], turns[from] = strconv.Itoa(from+1), strconv.Itoa(int(m.By[s.First+to]))
				}
				writeRows(&out, s, pieces, turns)
			}
			out.WriteString(wordEnd + "\n")
		}
	}
	if len(d.Blocked) > 0 {
		out.WriteByte('\n')
	}
	for _, b := range d.Blocked {
		for _, s := range d.Sets {
			if b.Place >= s.First && b.Place < s.First+s.Places {
				fmt.Fprintf(&out, "%s %s %d %d\n", wordIllegal, s.Name, b.Place-s.First+1, b.Number)
			}
		}
	}
	return out.String()
}

func (d *Definition) named() string {
	if d.Name == "" {
		return "Unnamed"
	}
	return d.Name
}

func writeRows(out *strings.Builder, s *Set, pieces, turns []string) {
	fmt.Fprintf(out, "%s\n%s\n", s.Name, strings.Join(pieces, " "))
	if s.Orientations > 1 {
		fmt.Fprintf(out, "%s\n", strings.Join(turns, " "))
	}
}

// JSON writes a definition as cubing.js and twips read it. All moves have images;
// blocked pieces cannot be written.
func (d *Definition) JSON() string {
	var orbits, pattern, moves []string
	for i := range d.Sets {
		s := &d.Sets[i]
		orbits = append(orbits, fmt.Sprintf(`    {%q: %s, %q: %d, %q: %d}`,
			keyOrbitName, quoted(s.Name), keyPieces, s.Places, keyOrientations, s.Orientations))
		pieces, turns, moduli := make([]int, s.Places), make([]int, s.Places), make([]int, s.Places)
		told := true
		for j, p := range d.Solved[s.First : s.First+s.Places] {
			pieces[j], turns[j] = p.Number-1, p.Turn
			if p.Modulus < s.Orientations {
				moduli[j], told = p.Modulus, false
			}
		}
		text := fmt.Sprintf(`    %s: {%q: %s, %q: %s`, quoted(s.Name), keyPatternOf, list(pieces), keyOrientation, list(turns))
		if !told {
			text += fmt.Sprintf(`, %q: %s`, keyModulus, list(moduli))
		}
		pattern = append(pattern, text+"}")
	}
	for _, all := range [][]Move{d.Moves, d.Words} {
		for _, m := range all {
			var sets []string
			for i := range d.Sets {
				s := &d.Sets[i]
				from, by := make([]int, s.Places), make([]int, s.Places)
				for to := range s.Places {
					from[to], by[to] = int(m.From[s.First+to])-s.First, int(m.By[s.First+to])
				}
				sets = append(sets, fmt.Sprintf(`      %s: {%q: %s, %q: %s}`, quoted(s.Name), keyPermutation, list(from), keyDelta, list(by)))
			}
			moves = append(moves, fmt.Sprintf("    %s: {\n%s\n    }", quoted(m.Name.Text), strings.Join(sets, ",\n")))
		}
	}
	return fmt.Sprintf("{\n  %q: %s,\n  %q: [\n%s\n  ],\n  %q: {\n%s\n  },\n  %q: {\n%s\n  }\n}\n",
		keyName, quoted(d.named()), keyOrbits, strings.Join(orbits, ",\n"), keyDefault, strings.Join(pattern, ",\n"), keyMoves, strings.Join(moves, ",\n"))
}

func quoted(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		return `""` // not of a string
	}
	return string(b)
}

func list(numbers []int) string { return strings.ReplaceAll(fmt.Sprint(numbers), " ", ", ") }
