package draw

import (
	"errors"

	"github.com/everystate/everystate/internal/draw/animation"
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
	last, err := s.frame(times[len(f.Panels)-1]).Image(scale)
	if err != nil {
		return nil, err
	}
	var out *animation.Film
	for i, t := range moments {
		if o.Progress != nil {
			_ = o.Progress(float64(i) / float64(len(moments)))
		}
		img, err := s.frame(t.at).Image(scale)
		if err != nil {
			return nil, err
		}
		if out == nil {
			out = animation.New(img, last)
		}
		out.Add(img, t.delay)
	}
	return out.GIF()
}
