package truth

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestText checks how records become files.
func TestText(t *testing.T) {
	t.Parallel()
	for record, want := range map[string]string{
		`{"format":"tiles","input":"2 1\n3 0","goal":"1 2\n3 0"}`:               "puzzle: tiles\ngoal: 1 2 / 3 0\n\n2 1\n3 0\n",
		`{"format":"blocks","input":"A.","goal":{"piece":"A","row":0,"col":1}}`: "puzzle: blocks\ngoal: A at 0,1\n\nA.\n",
		`{"format":"sudoku","input":"12..","box":[2,3]}`:                        "puzzle: sudoku\nbox: 2x3\n\n12..\n",
		`{"format":"xsb","input":"  ####\n###@ #"}`:                             "puzzle: xsb\n\n  ####\n###@ #\n",
		`{"format":"cube-scramble","input":""}`:                                 "puzzle: cube-scramble\n\n\n",
	} {
		var r Record
		if err := json.Unmarshal([]byte(record), &r); err != nil {
			t.Fatal(err)
		}
		if got, err := r.Text(); err != nil || got != want {
			t.Errorf("%s becomes\n%s\nnot\n%s, %v", record, got, want, err)
		}
	}
	r := Record{Goal: json.RawMessage("7")}
	if _, err := r.Text(); err == nil {
		t.Error("a goal that is a number was taken")
	}
}

func TestReadAll(t *testing.T) {
	t.Parallel()
	records, err := ReadAll("../../..")
	if err != nil || len(records) < 1000 {
		t.Fatalf("%d records, %v", len(records), err)
	}
	seen := map[string]bool{}
	for _, r := range records {
		if seen[r.ID] {
			t.Errorf("there are two records %s", r.ID)
		}
		seen[r.ID] = true
		sum := int64(0)
		for _, n := range r.Layers {
			sum += n
		}
		if r.Whole() && sum != *r.Reachable {
			t.Errorf("%s: the layers have %d states, not %d", r.ID, sum, *r.Reachable)
		}
	}
}

func TestMerged(t *testing.T) {
	t.Parallel()
	states := int64(9)
	r := Record{ID: "a", Format: "peg", Input: "o", Reachable: &states, Layers: []int64{1, 8}, SymmetryLayers: []int64{1, 2}}
	m, err := r.Merged()
	if err != nil || *m.Reachable != 3 || m.Layers[1] != 2 || m.Represented[1] != 8 || *r.Reachable != 9 {
		t.Errorf("%+v, %v", m, err)
	}
	if text, err := m.Text(); err != nil || text != "puzzle: peg\nsymmetry: on\n\no\n" {
		t.Errorf("%q, %v", text, err)
	}
	r.SymmetryLayers = nil
	if _, err := r.Merged(); err == nil {
		t.Error("merged layers were made up")
	}
}

// TestCheck spoils one number after the other.
func TestCheck(t *testing.T) {
	t.Parallel()
	const record = `{"id":"a","format":"tiles","metric":"tile","reachable":6,"layers":[1,3,2,0],"goals":2,"solution_length":1,
		"distance_to_goal":[2,3],"dead":1,"hardest":{"distance":1,"count":3,"example":"x / y"}}`
	var r Record
	if err := json.Unmarshal([]byte(record), &r); err != nil {
		t.Fatal(err)
	}
	read := func() *Space {
		one, three, example := 1, int64(3), "x\ny"
		dead := int64(1)
		return &Space{
			Complete: true, States: 6, Layers: []int64{1, 3, 2}, Goals: 2, SolutionLength: &one,
			DistanceToGoal: []int64{2, 3}, Dead: &dead, Hardest: &Hardest{Distance: 1, Count: &three, Example: &example},
		}
	}
	if err := r.Check(read(), true); err != nil || !r.AsksDistances() || !r.Whole() {
		t.Error(err)
	}
	for want, spoil := range map[string]func(s *Space){
		"7 states":             func(s *Space) { s.States++ },
		"not complete":         func(s *Space) { s.Complete = false },
		"3 goals":              func(s *Space) { s.Goals++ },
		"layers are [1 2 3]":   func(s *Space) { s.Layers = []int64{1, 2, 3} },
		"length is none":       func(s *Space) { s.SolutionLength = nil },
		"no goal distances":    func(s *Space) { s.DistanceToGoal = nil },
		"layers are [2 2]":     func(s *Space) { s.DistanceToGoal[1]-- },
		"unsolvable":           func(s *Space) { *s.Dead = 0 },
		"want 3 at 1":          func(s *Space) { *s.Hardest.Count = 4 },
		"hardest is none":      func(s *Space) { s.Hardest = nil },
		"hardest example is\n": func(s *Space) { *s.Hardest.Example = "z" },
	} {
		s := read()
		spoil(s)
		if err := r.Check(s, true); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}

	r.HardestFrom = "start"
	if err := r.Check(read(), false); err == nil || !strings.Contains(err.Error(), "the deepest are 2 states at 2, want 3 at 1") {
		t.Error(err)
	}
	goals := int64(0)
	r.Goals = &goals
	if err := r.Check(read(), false); err == nil || !strings.Contains(err.Error(), "without a goal") {
		t.Error(err)
	}
}
