package web_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

// TestBrowser drives the real page on the real program in Chromium. It needs
// Node, what `npm ci` in this folder brings, and Chromium; EVERYSTATE_BROWSER=1
// asks for it. Screenshots go to EVERYSTATE_SHOTS.
func TestBrowser(t *testing.T) {
	p := newProgram(t)
	p.start("serve", "--listen", "127.0.0.1:0")
	drive(t, "browser.mjs", p.said(`(http://[^/ ]+)`), "../../puzzles/rushhour/jam-93.txt", "../../puzzles/rushhour/huge-8x8.txt", shots(t))
}

// TestBrowserPlayer plays with boards of several puzzles, and looks at the list of their
// runs.
func TestBrowserPlayer(t *testing.T) {
	p := newProgram(t)
	boards := map[string]string{
		"cars":  "puzzle: rush-hour\nmetric: step\n\nBB..C.\n....C.\nAA..D.\nE...D.\nE.....\n...FFF\n",
		"hanoi": "3 pegs 4 discs\n", "sudoku": "puzzle: sudoku\n\n12..\n34..\n..12\n...3\n",
		"sokoban": "puzzle: sokoban\n\n########\n#      #\n# $ .# #\n#@  $. #\n#      #\n########\n",
	}
	for name, text := range boards {
		p.explore(name, text)
	}
	text, err := os.ReadFile("../../puzzles/blocks/hengdaolima.txt")
	if err != nil {
		t.Fatal(err)
	}
	p.explore("klotski", string(text))
	game, err := os.ReadFile("../../puzzles/puzzlescript/crates.txt")
	if err != nil {
		t.Fatal(err)
	}
	p.explore("game", string(game))
	p.start("serve", "--listen", "127.0.0.1:0")
	drive(t, "player.mjs", p.said(`(http://[^/ ]+)`), shots(t))
}

// TestBrowserEdit edits boards.
func TestBrowserEdit(t *testing.T) {
	p := newProgram(t)
	p.start("serve", "--listen", "127.0.0.1:0")
	drive(t, "edit.mjs", p.said(`(http://[^/ ]+)`), "../../puzzles/rushhour/jam-93.txt", shots(t))
}

// TestBrowserSweeps looks through the puzzles of a sweep.
func TestBrowserSweeps(t *testing.T) {
	p := newProgram(t)
	if out, err := p.command("sweep", "rushhour", "--size", "4x4", "--all", "--quiet").CombinedOutput(); err != nil {
		t.Fatalf("sweep: %v\n%s", err, out)
	}
	p.start("serve", "--listen", "127.0.0.1:0")
	drive(t, "sweeps.mjs", p.said(`(http://[^/ ]+)`), "rushhour-4x4-all", shots(t))
}

// TestBrowserCluster watches three workers explore a run of 256 partitions, and one
// of them get lost.
func TestBrowserCluster(t *testing.T) {
	p := newProgram(t)
	const run = "huge-4x4"
	board, err := filepath.Abs("../../puzzles/tiles/huge-4x4.txt")
	if err != nil {
		t.Fatal(err)
	}
	p.start("coordinator", "--listen", "127.0.0.1:0", "--data", "coordinator", "--lease", "2s", "--http", "127.0.0.1:0")
	coordinator := p.said(`coordinator listens" address=(\S+)`)
	args := []string{"http://" + p.said(`page is served" address=(\S+)`), run, shots(t)}
	for i := range 3 {
		p.start("worker", "--coordinator", coordinator, "--data", fmt.Sprintf("worker-%d", i), "--memory", "128MiB", "--lanes", "1")
		args = append(args, strconv.Itoa(p.last.Process.Pid))
	}
	if out, err := p.command("submit", board, "--coordinator", coordinator, "--partitions", "256", "--name", run).CombinedOutput(); err != nil {
		t.Fatalf("submit: %v\n%s", err, out)
	}
	drive(t, "cluster.mjs", args...)
}

// TestBrowserGraphs measures the graphs of larger spaces; EVERYSTATE_GRAPHS=1 asks
// for it.
func TestBrowserGraphs(t *testing.T) {
	if os.Getenv("EVERYSTATE_GRAPHS") != "1" {
		t.Skip("EVERYSTATE_GRAPHS=1 measures the graphs of larger spaces")
	}
	p := newProgram(t)
	// Six rows that do not know of each other: 7 x 7 x 10 x 10 x 10 x 10 = 490,000.
	rows := filepath.Join(t.TempDir(), "rows.txt")
	if err := os.WriteFile(rows, []byte("puzzle: rush-hour\n\nXX......\nAA......\nBBCCDD..\nEEFFGG..\nHHIIJJ..\nKKLLMM..\n........\n........\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var runs []string
	for name, board := range map[string]string{
		"pocket-cube": "../../puzzles/permutation/pocket-cube-htm.txt", "famous": "../../puzzles/rushhour/jam-93.txt", "klotski": "../../puzzles/blocks/hengdaolima.txt", "tiles-3x3": "../../puzzles/tiles/3x3.txt", "rows-490000": rows,
	} {
		board, err := filepath.Abs(board)
		if err != nil {
			t.Fatal(err)
		}
		if out, err := p.command("explore", board, "--run", filepath.Join("runs", name), "--goal-distance", "--quiet").CombinedOutput(); err != nil {
			t.Fatalf("explore: %v\n%s", err, out)
		}
		runs = append(runs, name)
	}
	slices.Sort(runs)
	if out, err := p.command("sweep", "rushhour", "--size", "5x5", "--walls", "0..1", "--all", "--quiet").CombinedOutput(); err != nil {
		t.Fatalf("sweep: %v\n%s", err, out)
	}
	p.start("serve", "--listen", "127.0.0.1:0")
	drive(t, "graph.mjs", append([]string{p.said(`(http://[^/ ]+)`), shots(t), "rushhour-5x5-walls-0-1-all"}, runs...)...)
}

// TestBrowserPlayable plays files that the program wrote, without a network.
func TestBrowserPlayable(t *testing.T) {
	p := newProgram(t)
	var files []string
	for _, board := range []string{"rushhour/small-5x5.txt", "permutation/one-way.txt"} {
		board, err := filepath.Abs("../../puzzles/" + board)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(p.dir, filepath.Base(board)+".html")
		if out, err := p.command("report", board, "--playable", "-o", file).CombinedOutput(); err != nil {
			t.Fatalf("report: %v\n%s", err, out)
		}
		files = append(files, file)
	}
	drive(t, "playable.mjs", files[0], files[1], shots(t))
}

// TestBrowserSolid turns puzzles that are solid bodies.
func TestBrowserSolid(t *testing.T) {
	p := newProgram(t)
	text, err := os.ReadFile("../../puzzles/permutation/pocket-cube-generated.txt")
	if err != nil {
		t.Fatal(err)
	}
	// The pocket cube turned by U and half turns of R alone.
	p.explore("cube", strings.Replace(string(text), "states: 3674160\n", "start: U R2 U2 R2 U\ngenerators: U, R2\n", 1))
	file := filepath.Join(p.dir, "cube.html")
	if out, err := p.command("report", "runs/cube", "--playable", "-o", file).CombinedOutput(); err != nil {
		t.Fatalf("report: %v\n%s", err, out)
	}
	args := []string{"", file, shots(t), "cube"}
	for _, name := range []string{"rubiks-cube", "pyraminx", "skewb", "dino-cube", "fto-without-centres", "megaminx", "square-1"} {
		board, err := filepath.Abs("../../puzzles/permutation/" + name + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		const stopped = 3 // at the limit
		explore := p.command("explore", board, "--run", filepath.Join("runs", name), "--max-depth", "2", "--quiet")
		if out, err := explore.CombinedOutput(); explore.ProcessState.ExitCode() != stopped {
			t.Fatalf("explore %s: %v\n%s", name, err, out)
		}
		args = append(args, name)
	}
	p.start("serve", "--listen", "127.0.0.1:0")
	args[0] = p.said(`(http://[^/ ]+)`)
	drive(t, "solid.mjs", args...)
}

// TestBrowserShapes looks at boards that are no grids, compares two runs, and drags with
// a finger.
func TestBrowserShapes(t *testing.T) {
	p := newProgram(t)
	cars := "puzzle: rush-hour\nmetric: %s\n\nBB..C.\n....C.\nAA..D.\nE...D.\nE.....\n...FFF\n"
	boards := map[string]string{
		"topspin":   "8 4: 1 3 2 5 4 6 8 7\n",
		"turntable": "puzzle: permutation\npieces: 8\nstart: 1 2 3 4 6 5 7 8\nmetric: htm\n\nmove R: (1 2 3 4 5 6 7 8)\nmove F: (1 4)(2 3)\n",
		"hanoi":     "3 pegs 8 discs\n",
		"pancake":   "puzzle: pancake\n\n3 1 4 2 5\n",
		"steps":     fmt.Sprintf(cars, "step"),
		"slides":    fmt.Sprintf(cars, "slide"),
	}
	for name, file := range map[string]string{"rings": "permutation/hungarian-rings", "game": "puzzlescript/crates"} {
		text, err := os.ReadFile("../../puzzles/" + file + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		boards[name] = string(text)
	}
	for name, text := range boards {
		p.explore(name, text)
	}
	p.start("serve", "--listen", "127.0.0.1:0")
	drive(t, "shapes.mjs", p.said(`(http://[^/ ]+)`), shots(t))
}

// TestBrowserSignIn signs in at a coordinator with tokens.
func TestBrowserSignIn(t *testing.T) {
	p := newProgram(t)
	if err := os.WriteFile(filepath.Join(p.dir, "tokens"), []byte("viewer 0123456789abcdef0123456789abcdef\nworker fedcba9876543210fedcba9876543210\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.start("coordinator", "--listen", "127.0.0.1:0", "--data", "coordinator", "--token-file", "tokens", "--http", "127.0.0.1:0")
	drive(t, "signin.mjs", "http://"+p.said(`page is served" address=(\S+)`), "0123456789abcdef0123456789abcdef", shots(t))
}

// TestBrowserMany looks at a list of many runs, at one that is still running, and at a run
// without goal distances on a telephone.
func TestBrowserMany(t *testing.T) {
	p := newProgram(t)
	p.explore("run-000", "puzzle: rush-hour\n\nAA.B\n...B\n....\n....\n")
	for i := 1; i < 120; i++ {
		if err := os.CopyFS(filepath.Join(p.dir, "runs", fmt.Sprintf("run-%03d", i)), os.DirFS(filepath.Join(p.dir, "runs", "run-000"))); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := p.command("explore", "AA.B / ...B / .... / ....", "--run", "runs/plain", "--quiet").CombinedOutput(); err != nil {
		t.Fatalf("explore: %v\n%s", err, out)
	}
	boards, err := families.Read([]byte("AA.B / ...B / .... / ...."), puzzle.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	empty, err := engine.Create(filepath.Join(p.dir, "runs", "empty"), boards[0], engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := empty.Close(); err != nil {
		t.Fatal(err)
	}
	p.start("serve", "--listen", "127.0.0.1:0")
	drive(t, "many.mjs", p.said(`(http://[^/ ]+)`), "../../puzzles/rushhour/huge-8x8.txt", shots(t))
}

// TestBrowserFound looks at what was wrong once and is not looked at elsewhere.
func TestBrowserFound(t *testing.T) {
	p := newProgram(t)
	text, err := os.ReadFile("../../puzzles/blocks/hengdaolima.txt")
	if err != nil {
		t.Fatal(err)
	}
	p.explore("klotski", string(text))
	p.explore("sokoban", "puzzle: sokoban\n\n########\n#      #\n# $ .# #\n#@  $. #\n#      #\n########\n")
	p.explore("cars", "puzzle: rush-hour\nmetric: step\n\nBB..C.\n....C.\nAA..D.\nE...D.\nE.....\n...FFF\n")
	p.explore("push", "puzzle: sokoban\n\n#####\n#@$.#\n#####\n")
	film, report := filepath.Join(p.dir, "film.svg"), filepath.Join(p.dir, "report.html")
	for _, args := range [][]string{{"draw", "runs/cars", "--path", "-o", film}, {"report", "runs/cars", "-o", report}} {
		if out, err := p.command(args...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", args[0], err, out)
		}
	}
	p.start("serve", "--listen", "127.0.0.1:0")
	drive(t, "found.mjs", p.said(`(http://[^/ ]+)`), "../../puzzles/rushhour/huge-8x8.txt", film, report, shots(t))
}

// TestBrowserPressed presses what is seldom pressed.
func TestBrowserPressed(t *testing.T) {
	p := newProgram(t)
	cars := "puzzle: rush-hour\nmetric: step\n\nBB..C.\n....C.\nAA..D.\nE...D.\nE.....\n...FFF\n"
	p.explore("cars", cars)
	p.explore("graph", cars) // as the name of a view
	if out, err := p.command("explore", "cars.txt", "--run", "runs/early", "--max-depth", "3", "--quiet").CombinedOutput(); !stopped(err) {
		t.Fatalf("explore: %v\n%s", err, out)
	}
	p.start("serve", "--listen", "127.0.0.1:0")
	drive(t, "pressed.mjs", p.said(`(http://[^/ ]+)`), shots(t))
}

// stopped reports whether a command ended because a limit was reached.
func stopped(err error) bool {
	var exit *exec.ExitError
	return errors.As(err, &exit) && exit.ExitCode() == 3
}

// shots returns where screenshots go.
func shots(t *testing.T) string {
	t.Helper()
	if os.Getenv("EVERYSTATE_SHOTS") == "" {
		return filepath.Join(t.TempDir(), "shots")
	}
	dir, err := filepath.Abs(os.Getenv("EVERYSTATE_SHOTS"))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// drive runs a script of the folder test. Its steps become tests.
func drive(t *testing.T, script string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
	defer cancel()
	node := exec.CommandContext(ctx, "node", append([]string{"test/" + script}, args...)...)
	node.Stderr = os.Stderr
	out, err := node.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := node.Start(); err != nil {
		t.Fatal(err)
	}
	steps := 0
	for lines := bufio.NewScanner(out); lines.Scan(); {
		line := lines.Text()
		if name, ok := strings.CutPrefix(line, "ok "); ok {
			steps++
			t.Run(name, func(*testing.T) {})
		} else if name, ok := strings.CutPrefix(line, "not ok "); ok {
			name, why, _ := strings.Cut(name, ": ")
			t.Run(name, func(t *testing.T) { t.Error(why) })
		} else {
			t.Log(line)
		}
	}
	if err := node.Wait(); err != nil {
		t.Errorf("the browser: %v", err)
	}
	if steps == 0 {
		t.Error("no step was made")
	}
}

// program is the program in a folder of its own, with all that was started of it.
type program struct {
	t    *testing.T
	dir  string
	last *exec.Cmd

	mu   sync.Mutex // guards text
	text strings.Builder
	news chan struct{}
}

// newProgram builds the program, or skips the test.
func newProgram(t *testing.T) *program {
	t.Helper()
	if os.Getenv("EVERYSTATE_BROWSER") != "1" {
		t.Skip("EVERYSTATE_BROWSER=1 drives the page in a browser")
	}
	if _, err := os.Stat("node_modules/playwright-core"); err != nil {
		t.Fatal("playwright-core is not there: npm ci in web/")
	}
	p := &program{t: t, dir: t.TempDir(), news: make(chan struct{}, 1)}
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(p.dir, "everystate"), "../../cmd/everystate").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return p
}

func (p *program) command(args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(p.dir, "everystate"), args...) // it is told to end, which a context would not do
	cmd.Dir = p.dir
	return cmd
}

// explore explores a board in the folder that serve shows.
func (p *program) explore(name, text string) {
	p.t.Helper()
	file := filepath.Join(p.dir, name+".txt")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
	if out, err := p.command("explore", file, "--run", filepath.Join("runs", name), "--goal-distance", "--quiet").CombinedOutput(); err != nil {
		p.t.Fatalf("explore %s: %v\n%s", name, err, out)
	}
}

// start starts a command that ends with the test.
func (p *program) start(args ...string) {
	p.t.Helper()
	cmd := p.command(args...)
	says, err := cmd.StderrPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.last = cmd
	read := make(chan struct{})
	go func() {
		defer close(read)
		for lines := bufio.NewScanner(says); lines.Scan(); {
			p.mu.Lock()
			p.text.WriteString(lines.Text() + "\n")
			p.mu.Unlock()
			select {
			case p.news <- struct{}{}:
			default:
			}
		}
	}()
	p.t.Cleanup(func() {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			p.t.Error(err)
		}
		<-read
		if err := cmd.Wait(); err != nil {
			p.t.Errorf("%s: %v\n%s", args[0], err, p.text.String())
		}
	})
}

// said waits until what has been said matches, and returns the first group.
func (p *program) said(pattern string) string {
	p.t.Helper()
	expr := regexp.MustCompile(pattern)
	late := time.After(time.Minute)
	for {
		p.mu.Lock()
		text := p.text.String()
		p.mu.Unlock()
		if found := expr.FindStringSubmatch(text); found != nil {
			return found[1]
		}
		select {
		case <-p.news:
		case <-late:
			p.t.Fatalf("the program says %q", text)
		}
	}
}
