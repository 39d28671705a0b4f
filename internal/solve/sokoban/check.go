package sokoban

import (
	"fmt"
	"strings"
)

// Check plays moves (u, d, l, r, capitals for pushes) on a drawn level by the rules
// alone, and returns the number of pushes. It returns an error if a move cannot be
// made, if a push is not written as one or the reverse, or if boxes end off the
// targets. It shares nothing with the solvers.
func Check(drawing, moves string) (pushes int, err error) {
	type square struct{ row, col int }
	walls, targets, boxes := map[square]bool{}, map[square]bool{}, map[square]bool{}
	var man square
	for row, line := range strings.Split(drawing, "\n") {
		for col, symbol := range line {
			at := square{row, col}
			walls[at] = symbol == '#'
			targets[at] = strings.ContainsRune(".*+", symbol)
			boxes[at] = strings.ContainsRune("$*", symbol)
			if strings.ContainsRune("@+", symbol) {
				man = at
			}
		}
	}
	steps := map[rune]square{'u': {-1, 0}, 'd': {1, 0}, 'l': {0, -1}, 'r': {0, 1}}
	// What the player could not walk to without boxes is not part of the level.
	inside, queue := map[square]bool{man: true}, []square{man}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, step := range steps {
			to := square{queue[0].row + step.row, queue[0].col + step.col}
			if drawn, ok := walls[to]; ok && !drawn && !inside[to] {
				inside[to] = true
				queue = append(queue, to)
			}
		}
	}
	for i, letter := range moves {
		step, ok := steps[letter|0x20]
		if !ok {
			return pushes, fmt.Errorf("move %d: %q is not one of u, d, l, r", i+1, letter)
		}
		to := square{man.row + step.row, man.col + step.col}
		beyond := square{to.row + step.row, to.col + step.col}
		pushing := boxes[to]
		switch {
		case walls[to]:
			return pushes, fmt.Errorf("move %d: %q goes into a wall", i+1, letter)
		case pushing != (letter < 'a'):
			return pushes, fmt.Errorf("move %d: %q: a push must be a capital letter, and only a push", i+1, letter)
		case pushing && (walls[beyond] || boxes[beyond]):
			return pushes, fmt.Errorf("move %d: %q pushes a box into a wall or another box", i+1, letter)
		}
		if pushing {
			delete(boxes, to)
			boxes[beyond] = true
			pushes++
		}
		man = to
	}
	for at, box := range boxes {
		if box && inside[at] && !targets[at] {
			return pushes, fmt.Errorf("after the last move, a box is not on a target")
		}
	}
	return pushes, nil
}
