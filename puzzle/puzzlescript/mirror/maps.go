package mirror

import (
	"fmt"

	"github.com/everystate/everystate/puzzle/puzzlescript/game"
)

// A Map is a reflection or rotation of a board.
type Map struct {
	Name string  // r90 is a turn by 90 degrees clockwise; m90 reflects left and right first
	To   []int32 // by cell: its image

	sides [4]game.Direction // the images of up, right, down and left
}

// Maps returns the reflections and rotations that map a board to itself, the identity
// first. Cells are numbered column by column.
func Maps(width, height int) []Map {
	var maps []Map
	for _, kind := range "rm" {
		for turns := range 4 {
			if turns%2 == 1 && width != height {
				continue
			}
			maps = append(maps, newMap(fmt.Sprintf("%c%d", kind, 90*turns), kind == 'm', turns, width, height))
		}
	}
	return maps
}

func newMap(name string, mirrored bool, turns, width, height int) Map {
	m := Map{Name: name, sides: [4]game.Direction{game.Up, game.Right, game.Down, game.Left}}
	if mirrored {
		m.sides[1], m.sides[3] = m.sides[3], m.sides[1]
	}
	sides := [4]game.Direction{game.Up, game.Right, game.Down, game.Left}
	for n, d := range m.sides {
		for k, from := range sides {
			if d == from {
				m.sides[n] = sides[(k+turns)%4]
			}
		}
	}
	for i := range width * height {
		x, y, w, h := i/height, i%height, width, height
		if mirrored {
			x = w - 1 - x
		}
		for range turns {
			x, y, w, h = h-1-y, x, h, w
		}
		m.To = append(m.To, int32(x*h+y))
	}
	return m
}

// Direction returns the image of a set of movements.
func (m *Map) Direction(d game.Direction) game.Direction {
	image := d & game.Action
	for n, from := range [4]game.Direction{game.Up, game.Right, game.Down, game.Left} {
		if d&from != 0 {
			image |= m.sides[n]
		}
	}
	return image
}
