package draw

import (
	"image/color"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/everystate/everystate/puzzle"
)

// Options say how boards are drawn. The zero value draws a plain board.
type Options struct {
	// Labels writes on each piece its name in moves. Text that defines a piece, such
	// as the number of a tile, is always written.
	Labels bool

	// Title describes the picture to those who cannot see it. Empty means "board".
	Title string

	// Dark makes the text around boards, and the lines of plots, bright.
	Dark bool

	// Background fills the background. Without it, the picture is transparent.
	Background bool

	// Progress, if not nil, is told the part of a layout or of frames done. It returns nil.
	Progress func(part float64) error

	// Paper is what cards are printed on. Zero means A4.
	Paper Paper

	// Pieces makes every piece a group with an attribute data-piece, its number in
	// Picture.Pieces from 0, and omits the picture's width and height, so that a page
	// can style it. SVG only.
	Pieces bool
}

// SVG returns a board as SVG.
func SVG(p *puzzle.Picture, o Options) []byte { return Board(p, o).SVG(o) }

// Board returns a board as a scene.
func Board(p *puzzle.Picture, o Options) *Scene {
	l := layOut(p)
	s := l.scene(o)
	board := &s.items[0]
	for i := range p.Pieces {
		board.group = append(board.group, l.pieceItems(i, o)...)
	}
	return s
}

// scene draws a board without its pieces: a group that they belong into.
func (l *layout) scene(o Options) *Scene {
	s := &Scene{Width: l.width, Height: l.height, Title: o.Title}
	if s.Title == "" {
		s.Title = "board"
	}
	if o.Background {
		s.background = themeOf(o.Dark).paper
	}
	var inner []item
	l.ground(pen{&inner})
	l.numbers(pen{&inner}, o)
	inner = append(inner, facets(l.Picture, nil)...)
	s.items = []item{{kind: itemGroup, group: inner, dx: l.left, dy: l.top}}
	return s
}

// pieceItems draws a piece.
func (l *layout) pieceItems(i int, o Options) []item {
	var own []item
	l.piece(pen{&own}, &l.Pieces[i], o)
	if o.Pieces {
		own = []item{{kind: itemGroup, group: own, piece: i + 1}}
	}
	return own
}

// numbers writes the numbers of rows and columns at the left and at the top, if moves
// name cells by them.
func (l *layout) numbers(p pen, o Options) {
	if !l.Numbered || !o.Labels {
		return
	}
	const size = 10
	ink := rgb(0x7c8795) // outside of the board, on any paper
	if l.plate == plateRings {
		for i := range l.Spots {
			at, m := l.middle(puzzle.Cell{Col: i}), l.Rings[0].Middle
			out := at.minus(point{m.X * Cell, m.Y * Cell})
			at = at.plus(out.times((ringHalf*Cell + 9) / out.length()))
			p.centred(at.x, at.y, size, ink, strconv.Itoa(i+1))
		}
		return
	}
	if l.plate == plateFrame {
		ink = rgb(0xffffff)
	}
	for row := range l.Rows {
		p.centred(-numberRoom/2.0, (float64(row)+0.5)*Cell, size, ink, strconv.Itoa(row+1))
	}
	for col := range l.Cols {
		p.centred((float64(col)+0.5)*Cell, -numberRoom/2.0, size, ink, strconv.Itoa(col+1))
	}
}

// side is a side of a board.
type side uint8

const (
	sideRight side = iota
	sideLeft
	sideTop
	sideBottom
)

// plate is what a board lies on.
type plate uint8

const (
	plateNone   plate = iota
	plateFrame        // a tray with a rim
	plateHull         // a tray around holes that do not touch
	plateStakes       // a stake for every tower of discs
	plateRings        // grooves along rings
)

// layout is where a board lies in its picture, and what applies to all of it.
type layout struct {
	*puzzle.Picture
	left, top     float64 // where the first cell begins
	width, height float64
	rim           float64
	pitch         point // from a cell to the next one
	plate         plate
	bricks        bool // walls are of bricks: the puzzle has a player
	cells         []puzzle.Cell
	exits         map[puzzle.Cell]side
	colours       int     // one more than the largest Colour
	textSize      float64 // of the text on tiles
	words         bool    // tiles do not bear numbers
}

// exitRoom is the room for an arrow beside an exit.
const exitRoom = 18

// numberRoom is the room for the numbers of rows and columns.
const numberRoom = 13

func layOut(p *puzzle.Picture) *layout {
	l := &layout{Picture: p, rim: 7, pitch: point{Cell, Cell}, plate: plateFrame, exits: map[puzzle.Cell]side{}, textSize: 21}
	kinds := map[puzzle.PieceKind]int{}
	whole := true
	for i, g := range p.Ground {
		at := puzzle.Cell{Row: i / p.Cols, Col: i % p.Cols}
		if g != puzzle.GroundNone {
			l.cells = append(l.cells, at)
		} else {
			whole = false
		}
	}
	goalAcross := true
	for i := range p.Pieces {
		piece := &p.Pieces[i]
		kinds[piece.Kind]++
		l.colours = max(l.colours, piece.Colour+1)
		if piece.Goal && piece.Kind == puzzle.PieceVehicle {
			goalAcross = across(piece)
		}
		if piece.Kind == puzzle.PieceTile {
			if _, err := strconv.Atoi(piece.Label); err != nil {
				l.words = true
			}
			if n := utf8.RuneCountInString(piece.Label); n > 2 {
				l.textSize = min(l.textSize, 44/float64(n))
			}
		}
	}
	switch {
	case len(p.Facets) > 0:
		l.plate, l.rim = plateNone, 4
	case len(p.Spots) > 0:
		l.plate, l.rim = plateRings, 6
	case len(p.Tiles) > 0:
		l.plate, l.rim = plateNone, 2
	case kinds[puzzle.PieceDisc] > 0:
		l.plate, l.rim, l.pitch = plateStakes, 6, point{14, 26}
	case kinds[puzzle.PieceBox]+kinds[puzzle.PiecePlayer] > 0:
		l.plate, l.bricks, l.rim = plateNone, true, 2
	case !connected(l.cells):
		// Holes are two columns apart in an equilateral triangle.
		l.plate, l.rim, l.pitch = plateHull, 10, point{Cell / math.Sqrt(3), Cell}
	case !whole && kinds[puzzle.PieceTile] > 0 && kinds[puzzle.PieceTile] == len(p.Pieces):
		l.plate, l.rim = plateNone, 4 // the net of a body
	}
	margin := [4]float64{l.rim, l.rim, l.rim, l.rim}
	for _, c := range p.Exit {
		s := exitSide(p, c, goalAcross)
		l.exits[c] = s
		margin[s] = l.rim + exitRoom
	}
	if p.Numbered {
		for i := range margin {
			margin[i] = max(margin[i], numberRoom)
		}
		if l.plate == plateFrame {
			l.rim = numberRoom
		}
		if l.plate == plateRings { // the numbers are around the ring
			margin = [4]float64{18, 18, 18, 18}
		}
	}
	// A board stays centred: the page aligns boards.
	margin[sideLeft] = max(margin[sideLeft], margin[sideRight])
	margin[sideRight] = margin[sideLeft]
	margin[sideTop] = max(margin[sideTop], margin[sideBottom])
	margin[sideBottom] = margin[sideTop]
	l.left, l.top = margin[sideLeft], margin[sideTop]
	if l.plate == plateHull { // pieces at its edge are wider than a column
		l.left += (Cell - l.pitch.x) / 2
	}
	size := l.size()
	l.width, l.height = size.x+2*l.left, size.y+2*l.top
	return l
}

// size returns the size of a board without its margins.
func (l *layout) size() point {
	if len(l.Spots)+len(l.Facets) == 0 {
		return point{float64(l.Cols) * l.pitch.x, float64(l.Rows) * l.pitch.y}
	}
	b := emptyBox()
	add := func(at puzzle.Spot, by float64) { b.add(point{(at.X + by) * Cell, (at.Y + by) * Cell}) }
	for _, at := range l.Spots {
		add(at, 0.5)
	}
	for _, r := range l.Rings {
		add(r.Middle, ringReach(r))
	}
	for _, f := range l.Facets {
		for _, at := range f.Corners {
			add(at, 0)
		}
	}
	return point{b.x1, b.y1}
}

// exitSide returns the side of the board that a cell is an exit on. In a corner, it
// is the side that the goal vehicle drives towards.
func exitSide(p *puzzle.Picture, c puzzle.Cell, goalAcross bool) side {
	ends := []side{sideRight, sideLeft, sideBottom, sideTop}
	if !goalAcross {
		ends = []side{sideBottom, sideTop, sideRight, sideLeft}
	}
	at := map[side]bool{
		sideLeft: c.Col == 0, sideRight: c.Col == p.Cols-1, sideTop: c.Row == 0, sideBottom: c.Row == p.Rows-1,
	}
	for _, s := range ends {
		if at[s] {
			return s
		}
	}
	return sideRight
}

// across reports whether a vehicle lies in a row.
func across(piece *puzzle.Piece) bool {
	return len(piece.Cells) < 2 || piece.Cells[0].Row == piece.Cells[1].Row
}

// middle returns the middle of a cell.
func (l *layout) middle(c puzzle.Cell) point {
	if len(l.Spots) > 0 {
		at := l.Spots[c.Row*l.Cols+c.Col]
		return point{at.X * Cell, at.Y * Cell}
	}
	return point{(float64(c.Col) + 0.5) * l.pitch.x, (float64(c.Row) + 0.5) * l.pitch.y}
}

func (l *layout) middles(cells []puzzle.Cell) []point {
	out := make([]point, 0, len(cells))
	for _, c := range cells {
		out = append(out, l.middle(c))
	}
	return out
}

func (l *layout) at(row, col int) puzzle.Ground {
	if row < 0 || col < 0 || row >= l.Rows || col >= l.Cols {
		return puzzle.GroundNone
	}
	return l.Ground[row*l.Cols+col]
}

// cellsOf returns the cells with one kind of ground.
func (l *layout) cellsOf(kind puzzle.Ground) []puzzle.Cell {
	var out []puzzle.Cell
	for _, c := range l.cells {
		if l.at(c.Row, c.Col) == kind {
			out = append(out, c)
		}
	}
	return out
}

// ground draws everything static.
func (l *layout) ground(p pen) {
	if len(l.Tiles) > 0 {
		l.tiles(p)
		return
	}
	switch l.plate {
	case plateStakes:
		l.stakes(p)
		return
	case plateRings:
		l.grooves(p)
		return
	case plateHull:
		var out path
		out.polygon(hull(l.middles(l.cells))...)
		p.add(item{path: out, fill: colourFrame, stroke: colourFrame, width: Cell + 2*l.rim - 4})
		p.add(item{path: out, fill: mix(colourFloor, colourFrame, 0.12), stroke: mix(colourFloor, colourFrame, 0.12), width: Cell + 2*l.rim - 14})
	case plateFrame:
		p.fill(outline(l.cells, -l.rim, 11), colourFrame)
		p.fill(outline(l.cells, -1, 5), colourFloor)
	case plateNone:
	}
	l.exitGaps(p)
	l.floor(p)
	l.targets(p)
	l.holes(p)
	l.walls(p)
	l.regions(p)
}

// floor draws the floor so that cells can be distinguished.
func (l *layout) floor(p pen) {
	if l.bricks {
		floor := append(l.cellsOf(puzzle.GroundFloor), l.cellsOf(puzzle.GroundTarget)...)
		var even, odd path
		for _, c := range floor {
			x, y := float64(c.Col)*Cell, float64(c.Row)*Cell
			if (c.Row+c.Col)%2 == 0 {
				even.rect(x, y, Cell, Cell)
			} else {
				odd.rect(x, y, Cell, Cell)
			}
		}
		p.fill(even, colourFloor)
		p.fill(odd, mix(colourFloor, colourGrid, 0.6))
		return
	}
	if l.plate != plateFrame {
		return
	}
	if len(l.cellsOf(puzzle.GroundHole)) == 0 {
		board := func(i int) bool { return l.Ground[i] != puzzle.GroundNone }
		p.stroke(l.between(func(i, j int) bool { return board(i) && board(j) }), 1.5, colourGrid)
	}
}

// between returns the lines between adjacent cells for which of is true, as few as
// possible.
func (l *layout) between(of func(i, j int) bool) path {
	var lines path
	run := func(n int, here func(int) bool, line func(from, to int)) {
		for from := 0; from < n; from++ {
			to := from
			for to < n && here(to) {
				to++
			}
			if to > from {
				line(from, to)
			}
			from = to
		}
	}
	for row := 1; row < l.Rows; row++ {
		run(l.Cols, func(col int) bool { return of((row-1)*l.Cols+col, row*l.Cols+col) }, func(from, to int) {
			lines.move(float64(from)*Cell, float64(row)*Cell)
			lines.line(float64(to)*Cell, float64(row)*Cell)
		})
	}
	for col := 1; col < l.Cols; col++ {
		run(l.Rows, func(row int) bool { return of(row*l.Cols+col-1, row*l.Cols+col) }, func(from, to int) {
			lines.move(float64(col)*Cell, float64(from)*Cell)
			lines.line(float64(col)*Cell, float64(to)*Cell)
		})
	}
	return lines
}

// targets marks the targets.
func (l *layout) targets(p pen) {
	cells := l.cellsOf(puzzle.GroundTarget)
	if !l.bricks {
		if len(cells) > 0 {
			p.fill(outline(cells, 3, 6), alpha(0xd62f45, 0.13))
			p.add(item{path: outline(cells, 4.5, 6), stroke: colourGoal, width: 2, dash: 6})
		}
		return
	}
	for _, c := range cells {
		m := middle(c)
		p.circle(m.x, m.y, 11, colourGoal)
		p.circle(m.x, m.y, 7.5, colourFloor)
		p.circle(m.x, m.y, 4, colourGoal)
	}
}

func (l *layout) holes(p pen) {
	for _, c := range l.cellsOf(puzzle.GroundHole) {
		m := l.middle(c)
		p.circle(m.x, m.y, 9, rgb(0x9aa5b3))
		p.circle(m.x, m.y+1, 7.5, rgb(0x39424e))
	}
}

// walls draws the cells that nothing enters.
func (l *layout) walls(p pen) {
	cells := l.cellsOf(puzzle.GroundWall)
	if len(cells) == 0 {
		return
	}
	if !l.bricks {
		p.fill(outline(cells, 1, 4), colourWall)
		var light path
		for _, c := range cells {
			x, y := float64(c.Col)*Cell, float64(c.Row)*Cell
			for _, d := range []float64{10, 20, 30} { // hatched: impassable
				light.move(x+d-6, y+Cell-8)
				light.line(x+d+6, y+8)
			}
		}
		p.stroke(light, 2.5, lighter(colourWall, 0.25))
		return
	}
	p.fill(outline(cells, 0, 4), rgb(0x4a5360))
	// Two rows of bricks per cell; those of the lower row span two cells.
	var bricks path
	const half, gap = Cell / 2, 1.5
	for _, c := range cells {
		x, y := float64(c.Col)*Cell, float64(c.Row)*Cell
		bricks.roundRect(x+gap, y+gap, Cell-2*gap, half-2*gap, 0)
		from, to := x+gap, x+half-gap
		if l.at(c.Row, c.Col-1) != puzzle.GroundWall {
			bricks.rect(from, y+half+gap, to-from, half-2*gap)
		}
		from, to = x+half+gap, x+Cell-gap
		if l.at(c.Row, c.Col+1) == puzzle.GroundWall {
			to = x + Cell + half - gap
		}
		bricks.rect(from, y+half+gap, to-from, half-2*gap)
	}
	p.fill(bricks, colourWall)
}

// regions draws the boxes of a grid.
func (l *layout) regions(p pen) {
	if len(l.Regions) != len(l.Ground) {
		return
	}
	p.stroke(l.between(func(i, j int) bool { return l.Regions[i] != l.Regions[j] }), 3, colourFrame)
}

// exitGaps opens the frame at the exits, and draws arrows there.
func (l *layout) exitGaps(p pen) {
	for _, c := range l.Exit {
		s := l.exits[c]
		m := middle(c)
		var out point // from the middle to the edge
		switch s {
		case sideRight:
			out = point{1, 0}
		case sideLeft:
			out = point{-1, 0}
		case sideTop:
			out = point{0, -1}
		case sideBottom:
			out = point{0, 1}
		}
		edge := m.plus(out.times(Cell / 2))
		beside := point{-out.y, out.x}
		var gap path
		const half = Cell/2 - 2
		a, b := edge.plus(beside.times(-half)), edge.plus(beside.times(half))
		far := out.times(l.rim + 0.5)
		gap.polygon(a, a.plus(far), b.plus(far), b)
		p.fill(gap, colourFloor)
		tip := edge.plus(out.times(l.rim + 14))
		var arrow path
		arrow.polygon(tip, tip.minus(out.times(10)).plus(beside.times(9)), tip.minus(out.times(10)).plus(beside.times(-9)))
		p.fill(arrow, colourGoal)
	}
}

// stakes draws what discs are put on, if there are separate stakes: otherwise the
// discs are a stack.
func (l *layout) stakes(p pen) {
	var spans [][2]int // of columns
	for col := 0; col < l.Cols; col++ {
		if l.at(0, col) == puzzle.GroundNone {
			continue
		}
		if n := len(spans); n > 0 && spans[n-1][1] == col {
			spans[n-1][1]++
		} else {
			spans = append(spans, [2]int{col, col + 1})
		}
	}
	bottom := float64(l.Rows) * l.pitch.y
	for _, s := range spans {
		x0, x1 := float64(s[0])*l.pitch.x, float64(s[1])*l.pitch.x
		if len(spans) > 1 {
			p.rect((x0+x1)/2-3, -2, 6, bottom+2, 3, colourWall)
		}
	}
	p.rect(-3, bottom-0.5, float64(l.Cols)*l.pitch.x+6, 6, 3, colourFrame)
}

// piece draws a piece.
func (l *layout) piece(p pen, piece *puzzle.Piece, o Options) {
	if piece.Sprite != nil {
		l.sprite(p, piece.Cells[0], piece.Sprite)
		return
	}
	switch piece.Kind {
	case puzzle.PieceVehicle:
		vehicle(p, piece, l.goalSide(), o.Labels)
	case puzzle.PieceTile:
		if l.plate == plateRings {
			l.token(p, piece)
			return
		}
		l.tile(p, piece)
	case puzzle.PieceBox:
		c := piece.Cells[0]
		crate(p, c, l.at(c.Row, c.Col) == puzzle.GroundTarget)
	case puzzle.PiecePlayer:
		player(p, piece.Cells[0])
	case puzzle.PiecePeg:
		peg(p, l.middle(piece.Cells[0]), piece.Goal)
	case puzzle.PieceDisc:
		l.disc(p, piece)
	case puzzle.PieceDigit:
		m := middle(piece.Cells[0])
		ink := rgb(0x1d2733)
		if piece.Colour > 0 {
			ink = rgb(0x2a62b8)
		}
		p.centred(m.x, m.y, 24, ink, piece.Label)
	default:
		block(p, piece, o.Labels && !l.Numbered)
	}
}

// goalSide returns the side of the first exit.
func (l *layout) goalSide() side {
	if len(l.Exit) == 0 {
		return sideRight
	}
	return l.exits[l.Exit[0]]
}

// block draws a flat block with the outline of its cells.
func block(p pen, piece *puzzle.Piece, labels bool) {
	fill := pieceColour(piece.Colour)
	if piece.Goal {
		fill = colourGoal
	}
	p.fill(outline(piece.Cells, 1.5, 7), darker(fill, 0.28))
	face := outline(piece.Cells, 3, 6)
	for i := range face { // the lower edge of the piece is visible
		face[i].to.y -= 1.5
		face[i].ctrl[0].y -= 1.5
	}
	p.fill(face, fill)
	m := markPoint(piece)
	labels = labels && piece.Label != ""
	switch {
	case labels && piece.Goal:
		star(p, point{m.x - 9, m.y}, 7)
		p.centred(m.x+8, m.y, 16, textOn(fill), piece.Label)
	case piece.Goal:
		star(p, m, 9)
	case labels:
		p.centred(m.x, m.y, 16, textOn(fill), piece.Label)
	}
}

// star marks a piece that the goal refers to.
func star(p pen, m point, r float64) {
	var points []point
	for i := range 10 {
		d := r
		if i%2 == 1 {
			d = r * 0.45
		}
		a := math.Pi * (float64(i)/5 - 0.5)
		points = append(points, m.plus(point{math.Cos(a), math.Sin(a)}.times(d)))
	}
	var out path
	out.polygon(points...)
	p.fill(out, rgb(0xffffff))
}

// markPoint returns a place for a mark on a piece: the piece's middle if that lies on
// it, otherwise the middle of one of its central cells.
func markPoint(piece *puzzle.Piece) point {
	b := emptyBox()
	in := map[puzzle.Cell]bool{}
	for _, c := range piece.Cells {
		in[c] = true
		b.add(middle(c))
	}
	m := point{(b.x0 + b.x1) / 2, (b.y0 + b.y1) / 2}
	// A mark in the middle touches up to four cells.
	all := true
	for _, d := range []point{{-1, -1}, {1, -1}, {-1, 1}, {1, 1}} {
		q := m.plus(d)
		all = all && in[puzzle.Cell{Row: int(math.Floor(q.y / Cell)), Col: int(math.Floor(q.x / Cell))}]
	}
	if all {
		return m
	}
	best := middle(piece.Cells[0])
	for _, c := range piece.Cells {
		if q := middle(c); q.minus(m).length() < best.minus(m).length()-0.01 {
			best = q
		}
	}
	return best
}

// vehicle draws a car, or a truck if it is longer than two cells, from above.
func vehicle(p pen, piece *puzzle.Piece, goal side, labels bool) {
	fill := pieceColour(piece.Colour)
	if piece.Goal {
		fill = colourGoal
	}
	first := piece.Cells[0]
	n := float64(len(piece.Cells))
	// Drawn as if driving right from (0, 0), then placed.
	place := func(x, y, w, h float64) (float64, float64, float64, float64) {
		left, top := float64(first.Col)*Cell, float64(first.Row)*Cell
		length := n * Cell
		back := piece.Goal && (goal == sideLeft || goal == sideTop)
		if !across(piece) {
			// Up, unless it drives out below.
			if !piece.Goal || back {
				return left + y, top + length - x - w, h, w
			}
			return left + y, top + x, h, w
		}
		if back {
			return left + length - x - w, top + y, w, h
		}
		return left + x, top + y, w, h
	}
	put := func(x, y, w, h, r float64, c color.NRGBA) {
		x, y, w, h = place(x, y, w, h)
		p.rect(x, y, w, h, r, c)
	}
	length := n * Cell
	dark := darker(fill, 0.3)
	glass := rgb(0x26323f)
	for _, x := range []float64{8, length - 17} { // wheels on both sides
		put(x, 2.5, 9, 5, 2, colourWheel)
		put(x, Cell-7.5, 9, 5, 2, colourWheel)
	}
	put(2.5, 4.5, length-5, Cell-9, 8, dark)
	put(2.5, 4.5, length-5, Cell-10.5, 8, fill)
	roof := lighter(fill, 0.2)
	var cx float64 // the middle of what a label is on
	if n > 2 {
		put(5.5, 7.5, length-40, Cell-16.5, 3, roof)
		put(length-29, 9, 7, Cell-19.5, 2.5, glass)
		cx = 5.5 + (length-40)/2
	} else {
		put(length*0.21, 8, length*0.52, Cell-17.5, 6, glass)
		put(length*0.29, 8, length*0.33, Cell-17.5, 4, roof)
		cx = length * 0.455
	}
	put(length-7, 8, 3, 5, 1.5, rgb(0xfff3c4)) // lights
	put(length-7, Cell-14.5, 3, 5, 1.5, rgb(0xfff3c4))
	x, y, w, h := place(cx-1, Cell/2-1.5, 2, 1)
	m := point{x + w/2, y + h/2}
	switch {
	case labels && piece.Label != "":
		size := 15.0
		if utf8.RuneCountInString(piece.Label) > 1 {
			size = 11
		}
		p.centred(m.x, m.y, size, textOn(roof), piece.Label)
		if piece.Goal { // on its hood
			x, y, w, h := place(length-17, Cell/2-1.25, 2, 1)
			star(p, point{x + w/2, y + h/2}, 5)
		}
	case piece.Goal:
		star(p, m, 8)
	}
}

// tile draws a square with its text.
func (l *layout) tile(p pen, piece *puzzle.Piece) {
	c := piece.Cells[0]
	x, y := float64(c.Col)*Cell, float64(c.Row)*Cell
	fill := l.tileColour(piece)
	p.rect(x+1.5, y+1.5, Cell-3, Cell-3, 6, darker(fill, 0.25))
	p.rect(x+1.5, y+1.5, Cell-3, Cell-5.5, 6, fill)
	p.centred(x+Cell/2, y+Cell/2-1, l.textSize, textOn(fill), piece.Label)
}

// tileColour shades numbers by the row or place that they belong to, so that order is
// visible; letters have the colours of a cube's faces, or of pieces.
func (l *layout) tileColour(piece *puzzle.Piece) color.NRGBA {
	switch {
	case l.words && l.plate == plateNone:
		return stickerColours[piece.Colour%len(stickerColours)]
	case l.words:
		return pieceColour(piece.Colour)
	case l.Rows > 1:
		return lighter(rampColour(0.05+0.8*float64(piece.Colour/l.Cols)/float64(l.Rows)), 0.12)
	}
	return lighter(rampColour(0.05+0.9*float64(piece.Colour)/float64(max(l.colours, 2))), 0.12)
}

// crate draws a wooden box; on a target it is green and ticked.
func crate(p pen, c puzzle.Cell, home bool) {
	x, y := float64(c.Col)*Cell, float64(c.Row)*Cell
	wood := colourWood
	if home {
		wood = rgb(0x4f9d69)
	}
	edge := darker(wood, 0.35)
	p.rect(x+3, y+3, Cell-6, Cell-6, 4, edge)
	p.rect(x+5, y+5, Cell-10, Cell-10, 2, wood)
	var planks path
	if home {
		planks.move(x+12, y+20.5)
		planks.line(x+18, y+27)
		planks.line(x+28.5, y+14)
		p.stroke(planks, 4.5, rgb(0xffffff))
		return
	}
	planks.move(x+8, y+8)
	planks.line(x+Cell-8, y+Cell-8)
	planks.move(x+Cell-8, y+8)
	planks.line(x+8, y+Cell-8)
	p.stroke(planks, 6, edge)
	p.stroke(planks, 3, lighter(wood, 0.25))
}

// player draws the player.
func player(p pen, c puzzle.Cell) {
	m := middle(c)
	p.circle(m.x, m.y+1.5, 14.5, darker(colourPeg, 0.4))
	p.circle(m.x, m.y, 14.5, colourPeg)
	var hat path // from one side of the head over the top to the other
	hat.move(m.x-14.5, m.y)
	hat.turn(point{m.x - 14.5, m.y - 14.5}, point{m.x, m.y - 14.5})
	hat.turn(point{m.x + 14.5, m.y - 14.5}, point{m.x + 14.5, m.y})
	hat.curve(point{m.x + 8, m.y - 7}, point{m.x - 8, m.y - 7}, point{m.x - 14.5, m.y})
	hat.close()
	p.fill(hat, rgb(0xf0c445))
	p.circle(m.x-5, m.y+1.5, 3.2, rgb(0xffffff))
	p.circle(m.x+5, m.y+1.5, 3.2, rgb(0xffffff))
	p.circle(m.x-5, m.y+2, 1.6, colourWheel)
	p.circle(m.x+5, m.y+2, 1.6, colourWheel)
	var smile path
	smile.move(m.x-4.5, m.y+8)
	smile.curve(point{m.x - 2, m.y + 10.5}, point{m.x + 2, m.y + 10.5}, point{m.x + 4.5, m.y + 8})
	p.stroke(smile, 1.8, rgb(0xffffff))
}

// peg draws a ball in its hole.
func peg(p pen, m point, goal bool) {
	fill := colourPeg
	p.circle(m.x, m.y+2.5, 14, colourShadow)
	p.circle(m.x, m.y, 14, darker(fill, 0.25))
	p.circle(m.x-0.7, m.y-1, 12.6, fill)
	p.circle(m.x-4.5, m.y-5, 3.6, alpha(0xffffff, 0.65))
	if goal {
		star(p, point{m.x, m.y + 1}, 7)
	}
}

// disc draws a bar.
func (l *layout) disc(p pen, piece *puzzle.Piece) {
	first := piece.Cells[0]
	x, y := float64(first.Col)*l.pitch.x, float64(first.Row)*l.pitch.y
	w, h := float64(len(piece.Cells))*l.pitch.x, l.pitch.y
	fill := lighter(rampColour(0.05+0.9*float64(piece.Colour)/float64(max(l.colours, 2))), 0.1)
	p.rect(x-1, y+1.5, w+2, h-2, 9, darker(fill, 0.28))
	p.rect(x-1, y+1.5, w+2, h-4, 9, fill)
	p.centred(x+w/2, y+h/2-0.5, min(14, 22/float64(max(utf8.RuneCountInString(piece.Label), 1))), textOn(fill), piece.Label)
}
