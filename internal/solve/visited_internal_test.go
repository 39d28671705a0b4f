package solve

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/everystate/everystate/puzzle"
)

// TestVisited puts random keys, many of them twice, into a set and into a map.
func TestVisited(t *testing.T) {
	t.Parallel()
	for words := 1; words <= 3; words++ {
		random := rand.New(rand.NewPCG(uint64(words), 1))
		v, twin := newVisited(words), map[string]int{}
		for i := range 20000 {
			key := make([]uint64, words)
			key[words-1] = random.Uint64N(8000)
			if i%3 == 0 {
				key[0] = math.MaxUint64 - random.Uint64N(100)
			}
			name := fmt.Sprint(key)
			want, known := twin[name]
			if before := v.number(key); known != (before >= 0) || known && before != want {
				t.Fatalf("%d words: %v is number %d, want %d, %v", words, key, before, want, known)
			}
			if !known {
				want = len(twin)
				twin[name] = want
			}
			n, fresh := v.add(key, puzzle.Move(i%7))
			if n != want || fresh == known {
				t.Fatalf("%d words: add %v: number %d, %v, want %d, %v", words, key, n, fresh, want, !known)
			}
			if fresh && (v.links[n] != puzzle.Move(i%7) || fmt.Sprint(v.key(n)) != name) {
				t.Fatalf("%d words: number %d is %v by %d", words, n, v.key(n), v.links[n])
			}
		}
		if v.len() != len(twin) {
			t.Errorf("%d words: %d states, want %d", words, v.len(), len(twin))
		}
	}
}
