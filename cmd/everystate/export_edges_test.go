package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/puzzle"
)

// nodeName is what a graph calls a state: "s" and the words of its key in
// hexadecimal digits.
func nodeName(key []uint64) string {
	name := fmt.Sprintf("s%x", key[0])
	for _, word := range key[1:] {
		name += fmt.Sprintf("%016x", word)
	}
	return name
}

// slowEdges finds all transitions from the start on with a queue and a map.
func slowEdges(p puzzle.Puzzle, depthMax int) (edges []string, texts map[string]string) {
	words := p.Layout().Words()
	line := func(key []uint64) string { return strings.ReplaceAll(p.Format(key), "\n", " / ") }
	texts = map[string]string{} // by node
	type entry struct {
		key   []uint64
		depth int
	}
	var queue []entry
	meet := func(key []uint64, depth int) {
		if name := nodeName(key); texts[name] == "" {
			texts[name] = line(key)
			queue = append(queue, entry{slices.Clone(key), depth})
		}
	}
	for start := range slices.Chunk(p.Starts(), words) {
		meet(start, 0)
	}
	for len(queue) > 0 {
		e := queue[0]
		queue = queue[1:]
		if depthMax >= 0 && e.depth >= depthMax {
			continue
		}
		for move := range p.Layout().Moves {
			to := make([]uint64, words)
			if p.Apply(to, e.key, puzzle.Move(move)) { // MovesMax at the most
				edges = append(edges, fmt.Sprintf("%s|%s|%s", line(e.key), p.FormatMove(puzzle.Move(move)), line(to)))
				meet(to, e.depth+1)
			}
		}
	}
	slices.Sort(edges)
	return edges, texts
}

// TestExportEdges compares the transitions in every format with those of the slow
// twin, of runs that are complete and that are not.
func TestExportEdges(t *testing.T) {
	t.Parallel()
	for _, depth := range []int{-1, 5} {
		dir := filepath.Join(t.TempDir(), "run")
		args := []string{"explore", puzzleFile(t, "small-4x4.txt"), "--run", dir, "--json", "--quiet"}
		code := exit.Complete
		if depth >= 0 {
			args, code = append(args, "--max-depth", fmt.Sprint(depth)), exit.Incomplete
		}
		if r := call("", args...); r.code != code {
			t.Fatalf("exit %d: %s", r.code, r.errs)
		}
		r, err := engine.Open(dir, engine.Options{ReadOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		want, texts := slowEdges(r.Board().Puzzle, depth)
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		for format, read := range map[string]func(*testing.T, string, map[string]string) []string{
			"csv": edgesOfCSV, "jsonl": edgesOfJSON, "dot": edgesOfDOT, "graphml": edgesOfGraphML, "parquet": edgesOfParquet,
		} {
			got := call("", "export", dir, "--edges", "--format", format)
			if got.code != code {
				t.Fatalf("%s: exit %d: %s", format, got.code, got.errs)
			}
			edges := read(t, got.out, texts)
			slices.Sort(edges)
			if !slices.Equal(edges, want) {
				t.Errorf("%s, to depth %d: %d transitions, want %d", format, depth, len(edges), len(want))
			}
		}
		// In aut states have numbers: rows of the table of states.
		states := call("", "export", dir, "--format", "csv").out
		rows, err := csv.NewReader(strings.NewReader(states)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		aut := call("", "export", dir, "--format", "aut").out
		head := fmt.Sprintf("des (0, %d, %d)\n", len(want), len(texts))
		if !strings.HasPrefix(aut, head) {
			t.Errorf("aut begins with %.30q, want %q", aut, head)
		}
		var edges []string
		for _, line := range strings.Split(strings.TrimSpace(aut), "\n")[1:] {
			var from, to int
			var move string
			if _, err := fmt.Sscanf(line, "(%d, %q, %d)", &from, &move, &to); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			edges = append(edges, rows[from+1][0]+"|"+move+"|"+rows[to+1][0])
		}
		slices.Sort(edges)
		if !slices.Equal(edges, want) {
			t.Errorf("aut, to depth %d: %d transitions, want %d", depth, len(edges), len(want))
		}
	}
}

func edgesOfCSV(t *testing.T, text string, _ map[string]string) (edges []string) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
		edges = append(edges, strings.Join(row, "|"))
	}
	return edges
}

func edgesOfJSON(t *testing.T, text string, _ map[string]string) (edges []string) {
	t.Helper()
	for line := range strings.Lines(text) {
		var e struct{ From, Move, To string }
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		edges = append(edges, e.From+"|"+e.Move+"|"+e.To)
	}
	return edges
}

func edgesOfDOT(_ *testing.T, text string, texts map[string]string) (edges []string) {
	for _, m := range regexp.MustCompile(`(?m)^  (\w+) -> (\w+) \[label="([^"]*)"\];$`).FindAllStringSubmatch(text, -1) {
		edges = append(edges, texts[m[1]]+"|"+m[3]+"|"+texts[m[2]])
	}
	return edges
}

func edgesOfGraphML(t *testing.T, text string, texts map[string]string) (edges []string) {
	t.Helper()
	type data struct {
		Key  string `xml:"key,attr"`
		Text string `xml:",chardata"`
	}
	var doc struct {
		Graph struct {
			Nodes []struct {
				ID   string `xml:"id,attr"`
				Data []data `xml:"data"`
			} `xml:"node"`
			Edges []struct {
				Source string `xml:"source,attr"`
				Target string `xml:"target,attr"`
				Move   string `xml:"data"`
			} `xml:"edge"`
		} `xml:"graph"`
	}
	if err := xml.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Graph.Nodes) != len(texts) {
		t.Errorf("%d nodes, want %d", len(doc.Graph.Nodes), len(texts))
	}
	for _, n := range doc.Graph.Nodes {
		if n.Data[0].Text != texts[n.ID] {
			t.Errorf("node %s is %q, want %q", n.ID, n.Data[0].Text, texts[n.ID])
		}
	}
	for _, e := range doc.Graph.Edges {
		edges = append(edges, texts[e.Source]+"|"+e.Move+"|"+texts[e.Target])
	}
	return edges
}

func edgesOfParquet(t *testing.T, text string, texts map[string]string) (edges []string) {
	t.Helper()
	type row struct {
		From uint64 `parquet:"from"`
		Move string `parquet:"move"`
		To   uint64 `parquet:"to"`
	}
	rows, err := parquet.Read[row](bytes.NewReader([]byte(text)), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	node := func(key uint64) string { return texts[nodeName([]uint64{key})] }
	for _, r := range rows {
		edges = append(edges, node(r.From)+"|"+r.Move+"|"+node(r.To))
	}
	return edges
}
