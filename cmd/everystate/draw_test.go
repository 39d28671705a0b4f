package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
)

// TestDraw makes every kind of picture in every format that it has.
func TestDraw(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	file := puzzleFile(t, "small-4x4.txt")
	must(t, "explore", file, "--run", dir, "--json", "--quiet", "--goal-distance")
	out := t.TempDir()
	begins := map[string]string{"svg": "<svg ", "png": "\x89PNG", "pdf": "%PDF-", "gif": "GIF89a"}
	for _, what := range []string{"", "--hardest", "--path", "--hardest --path", "--path --strip", "--layers", "--layers --log", "--graph", "--cards", "--hardest --cards", "--deepest", "--path --first-goal", "--dark"} {
		for format, begin := range begins {
			path := filepath.Join(out, "picture."+format)
			args := append([]string{"draw", dir, "-o", path, "--scale", "0.5"}, strings.Fields(what)...)
			r := call("", args...)
			animated := strings.Contains(what, "--path") && !strings.Contains(what, "--strip")
			if format == "gif" && !animated || format == "png" && strings.Contains(what, "--cards") {
				if r.code != exit.Usage {
					t.Errorf("%s as %s: exit %d, want %d", what, format, r.code, exit.Usage)
				}
				continue
			}
			if r.code != exit.Complete {
				t.Errorf("%s as %s: exit %d: %s", what, format, r.code, r.errs)
				continue
			}
			if text := readFileText(t, path); !strings.HasPrefix(text, begin) {
				t.Errorf("%s as %s begins with %.20q", what, format, text)
			}
		}
	}
	// A file, the run that comes of it and standard output say the same.
	want := must(t, "draw", dir, "--path")
	if got := must(t, "draw", file, "--path", "-o", "-", "--format", "svg"); got != want {
		t.Error("the picture of a file is not that of its run")
	}
	if got := must(t, "draw", dir, "E.BB / ECCC / .AAF / DD.F"); got == must(t, "draw", dir) {
		t.Error("another state is the same picture")
	}
}

func TestDrawMistakes(t *testing.T) {
	t.Parallel()
	file := puzzleFile(t, "small-4x4.txt")
	for _, args := range []string{
		"--path --layers", "--hardest --deepest", "--graph --hardest", "-n 0", "--scale 0", "--scale 1000", "--format bmp", "-o x.bmp", "--hardest --path --strip --format gif", "--cards --deepest",
	} {
		if r := call("", append([]string{"draw", file}, strings.Fields(args)...)...); r.code != exit.Usage || r.out != "" || strings.Count(r.errs, "\n") != 1 {
			t.Errorf("%s: exit %d, %q", args, r.code, r.errs)
		}
	}
}

// TestReport: the page needs nothing else, and what it shows is escaped.
func TestReport(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	text, err := os.ReadFile(puzzleFile(t, "small-4x4.txt"))
	if err != nil {
		t.Fatal(err)
	}
	board := strings.Replace(string(text), "name: Small 4x4", "name: <script>x</script> & co", 1)
	file := filepath.Join(t.TempDir(), "board.txt")
	if err := os.WriteFile(file, []byte(board), 0o600); err != nil {
		t.Fatal(err)
	}
	must(t, "explore", file, "--run", dir, "--json", "--quiet", "--goal-distance")
	const graph = `<img src="data:image/png;base64,`
	page := must(t, "report", dir)
	if strings.Count(page, graph) != 1 {
		t.Error("the page has no picture of the graph")
	}
	page = strings.Replace(page, graph, "", 1)
	for _, never := range []string{"<script", "src=", "href=", "@import", "url("} {
		if strings.Contains(page, never) {
			t.Errorf("the page has %q", never)
		}
	}
	for _, must := range []string{"&lt;script&gt;x&lt;/script&gt; &amp; co", "34, complete", "animateTransform", "The hardest boards", "digest", "--goal-distance",
		// A date, both commands, a dark style with plots of its own, and headings that stay with what follows on paper.
		time.Now().Format("2006-"), "everystate report RUN", "prefers-color-scheme: dark", `<div class="dark"><svg`, "break-after: avoid", "@page"} {
		if !strings.Contains(page, must) {
			t.Errorf("the page has no %q", must)
		}
	}
	for begin := strings.Index(page, "<svg "); begin >= 0; begin = strings.Index(page, "<svg ") {
		end := strings.Index(page, "</svg>") + len("</svg>")
		d := xml.NewDecoder(strings.NewReader(page[begin:end]))
		for {
			_, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		page = page[end:]
	}
}

// TestReportOfLongSolution says of a solution that is listed in part how much of it is.
func TestReportOfLongSolution(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "discs.txt")
	if err := os.WriteFile(file, []byte("3 pegs 11 discs\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "run")
	must(t, "explore", file, "--run", dir, "--quiet", "--goal-distance")
	page := must(t, "report", dir, "-n", "0")
	for _, want := range []string{"<summary>the first 2,000 moves (the path is too long for an animation)</summary>", "… and 47 more<"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
}

// TestReportOfLevels writes a page about all levels of a game, and of one that is
// chosen by the message before it.
func TestReportOfLevels(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../puzzles/puzzlescript/crates.txt")
	if err != nil {
		t.Fatal(err)
	}
	game := string(text[:strings.LastIndex(string(text), "\n\n")]) + "\n\n#####\n#P*O#\n#####\n\nmessage In a corner\n\n########\n#P.*.O.#\n#......#\n########\n"
	game = strings.NewReplacer("states: 81556\n", "", "moves: 20\n", "").Replace(game)
	file := filepath.Join(t.TempDir(), "game.txt")
	writeFile(t, file, game)
	page := must(t, "report", file, "--level", "all")
	for _, want := range []string{
		`<th scope="row">Crates, level 1</th><td>3</td><td>1 move</td><td>1</td>`,
		`<th scope="row">Crates, level 2</th>`, " %</td><td>4 moves</td></tr>", "Dead states", "after the move right",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	// The numbers of shortest solutions were counted with the reference implementation.
	tow := must(t, "report", "../../puzzles/puzzlescript/tow.txt", "--level", "all")
	for _, want := range []string{
		"<td>1,859</td><td>20 moves</td><td>2</td>", "<td>978</td><td>23 moves</td><td>7</td>", "<td>2,704</td><td>27 moves</td><td>1</td>",
	} {
		if !strings.Contains(tow, want) {
			t.Errorf("the page of tow has no %q", want)
		}
	}
	if page := must(t, "report", file, "--level", "in a"); strings.Contains(page, "level 1") || !strings.Contains(page, "<h1>Crates, level 2</h1>") {
		t.Error("the page is not about level 2 alone")
	}
	if r := call("", "report", file, "--level", "attic"); r.code != exit.Usage || !strings.Contains(r.errs, `there is no level "attic": there are 2: 1, 2 (In a corner)`) {
		t.Errorf("exit %d: %s", r.code, r.errs)
	}
}
