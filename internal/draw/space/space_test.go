package space

import (
	"bytes"
	"image/color"
	"image/gif"
	"testing"
)

// film has layers of three points each, the goal in the last, and a dead state.
func film(layers int) *Film {
	f := &Film{Title: "a film", Width: 200, Height: 150}
	for d := range layers {
		for i := range 3 {
			f.X, f.Z = append(f.X, float32(i-1)), append(f.Z, float32(1-i))
			f.Y = append(f.Y, 1-2*float32(d)/float32(max(1, layers-1)))
			f.Depths = append(f.Depths, int32(d))
			f.Distances = append(f.Distances, int32(layers-1-d))
		}
		f.Layers, f.Goals = append(f.Layers, 3), append(f.Goals, 3)
	}
	f.Distances[0] = -1
	f.Goals[layers-1] = 2
	return f
}

// frames reads a film: how many pixels of each frame have a colour.
func frames(t *testing.T, f *Film, of func(c color.RGBA) bool) []int {
	t.Helper()
	data, err := f.GIF()
	if err != nil {
		t.Fatal(err)
	}
	g, err := gif.DecodeAll(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	shown := make([]color.RGBA, f.Width*f.Height)
	var counts []int
	for _, img := range g.Image {
		r := img.Bounds()
		for y := r.Min.Y; y < r.Max.Y; y++ {
			for x := r.Min.X; x < r.Max.X; x++ {
				shown[y*f.Width+x] = color.RGBAModel.Convert(img.At(x, y)).(color.RGBA)
			}
		}
		n := 0
		for _, c := range shown {
			if of(c) {
				n++
			}
		}
		counts = append(counts, n)
	}
	return counts
}

// TestFilm: the layers appear one after another with their frontier glowing, then the goal
// distances; a state from which no goal can be reached keeps its colour.
func TestFilm(t *testing.T) {
	const layers = 7
	glowing := frames(t, film(layers), func(c color.RGBA) bool { return c == glow })
	if len(glowing) != 2*layers {
		t.Fatalf("%d frames, want %d", len(glowing), 2*layers)
	}
	for i, n := range glowing {
		if last := i%layers == layers-1; last != (n == 0) {
			t.Errorf("frame %d: %d pixels glow", i, n)
		}
	}
	grey := frames(t, film(layers), func(c color.RGBA) bool { return c == faint })
	for i, n := range grey {
		if (i >= layers && i < 2*layers-1) != (n > 0) {
			t.Errorf("frame %d: %d pixels wait for goals", i, n)
		}
		if i > layers && n > grey[i-1] {
			t.Errorf("frame %d: more pixels wait for goals than before", i)
		}
	}
	if n := frames(t, film(layers), func(c color.RGBA) bool { return c == dead }); 4*n[layers-1] > n[2*layers-1] {
		t.Errorf("dead states are shown in %v pixels", n)
	}
	f := film(layers)
	f.Distances, f.Goals = nil, nil
	if n := frames(t, f, func(color.RGBA) bool { return true }); len(n) != layers {
		t.Errorf("without goal distances there are %d frames", len(n))
	}
}

// TestLongFilm: several of many layers appear in one frame, all of them in the end.
func TestLongFilm(t *testing.T) {
	f := film(1000)
	told := -1.0
	f.Progress = func(part float64) {
		if part <= told || part > 1 {
			t.Errorf("progress goes from %v to %v", told, part)
		}
		told = part
	}
	if n := frames(t, f, func(c color.RGBA) bool { return c == ground }); len(n) != 2*framesMax || n[0] <= n[framesMax-1] {
		t.Errorf("%d frames", len(n))
	}
	for _, layers := range []int{1, 2, 149, 150, 151, 1000} {
		s := steps(layers)
		if s[len(s)-1] != layers-1 || len(s) > framesMax {
			t.Errorf("%d layers: %v", layers, s)
		}
	}
	if n := frames(t, film(1), func(color.RGBA) bool { return true }); len(n) == 0 {
		t.Error("a space of one layer has no film")
	}
}
