package puzzlescript

import (
	"strconv"
	"strings"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/puzzlescript/game"
)

// palette returns the shade of a colour that the language names. The shades are our
// own; a game that wants others writes them as #rrggbb.
func palette(name string) (colour uint32, ok bool) {
	colour, ok = map[string]uint32{
		"black": 0x14161a, "white": 0xfcfcfa, "gray": 0x8f979f, "darkgray": 0x5b636b, "lightgray": 0xc9cfd4,
		"red": 0xc9302c, "darkred": 0x7d2323, "lightred": 0xe57b84, "brown": 0x9c6630, "darkbrown": 0x503a26, "lightbrown": 0xe0b25a,
		"orange": 0xe8892b, "yellow": 0xf3dc5c, "green": 0x3f8f3a, "darkgreen": 0x23513a, "lightgreen": 0x9ccb46,
		"blue": 0x2f62d9, "lightblue": 0xa6d3ec, "darkblue": 0x1d2a4a, "purple": 0x55368f, "pink": 0xdf6f9f,
	}[strings.Replace(name, "grey", "gray", 1)]
	return colour, ok
}

// pixel returns a colour of an object as a pixel, or 0 if it is transparent.
func pixel(colour string) uint32 {
	colour = strings.ToLower(colour)
	if rgb, ok := palette(colour); ok {
		return puzzle.Opaque | rgb
	}
	digits, ok := strings.CutPrefix(colour, "#")
	if len(digits) == 3 {
		digits = strings.Join([]string{digits[:1], digits[:1], digits[1:2], digits[1:2], digits[2:], digits[2:]}, "")
	}
	rgb, err := strconv.ParseUint(digits, 16, 24)
	if !ok || len(digits) != 6 || err != nil {
		return 0
	}
	return puzzle.Opaque | uint32(rgb)
}

// spriteOf returns the image of an object. One without a sprite is a square of its
// first colour.
func spriteOf(o *game.Object) *puzzle.Sprite {
	var s puzzle.Sprite
	var colours []uint32
	for _, c := range o.Colours {
		colours = append(colours, pixel(c))
	}
	for i := range s {
		row, col := i/puzzle.SpriteSize, i%puzzle.SpriteSize
		n := 0
		switch {
		case len(o.Sprite) == 0:
		case row >= len(o.Sprite) || col >= len(o.Sprite[row]) || o.Sprite[row][col] == '.':
			continue
		default:
			n = int(o.Sprite[row][col] - '0')
		}
		if n >= 0 && n < len(colours) {
			s[i] = colours[n]
		}
	}
	return &s
}
