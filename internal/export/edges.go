package export

import (
	"cmp"
	"context"
	"fmt"
	"html"
	"io"
	"strconv"
	"strings"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/puzzle"
)

// edgeRows is the number of states whose transitions a worker writes at a time.
const edgeRows = 1024

// edge is a transition. Its keys are valid until the next one.
type edge struct {
	from, to []uint64
	depth    uint32 // of from
	move     puzzle.Move
	name     string // of the move
}

// edgeLines holds the lines of some transitions, and the buffers to make more.
type edgeLines struct {
	textLines
	edges puzzle.Edges
	n     int64
}

// eachEdge visits the transitions of all states in the order of Table, those of a
// state by move, and writes what line appends. head, if not nil, first appends
// something for the state itself. In an incomplete run, the states of the last layer
// have not been expanded, and have no transitions yet.
func eachEdge(ctx context.Context, r Run, o *Options, w io.Writer, head func(dst []byte, b *query.Batch, i int) []byte, line func(dst []byte, e *edge) ([]byte, error)) (n int64, err error) {
	p := r.Board().Puzzle
	end := uint32(len(r.History().Layers(history.Forward))) // depths are 32 bits
	if !r.Space().Complete() && end > 0 {
		end--
	}
	encode := func(into *edgeLines, b *query.Batch) (*edgeLines, error) {
		if into == nil {
			into = &edgeLines{textLines: textLines{moves: moveTable{puzzle: p}}}
		}
		into.text, into.n = into.text[:0], 0
		for i := range b.Len() {
			if head != nil {
				into.text = head(into.text, b, i)
			}
			if line == nil || b.Depths[i] >= end {
				continue
			}
			into.edges.Reset()
			p.Successors(b.Key(i), &into.edges)
			for j, move := range into.edges.Moves {
				var err error
				into.text, err = line(into.text, &edge{
					from: b.Key(i), to: into.edges.Keys[j*b.Words : (j+1)*b.Words],
					depth: b.Depths[i], move: move, name: into.moves.name(move),
				})
				if err != nil {
					return into, err
				}
				into.n++
			}
		}
		return into, nil
	}
	err = query.Table(ctx, r.Space(), o.tableOptions(edgeRows), encode, func(lines *edgeLines) error {
		n += lines.n
		_, err := w.Write(lines.text)
		return err
	})
	return n, err
}

func writeEdgesCSV(ctx context.Context, r Run, o *Options, w io.Writer) error {
	if _, err := io.WriteString(w, "from,move,to\n"); err != nil {
		return err
	}
	p := r.Board().Puzzle
	_, err := eachEdge(ctx, r, o, w, nil, func(dst []byte, e *edge) ([]byte, error) {
		dst = append(appendCSVText(dst, p.Format(e.from)), ',')
		dst = append(appendCSVText(dst, e.name), ',')
		return append(appendCSVText(dst, p.Format(e.to)), '\n'), nil
	})
	return err
}

func writeEdgesJSON(ctx context.Context, r Run, o *Options, w io.Writer) error {
	p := r.Board().Puzzle
	_, err := eachEdge(ctx, r, o, w, nil, func(dst []byte, e *edge) ([]byte, error) {
		dst = appendJSONText(append(dst, `{"from":`...), p.Format(e.from))
		dst = appendJSONText(append(dst, `,"move":`...), e.name)
		dst = appendJSONText(append(dst, `,"to":`...), p.Format(e.to))
		return append(dst, "}\n"...), nil
	})
	return err
}

// appendNode appends the name of a state: "s" and the words of its key in
// hexadecimal, 16 digits each except for the first.
func appendNode(dst []byte, key []uint64) []byte {
	dst = strconv.AppendUint(append(dst, 's'), key[0], 16)
	for _, word := range key[1:] {
		dst = fmt.Appendf(dst, "%016x", word)
	}
	return dst
}

// writeDOT writes a graph for Graphviz: first the states, then the transitions.
func writeDOT(ctx context.Context, r Run, o *Options, w io.Writer) error {
	p := r.Board().Puzzle
	quoted := func(dst []byte, text string) []byte {
		dst = append(dst, '"')
		dst = append(dst, strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(text)...)
		return append(dst, '"')
	}
	title := quoted([]byte("digraph "), r.Board().Name)
	if _, err := fmt.Fprintf(w, "%s {\n  node [shape=box, fontname=\"monospace\"];\n", title); err != nil {
		return err
	}
	node := func(dst []byte, b *query.Batch, i int) []byte {
		dst = appendNode(append(dst, "  "...), b.Key(i))
		dst = quoted(append(dst, " [label="...), p.Format(b.Key(i)))
		dst = fmt.Appendf(dst, ", depth=%d", b.Depths[i])
		if b.GoalDistances[i] >= 0 {
			dst = fmt.Appendf(dst, ", goal_distance=%d", b.GoalDistances[i])
		}
		if b.Goals[i] {
			dst = append(dst, ", peripheries=2"...)
		}
		return append(dst, "];\n"...)
	}
	if _, err := eachEdge(ctx, r, o, w, node, nil); err != nil {
		return err
	}
	_, err := eachEdge(ctx, r, o, w, nil, func(dst []byte, e *edge) ([]byte, error) {
		dst = appendNode(append(dst, "  "...), e.from)
		dst = appendNode(append(dst, " -> "...), e.to)
		return append(quoted(append(dst, " [label="...), e.name), "];\n"...), nil
	})
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, "}\n")
	return err
}

const graphMLHead = `<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="state" for="node" attr.name="state" attr.type="string"/>
<key id="depth" for="node" attr.name="depth" attr.type="int"/>
<key id="goal" for="node" attr.name="goal" attr.type="boolean"/>
<key id="distance" for="node" attr.name="goal_distance" attr.type="int"/>
<key id="move" for="edge" attr.name="move" attr.type="string"/>
<graph id="space" edgedefault="directed">
`

// writeGraphML writes a graph for Gephi, yEd, NetworkX, igraph ...: first the
// states, then the transitions.
func writeGraphML(ctx context.Context, r Run, o *Options, w io.Writer) error {
	p := r.Board().Puzzle
	if _, err := io.WriteString(w, graphMLHead); err != nil {
		return err
	}
	node := func(dst []byte, b *query.Batch, i int) []byte {
		dst = appendNode(append(dst, `<node id="`...), b.Key(i))
		dst = append(dst, `"><data key="state">`...)
		dst = append(dst, html.EscapeString(puzzle.OneLine(p.Format(b.Key(i))))...)
		dst = fmt.Appendf(dst, `</data><data key="depth">%d</data><data key="goal">%t</data>`, b.Depths[i], b.Goals[i])
		if b.GoalDistances[i] >= 0 {
			dst = fmt.Appendf(dst, `<data key="distance">%d</data>`, b.GoalDistances[i])
		}
		return append(dst, "</node>\n"...)
	}
	if _, err := eachEdge(ctx, r, o, w, node, nil); err != nil {
		return err
	}
	_, err := eachEdge(ctx, r, o, w, nil, func(dst []byte, e *edge) ([]byte, error) {
		dst = appendNode(append(dst, `<edge source="`...), e.from)
		dst = appendNode(append(dst, `" target="`...), e.to)
		dst = append(dst, `"><data key="move">`...)
		dst = append(dst, html.EscapeString(e.name)...)
		return append(dst, "</data></edge>\n"...), nil
	})
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, "</graph>\n</graphml>\n")
	return err
}

// writeAUT writes a labelled transition system in the Aldebaran format, for CADP and
// mCRL2. States are numbered by their rows in the table of all states, so the start
// is 0. The number of transitions comes first in the file, so they are counted first.
func writeAUT(ctx context.Context, r Run, o *Options, w io.Writer) error {
	layers := r.History().Layers(history.Forward)
	if len(layers) == 0 {
		return unsuited("%s has no states yet: the run stopped before its first layer", cmp.Or(r.Board().Name, r.Dir()))
	}
	if layers[0].States != 1 {
		return unsuited("%s has several start states, and aut allows one: choose dot or graphml", cmp.Or(r.Board().Name, r.Dir()))
	}
	numbers, err := r.Space().Numbers(ctx)
	if err != nil {
		return unsuited("%v (dot and graphml name states by their keys)", err)
	}
	transitions, err := eachEdge(ctx, r, o, io.Discard, nil, func(dst []byte, _ *edge) ([]byte, error) { return dst, nil })
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, "des (0, %d, %d)\n", transitions, numbers.Len()); err != nil {
		return err
	}
	_, err = eachEdge(ctx, r, o, w, nil, func(dst []byte, e *edge) ([]byte, error) {
		from, known := numbers.Of(e.from)
		to, reached := numbers.Of(e.to)
		if !known || !reached {
			return dst, fmt.Errorf("%s is damaged: a successor is not one of its states", r.Dir())
		}
		dst = strconv.AppendInt(append(dst, '('), int64(from), 10)
		dst = append(dst, `, "`...)
		dst = append(dst, strings.ReplaceAll(e.name, `"`, "'")...)
		dst = strconv.AppendInt(append(dst, `", `...), int64(to), 10)
		return append(dst, ")\n"...), nil
	})
	return err
}
