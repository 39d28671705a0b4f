package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/runs"
	"github.com/everystate/everystate/cmd/everystate/internal/solving"
	"github.com/everystate/everystate/coordinator/client"
	"github.com/everystate/everystate/internal/sweep/pack"
	"github.com/everystate/everystate/internal/sweep/records"
)

// referenceLines are the puzzles of a whole sweep, as the reference prints them.
func referenceLines(t *testing.T, size string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(moduleDir(t), "testdata", "truth", "sweep", "rush-hour.json"))
	if err != nil {
		t.Fatal(err)
	}
	var truth struct {
		Sweeps []struct {
			Size  string   `json:"size"`
			Lines []string `json:"puzzle_lines"`
		} `json:"sweeps"`
	}
	if err := json.Unmarshal(text, &truth); err != nil {
		t.Fatal(err)
	}
	for _, s := range truth.Sweeps {
		if s.Size == size {
			return s.Lines
		}
	}
	t.Fatalf("no sweep of %s", size)
	return nil
}

func linesOf(text string) []string { return strings.Split(strings.TrimSuffix(text, "\n"), "\n") }

// TestDatabaseIsTheReference: the text of whole sweeps is the reference's, line by
// line.
func TestDatabaseIsTheReference(t *testing.T) {
	t.Parallel()
	for _, size := range []string{"4x4", "5x5"} {
		if size == "5x5" && testing.Short() {
			continue
		}
		dir := t.TempDir()
		must(t, "sweep", "rushhour", "--size", size, "--data", dir, "--quiet")
		if got, want := linesOf(must(t, "db", "export", dir)), referenceLines(t, size); !slices.Equal(got, want) {
			t.Errorf("%s: %d lines, want %d, and not the same", size, len(got), len(want))
		}
	}
}

func TestDatabaseQuestions(t *testing.T) {
	t.Parallel()
	all := referenceLines(t, "4x4")
	dir := t.TempDir()
	data := filepath.Join(dir, "four")
	must(t, "sweep", "rushhour", "--size", "4x4", "--data", data, "--quiet")

	if got := must(t, "db", "count", data); got != "32\n" {
		t.Errorf("count is %q", got)
	}
	if got := must(t, "db", "count", data, "--distance", "6..", "--vehicles", "..5", "--json"); got != `{"records":5,"of":32}`+"\n" {
		t.Errorf("count in ranges is %q", got)
	}
	if got := linesOf(must(t, "db", "top", data, "-n", "2")); len(got) != 3 || !strings.HasSuffix(got[1], "BBoFAAoFECCCEoDD") {
		t.Errorf("top is %q", got)
	}
	var boards []string
	for _, line := range linesOf(must(t, "db", "filter", data, "--distance", "5..6", "--json")) {
		var r records.JSON
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		boards = append(boards, strings.ReplaceAll(r.Board, "o", "."))
	}
	var want []string
	for _, line := range all {
		if fields := strings.Fields(line); fields[0] == "06" || fields[0] == "05" {
			want = append(want, fields[1])
		}
	}
	if !slices.Equal(boards, want) {
		t.Errorf("distances 5 and 6 have %q, want %q", boards, want)
	}
	if got := must(t, "db", "histogram", data, "--by", "states", "--distance", "7", "--json"); got != `{"by":"states","bins":[{"least":32,"most":63,"records":1},{"least":16,"most":31,"records":1},{"least":8,"most":15,"records":1}]}`+"\n" {
		t.Errorf("histogram is %s", got)
	}
	if got := linesOf(must(t, "db", "histogram", data)); len(got) != 8 {
		t.Errorf("histogram is %q", got)
	}

	if got := must(t, "db", "export", data, "--format", "database", "-n", "1"); got != "07 BBoFAAoFECCCEoDD 34\n" {
		t.Errorf("database line is %q", got)
	}
	boardsFile := filepath.Join(dir, "boards.txt")
	must(t, "db", "export", data, "--format", "boards", "-o", boardsFile)
	solved := linesOf(must(t, "solve", boardsFile, "--json", "-q"))
	if len(solved) != 32 || !strings.Contains(solved[0], `"length":7`) {
		t.Errorf("%d boards are solved, the first: %s", len(solved), solved[0])
	}
	if got := linesOf(must(t, "db", "export", data, "--format", "csv")); len(got) != 33 || got[1] != "7,BBoFAAoFECCCEoDD,34,4,6,0,true,4 4 6 5 4 6 4 1" {
		t.Errorf("csv has %d lines, with %q", len(got), got[1])
	}
	four := filepath.Join(dir, "four.txt")
	must(t, "db", "export", data, "--format", "database", "-o", four)
	if got := linesOf(must(t, "db", "compare", data, four)); len(got) != 4 || got[0] != "equal                32" {
		t.Errorf("compared with itself: %q", got)
	}
	if r := call("", "db", "compare", data, four+".none"); r.code != exit.Usage || !strings.Contains(r.errs, "four.txt.none: no such file") {
		t.Errorf("compared with nothing: exit %d, %s", r.code, r.errs)
	}
	writeFile(t, four, "07 BBoFAAoFECCCEoDD 33\n")
	if r := call("", "db", "compare", data, four, "-n", "1"); r.code != exit.Failed || !strings.HasSuffix(r.out, "different  line 1: 07 BBoFAAoFECCCEoDD 33, here 07 BBoFAAoFECCCEoDD 34\n") {
		t.Errorf("compared with another: exit %d, %s", r.code, r.out)
	}
	r := call("", "db", "compare", data, four, "-n", "0", "--by-distance", "--distance", "7")
	if r.code != exit.Failed || !strings.HasSuffix(r.out, "\nmoves  equal  different  missing  extra\n    7      0          1        0      2\n") {
		t.Errorf("compared by distance: exit %d, %s", r.code, r.out)
	}
	writeFile(t, four, "08 BBoFAAoFECCCEoDD 34\n")
	for distance, want := range map[string]string{"7": "1,0,2", "8": "1,0,0", "9": "0,0,0"} {
		r := call("", "db", "compare", data, four, "--json", "--distance", distance)
		var c struct{ Different, Missing, Extra int }
		if err := json.Unmarshal([]byte(r.out), &c); err != nil || fmt.Sprintf("%d,%d,%d", c.Different, c.Missing, c.Extra) != want {
			t.Errorf("compared at distance %s: %+v, want %s (%v)", distance, c, want, err)
		}
	}
	packFile := filepath.Join(dir, "pack.json")
	must(t, "db", "export", data, "-o", packFile)
	var p struct {
		Puzzles []pack.Puzzle `json:"puzzles"`
		Count   int           `json:"count"`
	}
	text, err := os.ReadFile(packFile)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &p); err != nil || p.Count != 32 || len(p.Puzzles) != 32 {
		t.Errorf("pack of %d: %v", len(p.Puzzles), err)
	}
	parquetFile := filepath.Join(dir, "four.parquet")
	must(t, "db", "export", data, "-o", parquetFile)
	if text, err = os.ReadFile(parquetFile); err != nil {
		t.Fatal(err)
	}
	picture := filepath.Join(dir, "sheet.PNG")
	if r := call("", "db", "export", data, "-o", picture); r.code != exit.Usage || !strings.Contains(r.errs, "db draw") {
		t.Errorf("export as a picture: exit %d, %s", r.code, r.errs)
	}
	rows := make([]records.Row, 40)
	n, err := parquet.NewGenericReader[records.Row](bytes.NewReader(text)).Read(rows)
	if n != 32 || !errors.Is(err, io.EOF) || rows[0].Board != "BBoFAAoFECCCEoDD" || rows[0].States != 34 || !rows[0].Minimal {
		t.Errorf("%d rows (%v), the first %+v", n, err, rows[0])
	}
	for name, want := range map[string]string{"sheet.svg": "<svg", "sheet.png": "\x89PNG", "cards.pdf": "%PDF"} {
		args := []string{"db", "draw", data, "-n", "3", "-o", filepath.Join(dir, name)}
		if strings.HasPrefix(name, "cards") {
			args = append(args, "--cards")
		}
		must(t, args...)
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !bytes.HasPrefix(text, []byte(want)) {
			t.Errorf("%s: %v", name, err)
		}
	}

	for _, test := range []struct {
		args string
		code int
		want string
	}{
		{"top nowhere", exit.Usage, "nowhere: no sweep database there"},
		{"filter " + data + " --distance 9", exit.NotFound, "has no matching records"},
		{"filter " + data + " --distance 9..8", exit.Usage, "--distance 9..8: must be N, N..M, N.. or ..M, from 0"},
		{"filter " + data + " --pieces 3 --vehicles 4", exit.Usage, "--vehicles 4: is the same as --pieces: give one of them"},
		{"filter " + data + " --vehicles 4 --pieces 3", exit.Usage, "--pieces 3: is the same as --vehicles: give one of them"},
		{"top " + data + " --by size", exit.Usage, "--by size: must be one of distance, states, pieces, vehicles, walls, grade"},
		{"top " + data + " --grade 2", exit.Usage, "has no grades yet: everystate db grade"},
		{"grade " + data + " --workers 0", exit.Usage, "--workers 0: must be from 1 to 1024"},
		{"top " + data + " -n 0", exit.Usage, "-n 0: must be 1 or more"},
		{"export " + data + " --format xml", exit.Usage, `--format xml: must be`},
	} {
		r := call("", append([]string{"db"}, strings.Fields(test.args)...)...)
		if r.code != test.code || !strings.Contains(r.errs, test.want) {
			t.Errorf("db %s: exit %d, %s", test.args, r.code, r.errs)
		}
	}
}

// TestDatabaseGrades grades a sweep: then every question knows the grades.
func TestDatabaseGrades(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data := filepath.Join(dir, "four")
	must(t, "sweep", "rushhour", "--size", "4x4", "--data", data, "--quiet")
	for range 2 { // the second time there is nothing to do
		if got := must(t, "db", "grade", data, "-q"); got != "32 records with grades\n" {
			t.Errorf("it says %q", got)
		}
	}
	if got := must(t, "db", "histogram", data, "--by", "grade"); !strings.Contains(got, "    1       20  ") || !strings.Contains(got, "    2       12  ") {
		t.Errorf("histogram is %q", got)
	}
	if got := must(t, "db", "count", data, "--grade", "2", "--distance", "..6"); got != "10\n" {
		t.Errorf("count is %q", got)
	}
	top := linesOf(must(t, "db", "top", data, "-n", "1"))
	if len(top) != 2 || !strings.HasSuffix(top[1], "      0      2  BBoFAAoFECCCEoDD") {
		t.Errorf("top is %q", top)
	}
	var r records.JSON
	if err := json.Unmarshal([]byte(must(t, "db", "top", data, "-n", "1", "--json")), &r); err != nil || r.Grade == nil || r.Grade.Grade.Grade != 2 || r.Solutions == 0 {
		t.Errorf("%v: %+v", err, r)
	}
	csv := linesOf(must(t, "db", "export", data, "--format", "csv", "-n", "1"))
	if len(csv) != 2 || strings.Count(csv[0], ",") != strings.Count(csv[1], ",") || !strings.Contains(csv[0], ",grade,optimal_solutions,bits_of_chance,") {
		t.Errorf("csv is %q", csv)
	}
	parquetFile := filepath.Join(dir, "four.parquet")
	must(t, "db", "export", data, "-o", parquetFile)
	text, err := os.ReadFile(parquetFile)
	if err != nil {
		t.Fatal(err)
	}
	rows := make([]records.GradedRow, 40)
	if n, _ := parquet.NewGenericReader[records.GradedRow](bytes.NewReader(text)).Read(rows); n != 32 || rows[0].Grade != 2 || rows[0].Movers == 0 || rows[0].Board != "BBoFAAoFECCCEoDD" {
		t.Errorf("%d rows, the first %+v", n, rows[0])
	}
	packed := must(t, "db", "export", data, "--format", "pack", "-n", "1")
	if !strings.Contains(packed, `"grade":2,"bits_of_chance":`) {
		t.Errorf("pack is %s", packed)
	}
	must(t, "db", "draw", data, "-n", "1", "--cards", "-o", filepath.Join(dir, "cards.svg"))
	blocks := filepath.Join(dir, "blocks")
	must(t, "sweep", "blocks", puzzleFile(t, "../blocks/hengdaolima.txt"), "--data", blocks, "-q")
	if r := call("", "db", "grade", blocks); r.code != exit.Usage || !strings.Contains(r.errs, "only boards of Rush Hour have grades") {
		t.Errorf("blocks: exit %d, %s", r.code, r.errs)
	}
}

// TestDatabaseNames finds databases by their names below sweeps/, as every command does
// that takes one.
//
//nolint:paralleltest // It has a working directory of its own.
func TestDatabaseNames(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, part := range []string{"1", "2"} {
		must(t, "sweep", "rushhour", "--size", "4x4", "--part", part+"/2", "--data", "sweeps/p"+part, "-q")
	}
	if r := call("", "db", "merge", "p1", "p2", "-q"); r.code != exit.Complete || !strings.Contains(r.out, "database  "+filepath.Join("sweeps", "p1")+"\n") {
		t.Errorf("merge: exit %d, %s%s", r.code, r.out, r.errs)
	}
	if out := must(t, "db", "merge", "new", "p1", "-q"); !strings.Contains(out, filepath.Join("sweeps", "new")+"\n") {
		t.Errorf("merge into what is new: %s", out)
	}
	if out := must(t, "sweep", "resume", "new", "-q"); !strings.Contains(out, "32, complete") {
		t.Errorf("resume: %s", out)
	}
	if r := call("", "sweep", "resume", "none"); r.code != exit.Usage || !strings.Contains(r.errs, "none: no sweep database there") {
		t.Errorf("resume: exit %d, %s", r.code, r.errs)
	}
	for _, args := range []string{"p1 p2 p1", "p1 sweeps/p1", "sweeps/p1 ./sweeps//p1", "void p1 sweeps/void"} {
		r := call("", append([]string{"db", "merge", "-q"}, strings.Fields(args)...)...)
		if r.code != exit.Usage || !strings.Contains(r.errs, " cannot be merged into itself (see") {
			t.Errorf("merge %s: exit %d, %s%s", args, r.code, r.out, r.errs)
		}
	}
	entries, err := os.ReadDir(".")
	if err != nil || len(entries) != 1 || entries[0].Name() != "sweeps" {
		t.Errorf("%v: the directory has %v", err, entries)
	}
	if _, err := os.Stat("sweeps/void"); err == nil {
		t.Error("what is refused makes a database")
	}
}

// TestDatabaseWithoutBoards: what needs boards says at once that there are none.
func TestDatabaseWithoutBoards(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data, file := filepath.Join(dir, "three"), filepath.Join(dir, "file")
	must(t, "sweep", "rushhour", "--size", "3x3", "--lengths", "1,2", "--data", data, "-q")
	for _, args := range []string{"export --format boards", "export --format pack -n 1", "export --format pack -o " + file, "grade", "draw -o " + file + ".svg", "draw --cards -o " + file + ".pdf"} {
		words := strings.Fields("db " + args)
		r := call("", slices.Insert(words, 2, data)...)
		if r.code != exit.Usage || r.out != "" || strings.Count(r.errs, "\n") != 1 || !strings.Contains(r.errs, "records do not store the direction of vehicles of one cell") {
			t.Errorf("%s: exit %d, %s%s", args, r.code, r.out, r.errs)
		}
	}
	if files, err := filepath.Glob(file + "*"); err != nil || len(files) > 0 {
		t.Errorf("%v: there are %v", err, files)
	}
	must(t, "db", "export", data, "--format", "csv")
}

// TestDatabaseNotComplete: what is not found may be found later.
func TestDatabaseNotComplete(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "half")
	must(t, "sweep", "rushhour", "--size", "4x4", "--part", "1/2", "--data", data, "-q")
	for _, args := range []string{"top", "filter", "draw --format svg"} {
		words := strings.Fields("db " + args)
		r := call("", append(slices.Insert(words, 2, data), "--distance", "90..")...)
		if r.code != exit.Incomplete || r.out != "" || !strings.Contains(r.errs, " units); no record matches so far: ") || !strings.Contains(r.errs, "everystate sweep resume "+data) {
			t.Errorf("%s: exit %d, %s%s", args, r.code, r.out, r.errs)
		}
	}
}

// TestCardsWithoutSolution say so on the back.
func TestCardsWithoutSolution(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for board, want := range map[string]string{
		"AAB/..B/..B": "no solution", // B fills its column
		"AA./BB./CC.": "1 move",
	} {
		file := filepath.Join(dir, strings.ReplaceAll(board, "/", "")+".svg")
		must(t, "draw", "puzzle: rush-hour\ngoal: A\nexit: right\n"+strings.ReplaceAll(board, "/", "\n")+"\n", "--cards", "-q", "-o", file)
		text, err := os.ReadFile(file)
		if err != nil || strings.Count(string(text), ">"+want+"</text>") != 1 || strings.Contains(string(text), " moves</text>") {
			t.Errorf("%s: %v, want %q in\n%s", board, err, want, text)
		}
	}
}

// TestSweepOnACoordinator has two workers do a sweep and makes its database here.
func TestSweepOnACoordinator(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes seconds")
	}
	addr := startCoordinator(t)
	dir := t.TempDir()
	startWorker(t, addr, filepath.Join(dir, "a"))
	startWorker(t, addr, filepath.Join(dir, "b"))
	for _, rules := range [][]string{
		{"sokoban", emptyRoom(5), "--boxes", "3"},
		{"blocks", puzzleFile(t, "../blocks/hengdaolima.txt")},
	} {
		want := sweepOf(t, append(rules, "--data", filepath.Join(dir, "here", rules[0]))...)
		got := sweepOf(t, append(rules, "--data", filepath.Join(dir, "there", rules[0]), "--coordinator", addr, "--name", rules[0], "--wait")...)
		if got.Digest != want.Digest || !got.Complete || got.Records != want.Records || got.Records == 0 {
			t.Errorf("%s with workers %+v\nalone %+v", rules[0], got, want)
		}
	}
	want := sweepOf(t, "rushhour", "--size", "4x4", "--data", filepath.Join(dir, "here"))
	got := sweepOf(t, "rushhour", "--size", "4x4", "--data", filepath.Join(dir, "there"), "--coordinator", addr, "--name", "four", "--wait")
	if got.Digest != want.Digest || !got.Complete || got.Units != want.Units || got.Records != want.Records {
		t.Errorf("with workers %+v\nalone %+v", got, want)
	}
	if a, b := must(t, "db", "export", filepath.Join(dir, "here")), must(t, "db", "export", filepath.Join(dir, "there")); a != b {
		t.Error("the databases are not the same")
	}
	until(t, addr, func(runs []client.Status, _ []client.Worker) bool {
		return !slices.ContainsFunc(runs, func(s client.Status) bool { return !s.Complete })
	})
	status := must(t, "status", addr+"/four", "--json")
	var s runs.StatusJSON
	if err := json.Unmarshal([]byte(status), &s); err != nil || s.Digest != want.Digest || s.UnitsDone == nil || *s.UnitsDone != s.Units {
		t.Errorf("status (%v): %s", err, status)
	}
	if got := must(t, "status", addr+"/four"); !strings.Contains(got, want.Digest) {
		t.Errorf("status: %s", got)
	}
	if got := must(t, "watch", addr+"/four", "-q"); !strings.Contains(got, "units        27 of 27 done\n") || !strings.HasSuffix(got, "next  everystate db fetch "+addr+"/four\n") {
		t.Errorf("watch: %s", got)
	}
	if got := must(t, "watch", addr+"/four", "-q", "--json"); !strings.Contains(got, want.Digest) || !strings.Contains(got, `"complete":true`) {
		t.Errorf("watch: %s", got)
	}
	if got := must(t, "runs", addr); !strings.Contains(got, "9,304      -  complete\n") {
		t.Errorf("runs: %s", got)
	}
	must(t, "db", "fetch", addr+"/four", "--data", filepath.Join(dir, "again"), "-q")
	for _, args := range []string{"layers " + addr + "/four", "db fetch " + addr + "/none", "sweep rushhour --size 4x4 --exit-row 0 --coordinator " + addr + " --name four"} {
		if r := call("", strings.Fields(args)...); r.code != exit.Usage || r.errs == "" {
			t.Errorf("%s: exit %d, %s", args, r.code, r.errs)
		}
	}
}

func TestGenerate(t *testing.T) {
	t.Parallel()
	args := []string{"generate", "rush-hour", "--size", "4x4", "--evaluations", "1500", "--restart", "300", "--top", "3", "-q"}
	file := filepath.Join(t.TempDir(), "hard.txt")
	out := must(t, append(args, "-o", file)...)
	if !strings.HasPrefix(out, "7 moves to the nearest goal, the most among ") {
		t.Errorf("it says\n%s", out)
	}
	solved := linesOf(must(t, "solve", file, "--json", "-q"))
	if len(solved) != 3 || !strings.Contains(solved[0], `"length":7`) {
		t.Errorf("solved: %q", solved)
	}
	first := must(t, append(args, "--json", "--workers", "1")...)
	if second := must(t, append(args, "--json", "--workers", "2")...); second != first {
		t.Errorf("two workers find\n%s\none finds\n%s", second, first)
	}
	var g solving.GeneratedJSON
	if err := json.Unmarshal([]byte(linesOf(first)[0]), &g); err != nil || g.Distance != 7 || g.Rows != 4 || len(g.Layers) != 8 {
		t.Errorf("%v: %+v", err, g)
	}
	must(t, "generate", file, "--evaluations", "50", "--time-max", "1m", "-q")
	if out := must(t, "generate", file, "--size", "5x5", "--evaluations", "50", "--json", "-q"); !strings.Contains(out, `"rows":5`) {
		t.Errorf("4x4 boards in 5x5: %s", out)
	}
	for _, test := range []struct{ args, want string }{
		{"sokoban", "cannot generate boards of sokoban, only of rush-hour"},
		{"rush-hour --size 6", "--size 6: must be rows x columns, each from 3 to 16, as in 6x6"},
		{"rush-hour --size 0x5", "--size 0x5: must be rows x columns, each from 3 to 16, as in 6x6"},
		{"rush-hour --method luck", "--method luck: must be one of anneal, climb, random"},
		{"rush-hour --walls 3..1", "--walls 3..1: must be N, N..M, N.. or ..M, from 0"},
		{"rush-hour --seed -5", "--seed -5: must be a whole number, 0 or more (see"},
		{"rush-hour --evaluations 0", "--evaluations 0: must be more than 0"},
		{"rush-hour --exit-row 6", "--exit-row 6: rows are 0 to 5"},
		{"rush-hour --metric hop", "--metric hop: must be step or slide"},
	} {
		r := call("", append([]string{"generate"}, strings.Fields(test.args)...)...)
		if r.code != exit.Usage || !strings.Contains(r.errs, test.want) {
			t.Errorf("generate %s: exit %d, %s", test.args, r.code, r.errs)
		}
	}
}

// TestMergeRefused merges what does not exist, or is another sweep: nothing is made.
func TestMergeRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	must(t, "sweep", "rushhour", "--size", "4x4", "--data", at("a"), "-q")
	must(t, "sweep", "rushhour", "--size", "4x4", "--walls", "1", "--data", at("b"), "-q")
	for other, want := range map[string]string{
		"b":    at("a") + " is a sweep with different rules: it has walls: 0..0, not walls: 1..1: " + at("b") + " cannot be merged with it",
		"none": at("none") + ": no sweep database there",
	} {
		r := call("", "db", "merge", at("new"), at("a"), at(other), "-q")
		if _, err := os.Stat(at("new")); r.code != exit.Usage || !strings.Contains(r.errs, want) || err == nil {
			t.Errorf("merge with %s: exit %d, %s, and made what was not there: %t", other, r.code, r.errs, err == nil)
		}
	}
}

// TestNotABoard gives arguments that are neither files nor boards.
func TestNotABoard(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ args, want string }{
		{"explore|RRR..U2X", "everystate: RRR..U2X: no such file, and not a board: a board has slashes between rows, as in "},
		{"solve|jam-93.tx", "everystate: jam-93.tx: no such file, and not a board: a board has slashes between rows, as in "},
		{"plan|BBoKMxDDDKMoIAALooIoJLEEooJFFNoGGoxB", "everystate: BBoKMxDDDKMoIAALooIoJLEEooJFFNoGGoxB: no such file, and not a board: line 1, column 3"},
		{"explore|", "everystate: FILE: empty argument: must be a file, a board, or - for standard input\n"},
		{"sweep|blocks|notation: letters\n\nAA.B\n...B\n....\n....", "everystate: argument: a board of rush-hour: must be one of sliding blocks (blocks); see `everystate sweep --help` for other puzzles\n"},
		{"explore|AA.B/...B|--exit|up", "everystate: --exit up: unknown exit "},
		{"explore|AA.B / ...B|--goal|Z", "everystate: --goal Z: goal Z: "},
		{"explore|R U|--moves|R", "everystate: the puzzle pocket-cube has fixed moves: "},
	} {
		if r := call("", strings.Split(test.args, "|")...); r.code != exit.Usage || !strings.HasPrefix(r.errs, test.want) {
			t.Errorf("%q: exit %d, %s", test.args, r.code, r.errs)
		}
	}
}

// TestDirectoriesAndFiles gives a file where a directory is expected, and the reverse.
func TestDirectoriesAndFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	writeFile(t, file, "")
	if r := call("", "list", file); r.code != exit.Usage || r.errs != "everystate: "+file+" is a file, not a directory of runs\n" {
		t.Errorf("list: exit %d, %s", r.code, r.errs)
	}
	if out := must(t, "list", dir); !strings.HasPrefix(out, "no runs in "+dir+"/ yet: ") {
		t.Errorf("list says %s", out)
	}
	if r := call("", "generate", "rush-hour", "-o", dir); r.code != exit.Usage || r.errs != "everystate: write "+dir+": is a directory: must be a file\n" {
		t.Errorf("generate: exit %d, %s", r.code, r.errs)
	}
	if r := call("", "sweep", "sum", dir); r.code != exit.Usage || !strings.HasPrefix(r.errs, "everystate: "+dir+" is a directory: must be ") {
		t.Errorf("sweep sum: exit %d, %s", r.code, r.errs)
	}
}
