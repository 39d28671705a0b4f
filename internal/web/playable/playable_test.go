package playable

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

// explored explores a board in a directory of its own.
func explored(t *testing.T, text string, want history.Want) *query.Space {
	t.Helper()
	boards, err := families.Read([]byte(text), puzzle.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	run, err := engine.Create(t.TempDir(), boards[0], engine.Options{Workers: 1, MemoryBytes: engine.MemoryMin})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := run.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := run.Explore(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	return run.Space()
}

// file is what a written page holds.
type file struct {
	header

	columns map[string][]uint32
}

// written writes the page of a space and reads it again.
func written(t *testing.T, space *query.Space) (string, file) {
	t.Helper()
	var out bytes.Buffer
	if err := Write(t.Context(), space, Options{Run: "r", Title: "A </title> & b"}, &out); err != nil {
		t.Fatal(err)
	}
	packed := regexp.MustCompile(`octet-stream">([^<]*)<`).FindStringSubmatch(out.String())
	if packed == nil {
		t.Fatal("the page holds no space")
	}
	raw, err := base64.StdEncoding.DecodeString(packed[1])
	if err != nil {
		t.Fatal(err)
	}
	zip, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(zip)
	if err != nil || string(body[:4]) != magic {
		t.Fatalf("%q, %v", body[:4], err)
	}
	f := file{columns: map[string][]uint32{}}
	end := 8 + binary.LittleEndian.Uint32(body[4:])
	if err := json.Unmarshal(body[8:end], &f.header); err != nil {
		t.Fatal(err)
	}
	body = body[end:]
	for _, c := range f.Columns {
		values := make([]uint32, c.Count)
		for b := range c.Bytes {
			for i := range values {
				if b < 4 {
					values[i] |= uint32(body[b*c.Count+i]) << (8 * b)
				}
			}
		}
		f.columns[c.Name], body = values, body[c.Bytes*c.Count:]
	}
	if len(body) > 0 {
		t.Errorf("%d bytes too many", len(body))
	}
	return out.String(), f
}

// TestWrite walks through a file by its own moves, and finds every state at its depth and
// goal distance.
func TestWrite(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../puzzles/rushhour/small-4x4.txt")
	if err != nil {
		t.Fatal(err)
	}
	space := explored(t, string(text), history.Want{GoalDistance: true})
	page, f := written(t, space)
	if page2, _ := written(t, space); page != page2 {
		t.Error("the same run gives another file")
	}
	n := int(space.History.States(history.Forward))
	depth, distance := f.columns["depth"], f.columns["distance"]
	if len(depth) != n || len(distance) != n || len(f.columns["ground"]) != n {
		t.Fatalf("%d depths, %d distances and %d boards of %d states", len(depth), len(distance), len(f.columns["ground"]), n)
	}
	var next [][]int
	e := 0
	for i, degree := range f.columns["degree"] {
		var to []int
		for range degree {
			d := f.columns["target"][e]
			to = append(to, i+int(int32(d>>1)^-int32(d&1)))
			e++
		}
		next = append(next, to)
	}
	found := breadthFirst(next, []int{f.Start})
	for i, d := range found {
		if d != int(depth[i]) {
			t.Fatalf("state %d is %d moves from the start, and the file says %d", i, d, depth[i])
		}
		// These moves can be taken back: a goal is as far as the nearest neighbour and one.
		least := noDistance
		for _, j := range next[i] {
			least = min(least, int(distance[j]))
		}
		if goal := f.columns["flags"][i]&flagGoal != 0; goal != (distance[i] == 0) || !goal && int(distance[i]) != least+1 {
			t.Fatalf("state %d: goal %v, distance %d, nearest neighbour %d", i, goal, distance[i], least)
		}
	}
	if got := f.Moves[f.columns["move"][0]]; !regexp.MustCompile(`^[A-Z][+-]\d$`).MatchString(got) {
		t.Errorf("the first move is %q", got)
	}
}

// breadthFirst returns how far all states are from some.
func breadthFirst(next [][]int, from []int) []int {
	far := make([]int, len(next))
	for i := range far {
		far[i] = -1
	}
	for _, i := range from {
		far[i] = 0
	}
	for queue := from; len(queue) > 0; queue = queue[1:] {
		for _, j := range next[queue[0]] {
			if far[j] < 0 {
				far[j] = far[queue[0]] + 1
				queue = append(queue, j)
			}
		}
	}
	return far
}

// TestStaged keeps how a move leaves a board, where the state does not say it.
func TestStaged(t *testing.T) {
	t.Parallel()
	_, f := written(t, explored(t, "puzzle: sokoban\n\n######\n#    #\n#.$@ #\n#    #\n######\n", history.Want{GoalDistance: true}))
	staged := f.columns["staged"]
	if len(staged) != len(f.columns["move"]) {
		t.Fatalf("%d boards after %d moves", len(staged), len(f.columns["move"]))
	}
	for _, look := range staged {
		if states := len(f.columns["depth"]); int(look) < states || int(look) >= len(f.columns["ground"]) {
			t.Fatalf("board %d after a move is none of %d behind those of %d states", look, len(f.columns["ground"]), states)
		}
	}
}

// TestPolicy holds the page to its own script and style.
func TestPolicy(t *testing.T) {
	t.Parallel()
	page := fill("A </title> & b", []byte("body"))
	policy := regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(page)
	if policy == nil {
		t.Fatal("no policy")
	}
	for _, part := range []string{"default-src 'none'", "form-action 'none'", "base-uri 'none'"} {
		if !strings.Contains(policy[1], part) {
			t.Errorf("the policy %q lacks %s", policy[1], part)
		}
	}
	for _, tag := range []string{"style", "script"} {
		inner := regexp.MustCompile(`(?s)<`+tag+`>(.*?)</`+tag+`>`).FindAllStringSubmatch(page, -1)
		if len(inner) != 1 {
			t.Fatalf("%d elements %s", len(inner), tag)
		}
		sum := sha256.Sum256([]byte(inner[0][1]))
		if !strings.Contains(policy[1], tag+"-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'") {
			t.Errorf("the policy does not allow the page's own %s", tag)
		}
	}
	if strings.Contains(page, "A </title>") || strings.Count(page, "A &lt;/title&gt; &amp; b") != 2 {
		t.Error("the title is not escaped")
	}
	if strings.Contains(page, "src=\"http") || strings.Contains(page, "url(http") {
		t.Error("the page asks a host")
	}
}

// TestCheck refuses what cannot be played.
func TestCheck(t *testing.T) {
	t.Parallel()
	const board = "puzzle: rush-hour\n\nE.BB\nECCC\nAA.F\nDD.F"
	for name, c := range map[string]struct {
		board string
		want  history.Want
		err   error
	}{
		"incomplete":   {board, history.Want{MaxStates: 3}, ErrIncomplete},
		"no distances": {board, history.Want{}, query.ErrNoDistances},
		"no goal":      {"puzzle: rush-hour\n\nAABB\nCCDD\n....\n....\n", history.Want{GoalDistance: true}, query.ErrNoGoal},
	} {
		if err := Check(explored(t, c.board, c.want)); !errors.Is(err, c.err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
