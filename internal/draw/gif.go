package draw

import (
	"bytes"
	"cmp"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"slices"
)

// framesMax bounds the states of a film written as a GIF.
const framesMax = 4000

// ErrTooLong reports a film with too many moves for a GIF.
var ErrTooLong = errors.New("a GIF holds at most 4,000 moves: choose SVG")

// GIF returns the film as a GIF, with scale pixels per unit.
func (f *Film) GIF(o Options, scale float64) ([]byte, error) {
	if len(f.Panels) > framesMax {
		return nil, ErrTooLong
	}
	o.Background = true // translucent pixels need a background
	s := f.scene(o)
	times, step := f.times(), f.step()
	// Each move takes a few pictures, fewer if there are many moves.
	tween := 4
	for tween > 1 && tween*len(f.Panels) > framesMax/5 {
		tween--
	}
	type moment struct {
		at    float64
		delay int // in hundredths of a second
	}
	var moments []moment
	hundredths := func(seconds float64) int { return int(seconds*100 + 0.5) }
	for i := range f.Panels {
		if i == len(f.Panels)-1 {
			moments = append(moments, moment{times[i], hundredths(pause)})
			break
		}
		rest := step * (1 - moving)
		if tween == 1 {
			rest = step
		}
		moments = append(moments, moment{times[i], hundredths(rest)})
		walked := walkTime(len(f.way(i + 1)))
		if tween == 1 {
			moments[len(moments)-1].delay += hundredths(walked)
			continue
		}
		for at := walkStep; at < walked+walkStep/2; at += walkStep {
			moments = append(moments, moment{times[i+1] - moving*step - walked + at, hundredths(walkStep)})
		}
		for j := 1; j < tween; j++ {
			at := times[i+1] - moving*step*(1-float64(j)/float64(tween))
			moments = append(moments, moment{at, hundredths(moving * step / float64(tween-1))})
		}
	}
	out := &gif.GIF{}
	var q *quantizer
	var before *image.RGBA
	for i, t := range moments {
		if o.Progress != nil {
			_ = o.Progress(float64(i) / float64(len(moments)))
		}
		img, err := s.frame(t.at).Image(scale)
		if err != nil {
			return nil, err
		}
		if q == nil {
			last, err := s.frame(times[len(f.Panels)-1]).Image(scale)
			if err != nil {
				return nil, err
			}
			q = newQuantizer(img, last)
		}
		area := img.Bounds()
		if before != nil {
			area = changed(before, img)
			if area.Empty() {
				out.Delay[len(out.Delay)-1] += t.delay
				continue
			}
		}
		out.Image = append(out.Image, q.image(img, area))
		out.Delay = append(out.Delay, t.delay)
		out.Disposal = append(out.Disposal, gif.DisposalNone)
		before = img
	}
	out.Config = image.Config{ColorModel: q.palette, Width: before.Bounds().Dx(), Height: before.Bounds().Dy()}
	var buf bytes.Buffer
	if err := gif.EncodeAll(&buf, out); err != nil {
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
