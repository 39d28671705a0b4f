// Package truth reads the records of testdata/truth, spaces whose counts are known
// from elsewhere, and compares with them what was found. It must never compute a
// space itself, nor know a family or the engine: the tests of both use it.
package truth

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Record is a space and what is known of it; testdata/truth/README.md describes
// the fields. What is not given is not compared.
type Record struct {
	ID             string          `json:"id"`
	Input          string          `json:"input"`
	InputAlt       string          `json:"input_alt"` // the same board in another notation
	Format         string          `json:"format"`
	Goal           json.RawMessage `json:"goal"`
	Box            []int           `json:"box"`
	Metric         string          `json:"metric"`
	Complete       *bool           `json:"complete"`
	Reachable      *int64          `json:"reachable"`
	Layers         []int64         `json:"layers"`
	LayersPrefix   []int64         `json:"layers_prefix"`
	SymmetryLayers []int64         `json:"symmetry_layers"`
	Goals          *int64          `json:"goals"`
	SolutionLength *int            `json:"solution_length"`
	DistanceToGoal []int64         `json:"distance_to_goal"`
	Dead           *int64          `json:"dead"`
	Hardest        *Hardest        `json:"hardest"`
	HardestFrom    string          `json:"hardest_from"`
	TerminalLayers []int64         `json:"terminal_layers"`
	GoalCells      [][2]int        `json:"goal_cells"`
	Source         string          `json:"source"`

	// Represented is set in a record with merged states: how many states those of
	// each layer stand for.
	Represented []int64 `json:"-"`
	headers     string  // besides those of the fields
}

// Space is what was found of a space.
type Space struct {
	Complete       bool
	States         int64
	Layers         []int64
	Goals          int64
	SolutionLength *int

	// Of these only goal distances tell.
	DistanceToGoal []int64
	Dead           *int64
	Hardest        *Hardest
}

// Hardest are the states farthest from the goal, or of some records from the start.
type Hardest struct {
	Distance int     `json:"distance"`
	Count    *int64  `json:"count"`
	Example  *string `json:"example"`
}

// ReadFile returns the records of a file.
func ReadFile(file string) ([]Record, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var records []Record
	if err := json.Unmarshal(text, &records); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return records, nil
}

// ReadAll returns the records of every file in testdata/truth of the module, file
// by file in the order of their names.
func ReadAll(module string) ([]Record, error) {
	files, err := filepath.Glob(filepath.Join(module, "testdata", "truth", "*.json"))
	if err != nil {
		return nil, err
	}
	var all []Record
	for _, file := range files {
		records, err := ReadFile(file)
		if err != nil {
			return nil, err
		}
		all = append(all, records...)
	}
	return all, nil
}

// Whole reports whether the record is about a whole space.
func (r *Record) Whole() bool {
	return r.Reachable != nil && len(r.Layers) > 0 && (r.Complete == nil || *r.Complete)
}

// Merged returns the record of the same space whose states are merged under
// symmetries. Of goals and distances it says nothing.
func (r *Record) Merged() (Record, error) {
	if len(r.SymmetryLayers) == 0 || len(r.SymmetryLayers) != len(r.Layers) {
		return Record{}, fmt.Errorf("%s: the record does not know the merged layers", r.ID)
	}
	states := int64(0)
	for _, n := range r.SymmetryLayers {
		states += n
	}
	return Record{
		ID: r.ID, Input: r.Input, Format: r.Format, Metric: r.Metric, Source: r.Source, SolutionLength: r.SolutionLength,
		Reachable: &states, Layers: r.SymmetryLayers, Represented: r.Layers, headers: "symmetry: on\n",
	}, nil
}

// Text is the record as a file that the program reads.
func (r *Record) Text() (string, error) {
	text := "puzzle: " + r.Format + "\n" + r.headers
	goal, err := r.goal()
	if err != nil {
		return "", fmt.Errorf("%s: %w", r.ID, err)
	}
	if goal != "" {
		text += "goal: " + goal + "\n"
	}
	if len(r.Box) == 2 {
		text += fmt.Sprintf("box: %dx%d\n", r.Box[0], r.Box[1])
	}
	return text + "\n" + r.Input + "\n", nil
}

// goal is an arrangement, or the place of a piece.
func (r *Record) goal() (string, error) {
	var arrangement string
	var place struct {
		Piece    string
		Row, Col int
	}
	switch {
	case r.Goal == nil:
		return "", nil
	case json.Unmarshal(r.Goal, &arrangement) == nil:
		return strings.ReplaceAll(arrangement, "\n", " / "), nil
	}
	if err := json.Unmarshal(r.Goal, &place); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s at %d,%d", place.Piece, place.Row, place.Col), nil
}

// FromStart reports whether the hardest states of the record are those farthest
// from the start.
func (r *Record) FromStart() bool { return r.HardestFrom == "start" }

// AsksDistances reports whether the record knows of goal distances.
func (r *Record) AsksDistances() bool {
	return !r.FromStart() && (r.DistanceToGoal != nil || r.Hardest != nil || r.Dead != nil)
}

// Check compares a space with the record of a whole one, goal distances only if they
// were asked for, and returns all differences as one error.
func (r *Record) Check(s *Space, distances bool) error {
	var errs []error
	wrong := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if !s.Complete {
		wrong("the space is not complete")
	}
	if r.Reachable != nil && s.States != *r.Reachable {
		wrong("%d states, want %d", s.States, *r.Reachable)
	}
	if r.Goals != nil && s.Goals != *r.Goals {
		wrong("%d goals, want %d", s.Goals, *r.Goals)
	}
	if r.Goals != nil && *r.Goals == 0 && (len(s.DistanceToGoal) > 0 || s.Hardest != nil) {
		wrong("goal distance layers are %v without a goal", s.DistanceToGoal)
	}
	layers := r.Layers
	for len(layers) > 1 && layers[len(layers)-1] == 0 {
		layers = layers[:len(layers)-1]
	}
	if layers != nil && !slices.Equal(s.Layers, layers) {
		wrong("layers are %v, want %v", s.Layers, layers)
	}
	if got, want := number(s.SolutionLength), number(r.SolutionLength); got != want && (r.SolutionLength != nil || !r.FromStart()) {
		wrong("solution length is %s, want %s", got, want)
	}
	if distances {
		errs = append(errs, r.checkDistances(s))
	}
	if r.FromStart() && r.Hardest != nil && len(s.Layers) > 0 {
		depth := len(s.Layers) - 1
		if count := s.Layers[depth]; depth != r.Hardest.Distance || r.Hardest.Count != nil && count != *r.Hardest.Count {
			wrong("the deepest are %d states at %d, want %s", count, depth, r.Hardest)
		}
	}
	return errors.Join(errs...)
}

func (r *Record) checkDistances(s *Space) error {
	var errs []error
	wrong := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if s.DistanceToGoal == nil {
		wrong("there are no goal distances")
	}
	if r.DistanceToGoal != nil && !slices.Equal(s.DistanceToGoal, r.DistanceToGoal) {
		wrong("goal distance layers are %v, want %v", s.DistanceToGoal, r.DistanceToGoal)
	}
	if r.Dead != nil && (s.Dead == nil || *s.Dead != *r.Dead) {
		wrong("unsolvable are %v, want %d", s.Dead, *r.Dead)
	}
	got, want := s.Hardest, r.Hardest
	switch {
	case got == nil || want == nil:
		if got != nil || want != nil {
			wrong("hardest is %s, want %s", got, want)
		}
	case got.Distance != want.Distance || want.Count != nil && *got.Count != *want.Count:
		wrong("hardest is %s, want %s", got, want)
	case want.Example != nil && *got.Example != strings.ReplaceAll(*want.Example, " / ", "\n"):
		wrong("hardest example is\n%s\nwant\n%s", *got.Example, *want.Example)
	}
	return errors.Join(errs...)
}

// String is for messages.
func (h *Hardest) String() string {
	switch {
	case h == nil:
		return "none"
	case h.Count == nil:
		return fmt.Sprintf("some at %d", h.Distance)
	}
	return fmt.Sprintf("%d at %d", *h.Count, h.Distance)
}

func number(n *int) string {
	if n == nil {
		return "none"
	}
	return fmt.Sprint(*n)
}
