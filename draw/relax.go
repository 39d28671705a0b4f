package draw

import "math"

const (
	relaxRounds    = 240
	relaxRoundsFew = 120 // of many states
	// reach is how far states push one another away, in mean distances.
	reach = 3.0
)

// relax lets edges pull their ends together and states push away those that are
// near, while each is held near the ring of its depth. It takes a fixed number of
// rounds, in a fixed order: the same graph lies the same way every time.
func relax(places []point, radii []float64, near [][]int) {
	n := len(places)
	if n < 3 {
		return
	}
	const all = posterSide/2 - posterMargin
	k := all * math.Sqrt(math.Pi/float64(n)) * 0.9
	push := make([]point, n)
	cells := newCells(n, reach*k)
	rounds := relaxRounds
	if n > 5000 {
		rounds = relaxRoundsFew
	}
	for round := range rounds {
		left := 1 - float64(round)/float64(rounds)
		heat := max(all*0.12*left*left, k*0.02)
		clear(push)
		cells.fill(places)
		cells.pairs(places, func(i, j int) {
			d := places[i].minus(places[j])
			r := d.length()
			if r < 1e-6 { // two in one place go apart in a direction of their own
				a := float64(i*7919+j) * 2.399963
				d, r = point{math.Cos(a), math.Sin(a)}.times(1e-3), 1e-3
			}
			if r > reach*k {
				return
			}
			f := d.times(k * k / (r * r) * (1 - r/(reach*k)))
			push[i] = push[i].plus(f)
			push[j] = push[j].minus(f)
		})
		for i, list := range near {
			for _, j := range list {
				if j <= i {
					continue
				}
				d := places[j].minus(places[i])
				f := d.times(d.length() / k * 0.5 / (1 + float64(min(len(list), len(near[j])))*0.15))
				push[i] = push[i].plus(f)
				push[j] = push[j].minus(f)
			}
		}
		for i := range places {
			r := places[i].length()
			if r > 1e-9 {
				push[i] = push[i].plus(places[i].times((radii[i] - r) / r * 0.6))
			}
			if radii[i] == 0 {
				continue // the start stays in the middle
			}
			if length := push[i].length(); length > heat {
				push[i] = push[i].times(heat / length)
			}
			places[i] = places[i].plus(push[i])
			if r := places[i].length(); r > all {
				places[i] = places[i].times(all / r)
			}
		}
	}
}

// cells are squares that states are sorted into, so that only near ones meet.
type cells struct {
	side  float64
	count int
	first []int32 // in each square, or -1
	next  []int32 // in the same square
}

func newCells(n int, side float64) *cells {
	c := &cells{side: max(side, posterSide/256), next: make([]int32, n)}
	c.count = int(posterSide/c.side) + 3
	c.first = make([]int32, c.count*c.count)
	return c
}

func (c *cells) square(p point) (x, y int) {
	x = min(max(int((p.x+posterSide/2)/c.side)+1, 0), c.count-1)
	y = min(max(int((p.y+posterSide/2)/c.side)+1, 0), c.count-1)
	return x, y
}

func (c *cells) fill(places []point) {
	for i := range c.first {
		c.first[i] = -1
	}
	for i := len(places) - 1; i >= 0; i-- {
		x, y := c.square(places[i])
		at := &c.first[y*c.count+x]
		c.next[i] = *at
		*at = int32(i) //nolint:gosec // GraphStatesMax at the most
	}
}

// pairs calls f with every two states that are near, the lower number first.
func (c *cells) pairs(places []point, f func(i, j int)) {
	for i := range places {
		x, y := c.square(places[i])
		for dy := -1; dy <= 1; dy++ {
			for dx := -1; dx <= 1; dx++ {
				if x+dx < 0 || y+dy < 0 || x+dx >= c.count || y+dy >= c.count {
					continue
				}
				for j := c.first[(y+dy)*c.count+x+dx]; j >= 0; j = c.next[j] {
					if int(j) > i {
						f(i, int(j))
					}
				}
			}
		}
	}
}
