package draw

import "image/color"

// rgb makes a colour of 0xRRGGBB.
func rgb(hex uint32) color.NRGBA {
	return color.NRGBA{uint8(hex >> 16), uint8(hex >> 8), uint8(hex), 0xff}
}

// alpha makes a colour of 0xRRGGBB with an opacity of 0 to 1.
func alpha(hex uint32, opacity float64) color.NRGBA {
	c := rgb(hex)
	c.A = uint8(opacity*0xff + 0.5)
	return c
}

// mix returns a colour between two.
func mix(a, b color.NRGBA, f float64) color.NRGBA {
	part := func(x, y uint8) uint8 { return uint8(float64(x) + (float64(y)-float64(x))*f + 0.5) }
	return color.NRGBA{part(a.R, b.R), part(a.G, b.G), part(a.B, b.B), part(a.A, b.A)}
}

func darker(c color.NRGBA, f float64) color.NRGBA { return mix(c, color.NRGBA{A: c.A}, f) }
func lighter(c color.NRGBA, f float64) color.NRGBA {
	return mix(c, color.NRGBA{0xff, 0xff, 0xff, c.A}, f)
}

// light reports whether dark text reads better on a colour than white text.
func light(c color.NRGBA) bool {
	return 0.299*float64(c.R)+0.587*float64(c.G)+0.114*float64(c.B) > 138
}

// textOn returns a colour for text.
func textOn(c color.NRGBA) color.NRGBA {
	if light(c) {
		return rgb(0x1d2733)
	}
	return rgb(0xffffff)
}

// Colours that are the same in dark and light mode: a board brings its own
// background. Only the goal is red, and its pieces also bear a mark, so that nothing
// depends on hue alone.
var (
	colourFrame  = rgb(0x56606f)
	colourFloor  = rgb(0xe6eaef)
	colourGrid   = rgb(0xd7dde4)
	colourWall   = rgb(0x8792a1)
	colourGoal   = rgb(0xd62f45)
	colourShadow = alpha(0x10151c, 0.28)
	colourWheel  = rgb(0x2a2f37)
	colourWood   = rgb(0xc98f4e)
	colourPeg    = rgb(0x3f74b5)
)

// pieceColours distinguish pieces. Neighbours in the list differ in lightness as well
// as in hue.
var pieceColours = []color.NRGBA{
	rgb(0x3f74b5), rgb(0xf0c445), rgb(0x3f9a6c), rgb(0xb9a3dd), rgb(0x8a5f45), rgb(0x7cc3e6),
	rgb(0xe88a33), rgb(0x5c6470), rgb(0x9fd087), rgb(0x6f57a3), rgb(0xc9b79c), rgb(0x1f8f9b),
	rgb(0xd9dde2), rgb(0x27527e), rgb(0xd39bb6), rgb(0x7d7f2e),
}

func pieceColour(n int) color.NRGBA { return pieceColours[n%len(pieceColours)] }

// stickerColours are the colours of a cube's faces, in the order up, right, front,
// down, left, back.
var stickerColours = []color.NRGBA{
	rgb(0xf7f7f2), rgb(0xc5283d), rgb(0x2f9e5b), rgb(0xf6d743), rgb(0xf08a24), rgb(0x2a62b8),
}

// ramp goes from dark to light, and stays ordered for those who cannot see hues.
var ramp = []color.NRGBA{
	rgb(0x443a83), rgb(0x31688e), rgb(0x21908d), rgb(0x35b779), rgb(0x90d743), rgb(0xfde725),
}

// rampColour returns the colour at f of the ramp, 0 to 1.
func rampColour(f float64) color.NRGBA {
	f = min(max(f, 0), 1) * float64(len(ramp)-1)
	i := min(int(f), len(ramp)-2)
	return mix(ramp[i], ramp[i+1], f-float64(i))
}

// distanceRamp is the scale of goal distances and depths, wherever they are shown: the
// page has the same in colours.ts.
var distanceRamp = []color.NRGBA{
	rgb(0x440154), rgb(0x472d7b), rgb(0x3b528b), rgb(0x2c728e), rgb(0x21918c), rgb(0x28ae80), rgb(0x5ec962), rgb(0xaddc30), rgb(0xfde725),
}

// distanceColour returns the colour at f of the scale, 0 to 1. The end that would not
// stand out from the paper is left out.
func distanceColour(f float64, dark bool) color.NRGBA {
	if f = 0.85 * min(max(f, 0), 1); dark {
		f += 0.15
	}
	f *= float64(len(distanceRamp) - 1)
	i := min(int(f), len(distanceRamp)-2)
	return mix(distanceRamp[i], distanceRamp[i+1], f-float64(i))
}

// theme is the colours outside boards.
type theme struct {
	ink, faint, line, paper color.NRGBA
	dark                    bool
}

func themeOf(dark bool) theme {
	if dark {
		return theme{ink: rgb(0xe8ebef), faint: rgb(0x9aa5b3), line: rgb(0x39424e), paper: rgb(0x14181d), dark: true}
	}
	return theme{ink: rgb(0x1d2733), faint: rgb(0x5e6977), line: rgb(0xd7dde4), paper: rgb(0xffffff)}
}
