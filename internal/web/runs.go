package web

import (
	"fmt"
	"net/http"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/draw"
	"github.com/everystate/everystate/internal/solid"
	"github.com/everystate/everystate/internal/web/playable"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

// info is what the page needs to know of the server.
type info struct {
	Version  string   `json:"version"`
	ReadOnly bool     `json:"read_only"`
	Session  bool     `json:"session,omitempty"` // there is one, which may be ended
	Families []family `json:"families"`
}

type family struct {
	Name    string   `json:"name"`
	Summary string   `json:"summary"`
	Metrics []metric `json:"metrics"`
	Example string   `json:"example"`
}

type metric struct {
	Name    string `json:"name"`
	Summary string `json:"summary"`
}

func (s *Server) info(r *http.Request, source Source) (any, error) {
	all := info{Version: s.opts.Version, ReadOnly: s.opts.ReadOnly || !source.MayChange(r.Context())}
	if _, err := r.Cookie(cookieName(r)); err == nil && s.opts.ForToken != nil {
		all.Session = true
	}
	for _, f := range families.All() {
		shown := family{Name: f.Name, Summary: f.Summary, Example: f.Formats[0].Example}
		for _, m := range f.Metrics {
			shown.Metrics = append(shown.Metrics, metric{m.Name, m.Summary})
		}
		all.Families = append(all.Families, shown)
	}
	return all, nil
}

func (s *Server) listRuns(r *http.Request, source Source) (any, error) {
	runs, err := source.Runs(r.Context())
	if runs == nil {
		runs = []Run{}
	}
	return runs, err
}

// pasted is a text with boards, and which of them to use.
type pasted struct {
	Text         string `json:"text"`
	Metric       string `json:"metric"`
	Board        int    `json:"board"`
	GoalDistance bool   `json:"goal_distance"`
	MaxStates    int64  `json:"max_states"`
}

// checked is a board that has been read.
type checked struct {
	Name    string `json:"name"`
	Family  string `json:"family"`
	Metric  string `json:"metric"`
	Note    string `json:"note"`
	Picture string `json:"picture"` // SVG, empty if there is none
	Drawing string `json:"drawing"`
	// GoalDistances reports whether they can be computed.
	GoalDistances bool     `json:"goal_distances"`
	Metrics       []metric `json:"metrics"`
}

// readBoards reads what was pasted, and the boards in it once few enough others are being
// read.
func (s *Server) readBoards(r *http.Request) (pasted, []puzzle.Board, error) {
	var p pasted
	if err := read(r, &p); err != nil {
		return p, nil, err
	}
	end, err := s.editing.begin(r.Context())
	if err != nil {
		return p, nil, err
	}
	defer end()
	boards, err := families.Read([]byte(p.Text), puzzle.ReadOptions{Metric: p.Metric})
	return p, boards, err
}

// check reads boards and describes them.
func (s *Server) check(r *http.Request, _ Source) (any, error) {
	_, boards, err := s.readBoards(r)
	if err != nil {
		return nil, err
	}
	const shownMax = 60
	answer := struct {
		Boards []checked `json:"boards"`
		Total  int       `json:"total"`
	}{Total: len(boards)}
	for _, b := range boards[:min(len(boards), shownMax)] {
		layout := b.Puzzle.Layout()
		start := b.Puzzle.Starts()[:layout.Words()]
		c := checked{
			Name: b.Name, Family: b.Family, Metric: b.Metric, Note: b.Note, Drawing: b.Puzzle.Draw(start),
			GoalDistances: layout.HasGoal, Picture: string(svg(b.Puzzle, start, draw.Options{})),
		}
		if f, ok := families.ByName(b.Family); ok {
			for _, m := range f.Metrics {
				c.Metrics = append(c.Metrics, metric{m.Name, m.Summary})
			}
		}
		answer.Boards = append(answer.Boards, c)
	}
	return answer, nil
}

// start puts a run in the queue.
func (s *Server) start(r *http.Request, source Source) (any, error) {
	p, boards, err := s.readBoards(r)
	if err != nil {
		return nil, err
	}
	if p.Board < 0 || p.Board >= len(boards) || p.MaxStates < 0 {
		return nil, fmt.Errorf("%w: there is no board %d of %d", errRequest, p.Board+1, len(boards))
	}
	board := boards[p.Board]
	want := history.Want{MaxStates: p.MaxStates}
	want.GoalDistance = p.GoalDistance && board.Puzzle.Layout().HasGoal
	name, err := source.Start(r.Context(), board, want)
	return struct {
		Name string `json:"name"`
	}{name}, err
}

// control pauses, resumes, cancels or deletes a run.
func (s *Server) control(r *http.Request, source Source) (any, error) {
	action := Action(r.PathValue("action"))
	switch action {
	case Pause, Resume, Cancel, Delete:
		return struct{}{}, source.Control(r.Context(), r.PathValue("run"), action)
	}
	return nil, fmt.Errorf("%w: %.20q is not an action on a run", errRequest, string(action))
}

// details is what the answer about one run has in addition to Run.
type details struct {
	Text    string `json:"text"`
	Note    string `json:"note"`
	Start   string `json:"start"`
	Keyed   int    `json:"key_bits"`
	Family  string `json:"family"`
	Pieces  bool   `json:"pictured"`
	HasGoal bool   `json:"has_goal"`
	// Solid holds the cells of pictures that nothing enters, as row*cols + column.
	Solid []int `json:"solid,omitempty"`
	// Shape is that of a puzzle that is a solid body.
	Shape *solid.Shape `json:"shape,omitempty"`
	// Goals, Bytes and Seconds are by layer.
	Goals     []int64   `json:"goals"`
	Bytes     []int64   `json:"layer_bytes"`
	Seconds   []float64 `json:"layer_seconds"`
	Generated []int64   `json:"layer_generated"`
	// Partitions holds the states of each partition, and Homes the worker that keeps it,
	// if workers have disks of their own.
	Partitions []int64  `json:"partitions"`
	Homes      []string `json:"homes"`
}

func (s *Server) details(_ *http.Request, view View) (any, error) {
	space := view.Space()
	b, words := &space.Board, space.Scheme.Words()
	pictured, ok := b.Puzzle.(puzzle.Pictured)
	d := details{
		Text: b.Text, Note: b.Note, Start: keyText(b.Puzzle.Starts()[:words]), Keyed: b.Puzzle.Layout().KeyBits, Family: b.Family,
		Pieces: ok, HasGoal: b.Puzzle.Layout().HasGoal, Partitions: make([]int64, space.Scheme.Partitions()),
	}
	if ok {
		d.Shape = solid.Of(b.Puzzle)
		d.Solid = playable.Solid(pictured.Picture(b.Puzzle.Starts()[:words]))
	}
	for _, l := range space.History.Layers(history.Forward) {
		d.Goals = append(d.Goals, l.Goals)
		d.Bytes = append(d.Bytes, l.Bytes)
		d.Seconds = append(d.Seconds, float64(l.Nanos)/1e9)
		d.Generated = append(d.Generated, l.Generated)
		for i, n := range l.PartStates {
			d.Partitions[i] += n
		}
	}
	if placed := space.History.Placement(); placed != nil {
		for _, w := range placed.Homes {
			name := ""
			if int(w) < len(placed.Workers) {
				name = placed.Workers[w]
			}
			d.Homes = append(d.Homes, name)
		}
	}
	return d, nil
}
