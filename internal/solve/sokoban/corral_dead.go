package sokoban

// A corral that a push has closed may be dead: with the other boxes removed, its
// boxes can neither be brought to targets nor let the player in. Other boxes only
// take pushes away, so the level is then dead as well.

const (
	corralNodesMax = 200     // per search; after that a corral is not considered dead
	corralsHeld    = 1 << 15 // answers remembered
)

// corralKey is a position of some boxes.
type corralKey struct {
	boxes cellSet
	least uint8
}

// corrals detects dead corrals.
type corrals struct {
	expander *expander
	known    map[corralKey]bool
	seen     map[corralKey]bool
	queue    []corralKey
	children []child
}

func newCorrals(t *tables) *corrals {
	return &corrals{
		expander: &expander{tables: t, prune: pruneFreeze | prunePairs | pruneTriples},
		known:    map[corralKey]bool{}, seen: map[corralKey]bool{},
	}
}

// dead reports whether a push has closed a dead corral.
func (k *corrals) dead(c *child) bool {
	l := k.expander.level
	closed := l.closed(&c.reached, &c.boxes)
	var done cellSet
	for _, to := range l.next[c.to] {
		if to < 0 || !closed.has(int(to)) || done.has(int(to)) {
			continue
		}
		inside, fence := l.around(int(to), &c.boxes)
		for w := range done {
			done[w] |= inside[w]
		}
		if fence != c.boxes && l.unfinished(&inside, &fence) && k.deadAlone(&inside, &fence, int(c.push.from)) {
			return true
		}
	}
	return false
}

// around returns the free cells connected to one, and the boxes around them.
func (l *level) around(from int, boxes *cellSet) (inside, fence cellSet) {
	inside = l.walk(boxes, from)
	for w, word := range inside {
		for ; word != 0; word &= word - 1 {
			for _, to := range l.next[w<<6+trailing(word)] {
				if to >= 0 && boxes.has(int(to)) {
					fence.add(int(to))
				}
			}
		}
	}
	return inside, fence
}

// deadAlone searches the positions of a fence with all other boxes removed.
func (k *corrals) deadAlone(inside, fence *cellSet, player int) bool {
	e := k.expander
	reached := e.walk(fence, player)
	start := corralKey{*fence, uint8(reached.least())}
	if answer, ok := k.known[start]; ok {
		return answer
	}
	if len(k.known) >= corralsHeld {
		clear(k.known)
	}
	answer := k.search(inside, start)
	k.known[start] = answer
	return answer
}

func (k *corrals) search(inside *cellSet, start corralKey) bool {
	e := k.expander
	clear(k.seen)
	k.seen[start] = true
	k.queue = append(k.queue[:0], start)
	for i := 0; i < len(k.queue); i++ {
		if i == corralNodesMax {
			return false
		}
		e.enter(&k.queue[i].boxes, int(k.queue[i].least))
		k.children = e.children(k.children[:0])
		for j := range k.children {
			c := &k.children[j]
			if meets(&c.reached, inside) || within(&c.boxes, &e.targets) {
				return false
			}
			if next := (corralKey{c.boxes, c.least}); !k.seen[next] {
				k.seen[next] = true
				k.queue = append(k.queue, next)
			}
		}
	}
	return true
}

// meets reports whether two sets have a cell in common.
func meets(a, b *cellSet) bool {
	for w := range a {
		if a[w]&b[w] != 0 {
			return true
		}
	}
	return false
}

// within reports whether a set is a subset of another.
func within(a, b *cellSet) bool {
	for w := range a {
		if a[w]&^b[w] != 0 {
			return false
		}
	}
	return true
}
