package draw

import (
	"fmt"
	"slices"
	"strings"

	"github.com/everystate/everystate/internal/draw/walk"
	"github.com/everystate/everystate/puzzle"
)

// Film is a path from one state to another, as a looping animation.
type Film struct {
	// Panels are the states, one move apart. A caption names the move that led to
	// its state.
	Panels []Panel
	// Step is the time per move in seconds. Zero means 0.6.
	Step float64
}

// pause is how long the end is shown, in seconds.
const pause = 1.6

// walkStep is how long a player takes to walk a cell, in seconds.
const walkStep = 0.09

// moving is the fraction of a step in which something moves.
const moving = 0.55

// track is a piece and its movement.
type track struct {
	piece puzzle.Piece // as it is at first
	// Offsets from its first place, in cells, by frame.
	offsets []puzzle.Cell
	// The frames in which it exists.
	from, to int
	// index is its place in the pictures, for the drawing order.
	index int
	// home tells in which frames it is on a target, if that shows.
	home []bool
}

// motion is how a group moves in an animation.
type motion struct {
	times   []float64 // of frames, and the end of the film: seconds
	offsets []point
	seen    []bool
	step    float64
	// ways are the offsets that a player goes through to a frame, the first of them
	// where it was in the frame before; nil if it goes straight there.
	ways [][]point
	// only is one more than the frame in which a motionless group is visible; 0 if
	// offsets and seen describe the motion.
	only int
}

// tracks follows the pieces from picture to picture.
func (f *Film) tracks() []*track {
	var all, now []*track
	for i, panel := range f.Panels {
		pieces := panel.Picture.Pieces
		next := make([]*track, len(pieces))
		taken := make([]bool, len(now))
		// Match unmoved pieces first, then those that moved the least.
		for _, same := range []func(a *track, b *puzzle.Piece) bool{
			func(a *track, b *puzzle.Piece) bool {
				return a.alike(b) && a.at(i-1) == b.Cells[0] && a.piece.Label == b.Label
			},
			func(a *track, b *puzzle.Piece) bool { return a.alike(b) && a.at(i-1) == b.Cells[0] && !written(b) },
			func(a *track, b *puzzle.Piece) bool { return a.alike(b) && a.piece.Label == b.Label },
			func(a *track, b *puzzle.Piece) bool { return a.alike(b) && !written(b) },
		} {
			for j := range pieces {
				if next[j] != nil {
					continue
				}
				best, least := -1, 0
				for k, t := range now {
					if taken[k] || !same(t, &pieces[j]) {
						continue
					}
					at := t.at(i - 1)
					d := distance(at, pieces[j].Cells[0])
					if pieces[j].Kind == puzzle.PiecePeg {
						d = -d // the jumping peg comes from farther away than the captured one
					}
					if best < 0 || d < least {
						best, least = k, d
					}
				}
				if best < 0 {
					continue
				}
				taken[best] = true
				next[j] = now[best]
			}
		}
		for j := range pieces {
			t := next[j]
			if t == nil {
				t = &track{piece: pieces[j], from: i, index: j, offsets: make([]puzzle.Cell, i, len(f.Panels))}
				t.home = make([]bool, i, len(f.Panels))
				next[j] = t
				all = append(all, t)
			}
			first, at := t.piece.Cells[0], pieces[j].Cells[0]
			t.offsets = append(t.offsets, puzzle.Cell{Row: at.Row - first.Row, Col: at.Col - first.Col})
			g := panel.Picture
			t.home = append(t.home, g.Ground[at.Row*g.Cols+at.Col] == puzzle.GroundTarget)
			if t.piece.Label != pieces[j].Label {
				t.piece.Label = ""
			}
			t.to = i + 1
		}
		now = next
	}
	// Earlier pieces are drawn below, in the order of the pictures where that is an
	// order.
	slices.SortStableFunc(all, func(a, b *track) int { return a.index - b.index })
	return all
}

// written reports whether the text on a piece defines it.
func written(p *puzzle.Piece) bool {
	return p.Kind == puzzle.PieceTile || p.Kind == puzzle.PieceDigit || p.Kind == puzzle.PieceDisc
}

func distance(a, b puzzle.Cell) int {
	return max(a.Row-b.Row, b.Row-a.Row) + max(a.Col-b.Col, b.Col-a.Col)
}

// at returns where the first cell of a piece is.
func (t *track) at(frame int) puzzle.Cell {
	o := t.offsets[frame]
	return puzzle.Cell{Row: t.piece.Cells[0].Row + o.Row, Col: t.piece.Cells[0].Col + o.Col}
}

// alike reports whether a piece may be this one, in another place.
func (t *track) alike(b *puzzle.Piece) bool {
	a := &t.piece
	if a.Kind != b.Kind || a.Colour != b.Colour || len(a.Cells) != len(b.Cells) {
		return false
	}
	for i := range a.Cells {
		if a.Cells[i].Row-a.Cells[0].Row != b.Cells[i].Row-b.Cells[0].Row || a.Cells[i].Col-a.Cells[0].Col != b.Cells[i].Col-b.Cells[0].Col {
			return false
		}
	}
	return true
}

// captionHeight is the room below a film for the name of a move.
const captionHeight = 30

// scene draws all pieces at their first places, with their motions.
func (f *Film) scene(o Options) *Scene {
	l := layOut(f.widest())
	for _, p := range f.Panels { // a tile or disc may come later
		other := layOut(p.Picture)
		l.colours, l.textSize = max(l.colours, other.colours), min(l.textSize, other.textSize)
	}
	t := themeOf(o.Dark)
	s := &Scene{Width: l.width, Height: l.height + captionHeight, Title: o.Title}
	if s.Title == "" {
		s.Title = fmt.Sprintf("a board and %d moves", len(f.Panels)-1)
	}
	if o.Background {
		s.background = t.paper
	}
	times := f.times()
	var board []item
	l.ground(pen{&board})
	l.numbers(pen{&board}, o)
	board = append(board, f.facets(times)...)
	for _, tr := range f.tracks() {
		board = append(board, f.pieceItems(l, tr, times, o)...)
	}
	s.items = []item{{kind: itemGroup, group: board, dx: l.left, dy: l.top}}
	for i, p := range f.Panels {
		text := p.Caption
		if len(f.Panels) > 1 {
			text = strings.TrimSpace(fmt.Sprintf("%d/%d  %s", i, len(f.Panels)-1, p.Caption))
		}
		var own []item
		pen{&own}.text(l.width/2, l.height+18, 16, anchorMiddle, t.ink, clipped(text, 16, false, l.width-8))
		s.items = append(s.items, item{kind: itemGroup, group: own, motion: &motion{times: times, step: f.step(), only: i + 1}})
	}
	return s
}

func (f *Film) step() float64 {
	if f.Step == 0 {
		return 0.6
	}
	return f.Step
}

// widest returns the first picture, with the polygons of all others: what turns reaches
// farther than what is still.
func (f *Film) widest() *puzzle.Picture {
	all := *f.Panels[0].Picture
	all.Facets = nil
	for _, p := range f.Panels {
		for _, picture := range slices.Concat(p.Between, []*puzzle.Picture{p.Picture}) {
			all.Facets = append(all.Facets, picture.Facets...)
		}
	}
	return &all
}

// facets draws pictures without cells, each until the next one begins.
func (f *Film) facets(times []float64) []item {
	var pictures []*puzzle.Picture
	var begin []float64
	for i, p := range f.Panels {
		for k, between := range p.Between {
			n := float64(len(p.Between) + 1)
			pictures, begin = append(pictures, between), append(begin, times[i]-moving*f.step()*(1-float64(k+1)/n))
		}
		pictures, begin = append(pictures, p.Picture), append(begin, times[i])
	}
	begin = append(begin, times[len(times)-1])
	var all []item
	for i, p := range pictures {
		all = append(all, facets(p, &motion{times: begin, step: f.step(), only: i + 1})...)
	}
	return all
}

// times returns when each frame begins, and when the film ends. A player who walks takes
// its time.
func (f *Film) times() []float64 {
	var times []float64
	at := 0.0
	for i := range f.Panels {
		if i > 0 {
			at += f.step() + walkTime(len(f.way(i)))
		}
		times = append(times, at)
	}
	return append(times, at+pause)
}

// way returns the cells that the player walks through to a frame, nil if it does not.
func (f *Film) way(frame int) []puzzle.Cell {
	if frame == 0 {
		return nil
	}
	return walk.Way(f.Panels[frame-1].Picture, f.Panels[frame].Picture)
}

// walkTime returns how long the walk before the last step of a way takes.
func walkTime(cells int) float64 { return walkStep * float64(max(0, cells-2)) }

// pieceItems draws a moving piece; a box once for each of its two looks.
func (f *Film) pieceItems(l *layout, tr *track, times []float64, o Options) []item {
	var out []item
	looks := []bool{true}
	twoLooks := tr.piece.Kind == puzzle.PieceBox && tr.piece.Sprite == nil
	if twoLooks {
		looks = []bool{false, true}
	}
	for _, home := range looks {
		var own []item
		if twoLooks {
			crate(pen{&own}, tr.piece.Cells[0], home)
		} else {
			l.piece(pen{&own}, &tr.piece, o)
		}
		n := len(f.Panels)
		m := &motion{times: times, step: f.step(), offsets: make([]point, n), seen: make([]bool, n)}
		walks := tr.piece.Kind == puzzle.PiecePlayer && tr.piece.Sprite == nil
		if walks {
			m.ways = make([][]point, n)
		}
		for i := range f.Panels {
			if walks {
				for _, c := range f.way(i) {
					m.ways[i] = append(m.ways[i], point{float64(c.Col-tr.piece.Cells[0].Col) * l.pitch.x, float64(c.Row-tr.piece.Cells[0].Row) * l.pitch.y})
				}
			}
			here := i >= tr.from && i < tr.to
			at := min(max(i, tr.from), tr.to-1)
			m.offsets[i] = l.middle(tr.at(at)).minus(l.middle(tr.piece.Cells[0]))
			m.seen[i] = here && (!twoLooks || tr.home[i] == home)
		}
		if !slices.Contains(m.seen, true) {
			continue
		}
		g := item{kind: itemGroup, group: own}
		if !m.still() {
			g.motion = m
		}
		out = append(out, g)
	}
	return out
}

func (m *motion) still() bool {
	for i := range m.seen {
		if !m.seen[i] || m.offsets[i] != m.offsets[0] {
			return false
		}
	}
	return true
}

// at returns where a group is at a time, and whether it is visible. The motion to
// state i is at the end of the step before it.
func (m *motion) at(seconds float64) (offset point, seen bool) {
	i := len(m.times) - 2
	for i > 0 && m.times[i] > seconds {
		i--
	}
	if m.only > 0 {
		return point{}, i == m.only-1
	}
	offset, seen = m.offsets[i], m.seen[i]
	if i+1 < len(m.offsets) {
		begin := m.times[i+1] - moving*m.step
		if way := m.way(i + 1); way != nil && seconds > begin-walkTime(len(way)) {
			leg := min(int((seconds-begin+walkTime(len(way)))/walkStep), len(way)-2)
			offset = way[leg]
			if leg < len(way)-2 {
				return offset.towards(way[leg+1], (seconds-begin+walkTime(len(way)))/walkStep-float64(leg)), seen
			}
		}
		if seconds > begin {
			f := (seconds - begin) / (moving * m.step)
			f = f * f * (3 - 2*f)
			offset = offset.towards(m.offsets[i+1], f)
		}
	}
	return offset, seen
}

// way returns the offsets that lead to a frame, nil if the piece goes straight there.
func (m *motion) way(frame int) []point {
	if m.ways == nil {
		return nil
	}
	return m.ways[frame]
}

// svg writes the motion as SVG animations.
func (m *motion) svg(w *svgWriter) {
	total := m.times[len(m.times)-1]
	share := func(seconds float64) string {
		text := fmt.Sprintf("%.5f", min(max(seconds/total, 0), 1))
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
		if strings.HasPrefix(text, "0.") {
			text = text[1:]
		}
		return text
	}
	var times, values []string
	key := func(seconds float64, value string) {
		times, values = append(times, share(seconds)), append(values, value)
	}
	place := func(p point) string { return number(p.x) + " " + number(p.y) }
	if m.only > 0 {
		if m.only > 1 {
			key(0, "hidden")
		}
		key(m.times[m.only-1], "visible")
		if m.only+1 < len(m.times) {
			key(m.times[m.only], "hidden")
		}
		m.visibility(w, total, times, values)
		return
	}
	n := len(m.offsets)
	moves := false
	key(0, place(m.offsets[0]))
	for i := 1; i < n; i++ {
		if m.offsets[i] == m.offsets[i-1] {
			continue
		}
		moves = true
		begin, way := m.times[i]-moving*m.step, m.way(i)
		if way == nil {
			way = []point{m.offsets[i-1], m.offsets[i]}
		}
		for k, p := range way[:len(way)-1] {
			key(begin-walkTime(len(way))+walkStep*float64(k), place(p))
		}
		key(m.times[i], place(m.offsets[i]))
	}
	if moves {
		key(total, place(m.offsets[n-1]))
		fmt.Fprintf(w, `<animateTransform attributeName="transform" type="translate" dur="%ss" repeatCount="indefinite" keyTimes="%s" values="%s"/>`+"\n",
			number(total), strings.Join(times, ";"), strings.Join(values, ";"))
	}
	if !slices.Contains(m.seen, false) {
		return
	}
	times, values = nil, nil
	for i := range n {
		if i == 0 || m.seen[i] != m.seen[i-1] {
			value := "hidden"
			if m.seen[i] {
				value = "visible"
			}
			key(m.times[i], value)
		}
	}
	m.visibility(w, total, times, values)
}

func (m *motion) visibility(w *svgWriter, total float64, times, values []string) {
	fmt.Fprintf(w, `<animate attributeName="visibility" calcMode="discrete" dur="%ss" repeatCount="indefinite" keyTimes="%s" values="%s"/>`+"\n",
		number(total), strings.Join(times, ";"), strings.Join(values, ";"))
}

// Still returns all that the film shows at one time or another, in one scene.
func (f *Film) Still(o Options) *Scene { return f.scene(o) }

// SVG returns the film as an SVG that is animated without a script.
func (f *Film) SVG(o Options) []byte {
	return f.scene(o).SVG(o)
}

// frame returns the scene as it looks at a time.
func (s *Scene) frame(seconds float64) *Scene {
	out := *s
	out.items = still(s.items, seconds)
	return &out
}

func still(items []item, seconds float64) []item {
	out := make([]item, 0, len(items))
	for _, it := range items {
		if it.kind == itemGroup {
			if it.motion != nil {
				offset, seen := it.motion.at(seconds)
				if !seen {
					continue
				}
				it.dx, it.dy = it.dx+offset.x, it.dy+offset.y
			}
			it.group = still(it.group, seconds)
		}
		out = append(out, it)
	}
	return out
}
