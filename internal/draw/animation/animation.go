// Package animation writes pictures that follow one another as a GIF.
//
// Of each picture only the rectangle that differs from the one before is stored. All have
// one palette, taken from pictures that the caller names.
package animation

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/gif"
	"slices"
)

// A Film is an animation to which pictures are added.
type Film struct {
	gif    gif.GIF
	colour *quantizer
	before *image.RGBA
}

// New returns a film without pictures. Its palette has the 256 most frequent colours of
// the given ones.
func New(pictures ...*image.RGBA) *Film { return &Film{colour: newQuantizer(pictures...)} }

// Add adds a picture, of the size of those before, and how long it is shown, in
// hundredths of a second. The picture must not be changed later.
func (f *Film) Add(img *image.RGBA, hundredths int) {
	area := img.Bounds()
	if f.before != nil {
		area = changed(f.before, img)
		if area.Empty() {
			f.gif.Delay[len(f.gif.Delay)-1] += hundredths
			return
		}
	}
	f.gif.Image = append(f.gif.Image, f.colour.image(img, area))
	f.gif.Delay = append(f.gif.Delay, hundredths)
	f.gif.Disposal = append(f.gif.Disposal, gif.DisposalNone)
	f.before = img
}

// GIF returns the film as a looping GIF. It needs at least one picture.
func (f *Film) GIF() ([]byte, error) {
	f.gif.Config = image.Config{ColorModel: f.colour.palette, Width: f.before.Bounds().Dx(), Height: f.before.Bounds().Dy()}
	var buf bytes.Buffer
	if err := gif.EncodeAll(&buf, &f.gif); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// changed returns the rectangle in which two pictures differ.
func changed(a, b *image.RGBA) image.Rectangle {
	var out image.Rectangle
	r := b.Bounds()
	for y := r.Min.Y; y < r.Max.Y; y++ {
		ra, rb := a.Pix[a.PixOffset(r.Min.X, y):a.PixOffset(r.Max.X, y)], b.Pix[b.PixOffset(r.Min.X, y):b.PixOffset(r.Max.X, y)]
		if bytes.Equal(ra, rb) {
			continue
		}
		first, last := 0, len(ra)-1
		for ra[first] == rb[first] {
			first++
		}
		for ra[last] == rb[last] {
			last--
		}
		out = out.Union(image.Rect(r.Min.X+first/4, y, r.Min.X+last/4+1, y+1))
	}
	return out
}

// quantizer maps pixels to a palette of 256 colours.
type quantizer struct {
	palette color.Palette
	known   map[[3]uint8]uint8
}

// newQuantizer chooses the most frequent colours of some pictures.
func newQuantizer(pictures ...*image.RGBA) *quantizer {
	counts := map[[3]uint8]int{}
	for _, img := range pictures {
		for i := 0; i+3 < len(img.Pix); i += 4 {
			counts[[3]uint8(img.Pix[i:i+3])]++
		}
	}
	type entry struct {
		c [3]uint8
		n int
	}
	var list []entry
	for c, n := range counts {
		list = append(list, entry{c, n})
	}
	slices.SortFunc(list, func(a, b entry) int {
		return cmp.Or(cmp.Compare(b.n, a.n), bytes.Compare(a.c[:], b.c[:]))
	})
	q := &quantizer{known: map[[3]uint8]uint8{}}
	for _, e := range list[:min(len(list), 256)] {
		q.known[e.c] = uint8(len(q.palette)) // at most 256
		q.palette = append(q.palette, color.RGBA{e.c[0], e.c[1], e.c[2], 0xff})
	}
	return q
}

func (q *quantizer) image(img *image.RGBA, area image.Rectangle) *image.Paletted {
	out := image.NewPaletted(area, q.palette)
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			i := img.PixOffset(x, y)
			c := [3]uint8(img.Pix[i : i+3])
			n, ok := q.known[c]
			if !ok {
				n = uint8(q.palette.Index(color.RGBA{c[0], c[1], c[2], 0xff}))
				q.known[c] = n
			}
			out.Pix[out.PixOffset(x, y)] = n
		}
	}
	return out
}
