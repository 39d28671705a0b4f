package export

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/puzzle"
)

// textRows is the number of rows that a worker formats at a time.
const textRows = 4096

func writeCSV(ctx context.Context, r Run, o *Options, w io.Writer) error {
	if _, err := io.WriteString(w, "state,depth,predecessor,move,goal_distance\n"); err != nil {
		return err
	}
	return writeText(ctx, r, o, w, appendCSV)
}

func writeJSON(ctx context.Context, r Run, o *Options, w io.Writer) error {
	return writeText(ctx, r, o, w, appendJSON)
}

// row is a line of the export. Empty texts and -1 mean absent.
type row struct {
	state, predecessor string // in the lines of the puzzle
	move               string
	depth              uint32
	goalDistance       int32
	start              bool
}

// writeText writes one line per state.
func writeText(ctx context.Context, r Run, o *Options, w io.Writer, appendRow func(line []byte, r *row) []byte) error {
	p := r.Board().Puzzle
	opts := o.tableOptions(textRows)
	opts.Predecessors = true
	encode := func(into *textLines, b *query.Batch) (*textLines, error) {
		if into == nil {
			into = &textLines{moves: moveTable{puzzle: p}}
		}
		into.text = into.text[:0]
		for i := range b.Len() {
			out := row{
				state: p.Format(b.Key(i)), depth: b.Depths[i],
				goalDistance: b.GoalDistances[i], start: b.Depths[i] == 0,
			}
			if !out.start {
				if len(b.Predecessors) > 0 {
					out.predecessor = p.Format(b.Predecessor(i))
				}
				out.move = into.moves.name(b.Moves[i])
			}
			into.text = appendRow(into.text, &out)
		}
		return into, nil
	}
	return query.Table(ctx, r.Space(), opts, encode, func(lines *textLines) error {
		_, err := w.Write(lines.text)
		return err
	})
}

// textLines holds some lines, and the buffers to make more.
type textLines struct {
	text  []byte
	moves moveTable
}

// moveTable caches the names of moves.
type moveTable struct {
	puzzle puzzle.Puzzle
	names  []string // by id; empty if not yet needed
}

func (t *moveTable) name(m puzzle.Move) string {
	if t.names == nil {
		t.names = make([]string, t.puzzle.Layout().Moves)
	}
	if t.names[m] == "" {
		t.names[m] = t.puzzle.FormatMove(m)
	}
	return t.names[m]
}

func appendOneLine(dst []byte, text string) []byte {
	for {
		i := strings.IndexByte(text, '\n')
		if i < 0 {
			return append(dst, text...)
		}
		dst = append(append(dst, text[:i]...), puzzle.BetweenRows...)
		text = text[i+1:]
	}
}

func appendCSV(line []byte, r *row) []byte {
	line = append(appendCSVText(line, r.state), ',')
	line = append(strconv.AppendUint(line, uint64(r.depth), 10), ',')
	line = append(appendCSVText(line, r.predecessor), ',')
	line = append(appendCSVText(line, r.move), ',')
	if r.goalDistance >= 0 {
		line = strconv.AppendInt(line, int64(r.goalDistance), 10)
	}
	return append(line, '\n')
}

// appendCSVText appends text as one line, quoted if RFC 4180 requires it.
func appendCSVText(line []byte, text string) []byte {
	if !hasAny(text, &quotedInCSV) {
		return appendOneLine(line, text)
	}
	line = append(line, '"')
	line = appendOneLine(line, strings.ReplaceAll(text, `"`, `""`))
	return append(line, '"')
}

func appendJSON(line []byte, r *row) []byte {
	line = appendJSONText(append(line, `{"state":`...), r.state)
	line = strconv.AppendUint(append(line, `,"depth":`...), uint64(r.depth), 10)
	if r.start {
		line = append(line, `,"predecessor":null,"move":null`...)
	} else {
		line = append(line, `,"predecessor":`...)
		if r.predecessor != "" {
			line = appendJSONText(line, r.predecessor)
		} else {
			line = append(line, "null"...)
		}
		line = appendJSONText(append(line, `,"move":`...), r.move)
	}
	line = append(line, `,"goal_distance":`...)
	if r.goalDistance >= 0 {
		line = strconv.AppendInt(line, int64(r.goalDistance), 10)
	} else {
		line = append(line, "null"...)
	}
	return append(line, "}\n"...)
}

// appendJSONText appends text as one line, in quotes.
func appendJSONText(line []byte, text string) []byte {
	if hasAny(text, &escapedInJSON) {
		quoted, err := json.Marshal(string(appendOneLine(nil, text)))
		if err != nil {
			panic(fmt.Sprintf("%q cannot be quoted: %v", text, err)) // any string can
		}
		return append(line, quoted...)
	}
	return append(appendOneLine(append(line, '"'), text), '"')
}

// byteSet is a set of bytes.
type byteSet [256]bool

var (
	quotedInCSV = byteSet{',': true, '"': true, '\r': true}
	// escapedInJSON holds every byte that json.Marshal might escape, except for line
	// ends.
	escapedInJSON = func() (set byteSet) {
		for c := range set {
			set[c] = c < ' ' && c != '\n' || c > '~' || strings.IndexByte(`"\<>&`, byte(c)) >= 0
		}
		return set
	}()
)

func hasAny(text string, set *byteSet) bool {
	for i := range len(text) {
		if set[text[i]] {
			return true
		}
	}
	return false
}
