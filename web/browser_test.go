package web_test

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestBrowser drives the real page on the real program in Chromium. It needs
// Node, what `npm ci` in this folder brings, and Chromium; EVERYSTATE_BROWSER=1
// asks for it. Screenshots go to EVERYSTATE_SHOTS.
func TestBrowser(t *testing.T) {
	if os.Getenv("EVERYSTATE_BROWSER") != "1" {
		t.Skip("EVERYSTATE_BROWSER=1 drives the page in a browser")
	}
	if _, err := os.Stat("node_modules/playwright-core"); err != nil {
		t.Fatal("playwright-core is not there: npm ci in web/")
	}
	shots, err := filepath.Abs(os.Getenv("EVERYSTATE_SHOTS"))
	if os.Getenv("EVERYSTATE_SHOTS") == "" {
		shots, err = filepath.Join(t.TempDir(), "shots"), nil
	}
	if err != nil {
		t.Fatal(err)
	}
	page := startProgram(t)
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
	defer cancel()
	node := exec.CommandContext(ctx, "node", "test/browser.mjs", page, "../puzzles/rushhour/jam-93.txt", shots)
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

// startProgram builds and starts the program, in a folder of its own, and returns
// the address of its page.
func startProgram(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	program := filepath.Join(dir, "everystate")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "../cmd/everystate").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	serve := exec.Command(program, "serve", "--listen", "127.0.0.1:0") //nolint:noctx // it is told to end, which a context would not do
	serve.Dir = dir
	says, err := serve.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(says)
	first, err := lines.ReadString('\n')
	t.Cleanup(func() {
		if err := serve.Process.Signal(os.Interrupt); err != nil {
			t.Error(err)
		}
		rest, _ := io.ReadAll(lines)
		if err := serve.Wait(); err != nil {
			t.Errorf("serve: %v\n%s", err, rest)
		}
	})
	at := regexp.MustCompile(`http://[^/ ]+`).FindString(first)
	if err != nil || at == "" {
		t.Fatalf("the program says %q: %v", first, err)
	}
	return at
}
