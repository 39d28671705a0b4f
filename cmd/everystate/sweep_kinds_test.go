package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/internal/sweep/records"
)

// emptyRoom is a room without walls inside.
func emptyRoom(side int) string {
	rows := []string{strings.Repeat("#", side+2)}
	for range side {
		rows = append(rows, "#"+strings.Repeat("-", side)+"#")
	}
	return strings.Join(append(rows, rows[0]), "/")
}

// records returns what db filter says in JSON.
func recordsIn(t *testing.T, dir string) (all []records.JSON) {
	t.Helper()
	for _, line := range linesOf(must(t, "db", "filter", dir, "--json")) {
		var r records.JSON
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}

// explored explores a board and says how many states there are, how far the farthest
// is from a goal, and how many are that far.
func explored(t *testing.T, args ...string) string {
	t.Helper()
	var s struct {
		States  int64   `json:"states"`
		Layers  []int64 `json:"layers"`
		Hardest *struct {
			Distance int   `json:"distance"`
			Count    int64 `json:"count"`
		} `json:"hardest"`
	}
	out := must(t, append([]string{"explore", "--json", "-q", "--run", filepath.Join(t.TempDir(), "run")}, args...)...)
	if err := json.Unmarshal([]byte(out), &s); err != nil {
		t.Fatal(err)
	}
	if s.Hardest != nil {
		return fmt.Sprint(s.States, s.Hardest.Distance, s.Hardest.Count)
	}
	last := len(s.Layers) - 1 // from the goals
	return fmt.Sprint(s.States, last, s.Layers[last])
}

// saidOf is what explored says of the board of a record.
func saidOf(r *records.JSON) string {
	return fmt.Sprint(r.States, r.Distance, r.Layers[len(r.Layers)-1])
}

func TestSweepSokoban(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	room := filepath.Join(dir, "room.txt")
	writeFile(t, room, "puzzle: sokoban\n\n#####\n#@ .#\n# $ #\n#   #\n#####\n")
	data := filepath.Join(dir, "data")
	s := sweepOf(t, "sokoban", room, "--boxes", "2", "--data", data, "--top", "2")
	// 36 goal sets; every state is solved for one of them.
	if !s.Complete || s.Families != 36 || s.Clusters != 36 || s.Goals != 40 || s.States != 196 || s.Puzzles != 30 || s.Records != 30 ||
		len(s.Top) != 2 || s.Top[0].Distance != 3 || s.Top[0].Board != "#####/#+--#/#-$-#/#-$.#/#####" {
		t.Errorf("it says %+v", s)
	}
	if same := sweepOf(t, "sokoban", emptyRoom(3), "--boxes", "2", "--data", data); same.Digest != s.Digest || same.Units != s.Units {
		t.Errorf("the same room: %+v", same)
	}
	if merged := sweepOf(t, "sokoban", room, "--boxes", "2", "--mirrors", "merged", "--data", filepath.Join(dir, "merged")); merged.Families != 8 || merged.Top[0].Distance != 3 {
		t.Errorf("without mirror images: %+v", merged)
	}
	all := recordsIn(t, data)
	boards := filepath.Join(dir, "boards.txt")
	must(t, "db", "export", data, "--format", "boards", "-o", boards)
	solved := linesOf(must(t, "solve", boards, "--json", "-q"))
	if len(all) != 30 || len(solved) != 30 {
		t.Fatalf("%d records, %d solved", len(all), len(solved))
	}
	for i := range all {
		r := &all[i]
		if got := explored(t, r.Board, "--from-goals"); got != saidOf(r) || !strings.Contains(solved[i], fmt.Sprintf(`"length":%d`, r.Distance)) || *r.Pieces != 2 {
			t.Errorf("%+v, explored %s, solved %s", r, got, solved[i])
		}
	}
	if top := linesOf(must(t, "db", "top", data, "-n", "1")); len(top) != 2 || !strings.Contains(top[0], "  boxes  ") || !strings.HasSuffix(top[1], "#####/#+--#/#-$-#/#-$.#/#####") {
		t.Errorf("top is %q", top)
	}
	if n := must(t, "db", "count", data, "--distance", "3"); n != "6\n" {
		t.Errorf("count is %q", n)
	}
	if csv := linesOf(must(t, "db", "export", data)); len(csv) != 31 || csv[1] != "3,#####/#+--#/#-$-#/#-$.#/#####,15,1,2,1 4 6 4" {
		t.Errorf("csv of %d lines has %q", len(csv), csv[1])
	}
	must(t, "db", "export", data, "-o", filepath.Join(dir, "records.parquet"))
	drawnAs(t, data, filepath.Join(dir, "sheet.svg"), "<svg")
	for _, test := range []struct{ args, want string }{
		{"db export " + data + " --format text", "--format text works only for Rush Hour"},
		{"db export " + data + " --format database", "--format database works only for Rush Hour"},
		{"db export " + data + " --format pack", "--format pack needs solutions, which sweeps do not compute if moves are irreversible"},
		{"db top " + data + " --by walls", "the records of a sweep of sokoban have no walls"},
		{"db count " + data + " --walls 1..", "the records of a sweep of sokoban have no walls"},
		{"db draw " + data + " --cards -o " + filepath.Join(dir, "cards.pdf"), "cards need solutions, which sweeps do not compute"},
		{"sweep sokoban " + room, "--boxes K is required"},
		{"sweep sokoban " + room + " --boxes 9", "--boxes 9: a room of 9 cells has space for 1 to 8 boxes and the player"},
		{"sweep sokoban " + emptyRoom(9) + " --boxes 7", "7 boxes on 81 cells make up to 281654544600 states per goal set: a sweep takes at most 268435456"},
		{"sweep sokoban " + room + " --boxes 2 --sample 2/3", "--sample 2/3: must be 1/N, meaning one in N"},
		{"sweep sokoban " + room + " --boxes 2 --mirrors both", "--mirrors both: must be apart or merged"},
		{"sweep sokoban " + room + " --boxes 3 --data " + data, "boxes: 2, not boxes: 3; name another directory with --data"},
		{"sweep sokoban ####/#--/#### --boxes 1", "argument:1:1: no floor that walls # enclose on all sides"},
		{"sweep sokoban " + room + " --boxes 2 --min-distance -1", "everystate: --min-distance -1: must be 0 or more"},
		{"sweep sokoban none.txt --boxes 1", "none.txt: no such file"},
	} {
		if r := call("", strings.Fields(test.args)...); r.code != exit.Usage || !strings.Contains(r.errs, test.want) || strings.Count(r.errs, "\n") > 2 {
			t.Errorf("%s: exit %d, %s", test.args, r.code, r.errs)
		}
	}
}

func TestSweepBlocks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	s := sweepOf(t, "blocks", puzzleFile(t, "../blocks/hengdaolima.txt"), "--data", data, "--top", "2")
	if !s.Complete || s.States != 65880 || s.Clusters != 898 || s.Solvable != 52 || s.Largest != 25955 || s.Records != 18 ||
		len(s.Top) != 2 || s.Top[0].Distance != 126 || s.Top[0].Board != ".AAB/CAAB/DEEF/DG.F/HGIJ" || s.Top[0].States != 25955 {
		t.Errorf("it says %+v", s)
	}
	if again := sweepOf(t, "resume", data); again.Digest != s.Digest {
		t.Errorf("resumed: %+v", again)
	}
	all := recordsIn(t, data)
	for i := range all[:4] {
		board := filepath.Join(dir, "board.txt")
		r := &all[i]
		must(t, "db", "export", data, "--format", "boards", "--states", fmt.Sprint(r.States), "--distance", fmt.Sprint(r.Distance), "-n", "1", "-o", board)
		if got := explored(t, board, "--goal-distance"); got != saidOf(r) {
			t.Errorf("%s: explored %s, want %s", r.Board, got, saidOf(r))
		}
	}
	packed := filepath.Join(dir, "pack.json")
	must(t, "db", "export", data, "-o", packed)
	text, err := os.ReadFile(packed)
	if err != nil || !bytes.Contains(text, []byte(`"puzzle":"blocks","metric":"step","rows":5,"columns":4`)) ||
		!bytes.Contains(text, []byte(`{"name":"A","cells":[{"row":0,"column":1},{"row":0,"column":2},{"row":1,"column":1},{"row":1,"column":2}],"goal":true}`)) {
		t.Errorf("%v: the pack begins %.800s", err, text)
	}
	drawnAs(t, data, filepath.Join(dir, "sheet.png"), "\x89PNG")
	must(t, "db", "draw", data, "--cards", "-n", "2", "-o", filepath.Join(dir, "cards.pdf"))
	for _, test := range []struct{ args, want string }{
		{"db export " + data + " --format boards", "there are 18 boards, and a file of blocks holds one: add -n 1"},
		{"db export " + data + " --format text", "--format text works only for Rush Hour"},
		{"sweep blocks BA/..", "the board has no goal, so no placement is harder than another"},
		{"sweep blocks none.txt", "none.txt: no such file"},
		{"sweep blocks BA/.. --min-distance -1", "everystate: --min-distance -1: must be 0 or more"},
		{"sweep blocks " + puzzleFile(t, "../blocks/hengdaolima.txt") + " --metric hop", "--metric hop: must be one of step, slide, move"},
		{"sweep blocks " + puzzleFile(t, "../blocks/hengdaolima.txt") + " --metric push", "--metric push: must be one of step, slide, move"},
	} {
		if r := call("", strings.Fields(test.args)...); r.code != exit.Usage || !strings.Contains(r.errs, test.want) || strings.Count(r.errs, "\n") > 2 {
			t.Errorf("%s: exit %d, %s", test.args, r.code, r.errs)
		}
	}
}

// drawnAs draws a few records to a file.
func drawnAs(t *testing.T, data, file, begins string) {
	t.Helper()
	must(t, "db", "draw", data, "-n", "3", "-o", file)
	if text, err := os.ReadFile(file); err != nil || !bytes.HasPrefix(text, []byte(begins)) {
		t.Errorf("%s: %v", file, err)
	}
}
