// Package paint colours text, or leaves it as it is. Whether to colour is decided
// once per stream and passed as a value.
package paint

import "github.com/fatih/color"

// Paint colours text. The zero value leaves text as it is.
type Paint struct{ on bool }

// New returns a Paint that colours text if on is set.
func New(on bool) Paint { return Paint{on} }

// On reports whether text is coloured.
func (p Paint) On() bool { return p.on }

// Bold makes text stand out.
func (p Paint) Bold(text string) string { return p.with(text, color.Bold) }

// Faint makes text recede.
func (p Paint) Faint(text string) string { return p.with(text, color.Faint) }

// Bar colours the bars of charts.
func (p Paint) Bar(text string) string { return p.with(text, color.FgCyan) }

// Good colours text about a success.
func (p Paint) Good(text string) string { return p.with(text, color.FgGreen) }

// Bad colours text about a failure.
func (p Paint) Bad(text string) string { return p.with(text, color.FgRed) }

// Colours of the 256-colour palette that all boards share.
const (
	Goal = 160 // red, used for nothing else
	Wall = 240
)

// Tone returns one of eighteen backgrounds that are easy to distinguish from one
// another and from red.
func Tone(n int) uint8 {
	tones := [...]uint8{67, 178, 34, 138, 37, 180, 61, 174, 99, 107, 215, 151, 109, 187, 95, 72, 130, 29}
	return tones[n%len(tones)]
}

// Block puts text on a background of the 256-colour palette, in black if dark is
// set, else in white. strong makes it bold and underlined.
func (p Paint) Block(text string, background uint8, dark, strong bool) string {
	const foreground, back, palette = 38, 48, 5
	ink := color.Attribute(231) // white
	if dark {
		ink = 16 // black
	}
	style := []color.Attribute{foreground, palette, ink, back, palette, color.Attribute(background)}
	if strong {
		style = append(style, color.Bold, color.Underline)
	}
	return p.with(text, style...)
}

func (p Paint) with(text string, style ...color.Attribute) string {
	if !p.on || text == "" {
		return text
	}
	c := color.New(style...)
	c.EnableColor()
	return c.Sprint(text)
}
