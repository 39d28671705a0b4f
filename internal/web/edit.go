package web

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/everystate/everystate/internal/edit"
	"github.com/everystate/everystate/internal/solve"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

// editsAtOnce bounds the boards that are read and analysed at the same time: the text of
// some puzzles takes much time and memory to read.
const editsAtOnce = 2

// editing analyses boards as they are edited.
type editing struct {
	now    chan struct{} // has one element for each text being read or analysed
	limits edit.Limits   // of one analysis
}

func newEditing() *editing {
	return &editing{now: make(chan struct{}, editsAtOnce), limits: edit.DefaultLimits()}
}

// edited is what the page knows of a board that is being edited.
type edited struct {
	// Text is the board in the notation that the page edits, with all headers it needs.
	Text    string   `json:"text"`
	Family  string   `json:"family"`
	Metric  string   `json:"metric"`
	Metrics []metric `json:"metrics"`
	Note    string   `json:"note"`
	Warning string   `json:"warning,omitempty"`

	States   int  `json:"states"`
	Complete bool `json:"complete"` // these are all; otherwise there are more
	HasGoal  bool `json:"has_goal"`
	// Outcome is solved, unsolvable (proved) or unknown.
	Outcome string `json:"outcome"`
	// Distance is the length of the solution, -1 if there is none. Optimal means that
	// there is none with fewer moves.
	Distance int      `json:"distance"`
	Optimal  bool     `json:"optimal"`
	Why      string   `json:"why,omitempty"`
	Solution []string `json:"solution"`
	// Unsolvable is how many states cannot reach a goal.
	Unsolvable int `json:"unsolvable_states"`
	// Hardest is the hardest start with the same pieces, if all states are known.
	Hardest *hardestStart `json:"hardest,omitempty"`

	Milliseconds int64 `json:"milliseconds"`
}

type hardestStart struct {
	Text     string `json:"text"`
	Distance int    `json:"distance"`
}

// begin waits until few enough texts are being read or analysed, or the caller has gone.
// If there is no error, end must be called once this one is done.
func (e *editing) begin(ctx context.Context) (end func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case e.now <- struct{}{}:
		return func() { <-e.now }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// readEdited reads the board of a request that a page edits, once it may begin: the body
// has arrived by then, so a slow caller keeps nobody waiting.
func (e *editing) readEdited(r *http.Request) (b puzzle.Board, end func(), err error) {
	var body struct {
		Text   string `json:"text"`
		Metric string `json:"metric"`
	}
	if err := read(r, &body); err != nil {
		return b, nil, err
	}
	if end, err = e.begin(r.Context()); err != nil {
		return b, nil, err
	}
	if b, err = edit.Read(body.Text, body.Metric); err != nil {
		end()
	}
	return b, end, err
}

// edit analyses a board as it is edited. It ends when the caller goes: the next change
// has come.
func (e *editing) edit(r *http.Request, _ Source) (any, error) {
	b, end, err := e.readEdited(r)
	if err != nil {
		return nil, err
	}
	defer end()
	began := time.Now()
	a, err := e.analyse(r.Context(), &b)
	if err != nil {
		return nil, err
	}
	shown := edited{
		Text: edit.Start(&b), Family: b.Family, Metric: b.Metric, Note: b.Note, Warning: b.Warning,
		States: a.States, Complete: a.Complete, HasGoal: a.Goal, Outcome: a.Outcome.String(), Distance: -1, Optimal: a.Optimal, Why: a.Why,
		Solution: a.Solution, Unsolvable: a.Unsolvable, Milliseconds: time.Since(began).Milliseconds(),
	}
	if shown.Solution == nil {
		shown.Solution = []string{}
	}
	if a.Outcome == solve.Solved {
		shown.Distance = a.Distance
	}
	if a.Hardest != "" {
		shown.Hardest = &hardestStart{a.Hardest, a.HardestDistance}
	}
	if f, ok := families.ByName(b.Family); ok {
		for _, m := range f.Metrics {
			if !m.FromGoals { // edit.Read reads no board with it
				shown.Metrics = append(shown.Metrics, metric{m.Name, m.Summary})
			}
		}
	}
	return shown, nil
}

// analyse analyses a board.
func (e *editing) analyse(ctx context.Context, b *puzzle.Board) (*edit.Answer, error) {
	a, err := edit.Analyse(ctx, b, e.limits)
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("%w: %w", errRequest, err)
	}
	return a, err
}

// notations writes a board in every notation of its family.
func (e *editing) notations(r *http.Request, _ Source) (any, error) {
	b, end, err := e.readEdited(r)
	if err != nil {
		return nil, err
	}
	defer end()
	type notation struct {
		Name string `json:"name"`
		Text string `json:"text"`
	}
	answer := struct {
		Notations []notation `json:"notations"`
	}{}
	for _, n := range edit.Notations(&b) {
		answer.Notations = append(answer.Notations, notation(n))
	}
	return answer, nil
}
