package definition

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/boardfile"
)

// node is a JSON value and its position. Members keep the order of the text.
type node struct {
	at      boardfile.Piece // the text of strings and numbers
	kind    byte            // one of {["0t
	members []member
	items   []node
}

type member struct {
	key   boardfile.Piece
	value node
}

// Bounds of JSON texts.
const (
	jsonDepthMax = 8
	jsonNodesMax = 1 << 20
)

// jsonReader turns a text into nodes.
type jsonReader struct {
	decoder *json.Decoder
	text    string
	lines   []boardfile.Piece
	starts  []int // of the lines in the text
	nodes   int
}

// parseJSON reads the values of a text.
func parseJSON(lines []boardfile.Piece) ([]node, *puzzle.InputError) {
	r := &jsonReader{lines: lines}
	var text strings.Builder
	for _, line := range lines {
		r.starts = append(r.starts, text.Len())
		text.WriteString(line.Text + "\n")
	}
	r.text = text.String()
	r.decoder = json.NewDecoder(bytes.NewReader([]byte(r.text)))
	r.decoder.UseNumber()
	var values []node
	for {
		token, err := r.decoder.Token()
		if errors.Is(err, io.EOF) {
			return values, nil
		}
		if err != nil {
			return nil, r.fault(err)
		}
		value, fault := r.value(token, 0)
		if fault != nil {
			return nil, fault
		}
		values = append(values, value)
	}
}

// place returns the position of an offset in the decoder's input.
func (r *jsonReader) place(offset int) boardfile.Piece {
	line := 0
	for line+1 < len(r.starts) && r.starts[line+1] < offset {
		line++
	}
	return boardfile.Piece{Line: r.lines[line].Line, Column: r.lines[line].Column + max(0, min(offset-r.starts[line], len(r.lines[line].Text)))}
}

func (r *jsonReader) fault(err error) *puzzle.InputError {
	at := r.place(int(r.decoder.InputOffset()))
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return at.Faultf("the JSON ends too early: a bracket is not closed")
	}
	return at.Faultf("the JSON is malformed: %v", err)
}

// value reads a value that begins with a token.
func (r *jsonReader) value(token json.Token, depth int) (node, *puzzle.InputError) {
	v := node{at: r.place(int(r.decoder.InputOffset()))}
	if r.nodes++; r.nodes > jsonNodesMax || depth > jsonDepthMax {
		return v, v.at.Faultf("JSON of more than %d values, or nested more than %d deep", jsonNodesMax, jsonDepthMax)
	}
	switch token := token.(type) {
	case json.Delim:
		v.kind = byte(token)
		v.at.Column = max(1, v.at.Column-1)
		fault := r.inside(&v, depth)
		return v, fault
	case string:
		v.kind, v.at.Text = '"', token
		v.at.Column = max(1, v.at.Column-len(token)-1)
	case json.Number:
		v.kind, v.at.Text = '0', token.String()
		v.at.Column = max(1, v.at.Column-len(v.at.Text))
	default:
		v.kind = 't'
	}
	return v, nil
}

// inside reads the members or items up to the closing bracket.
func (r *jsonReader) inside(v *node, depth int) *puzzle.InputError {
	for {
		token, err := r.decoder.Token()
		if err != nil {
			return r.fault(err)
		}
		if end, ok := token.(json.Delim); ok && (end == '}' || end == ']') {
			return nil
		}
		item, fault := r.value(token, depth+1)
		if fault != nil {
			return fault
		}
		if v.kind == '[' {
			v.items = append(v.items, item)
			continue
		}
		if v.member(item.at.Text) != nil {
			return item.at.Faultf("%s is given twice", boardfile.Quote(item.at.Text))
		}
		if token, err = r.decoder.Token(); err != nil {
			return r.fault(err)
		}
		value, fault := r.value(token, depth+1)
		if fault != nil {
			return fault
		}
		v.members = append(v.members, member{item.at, value})
	}
}

// member returns the value of a key, or nil.
func (v *node) member(key string) *node {
	for i := range v.members {
		if v.members[i].key.Text == key {
			return &v.members[i].value
		}
	}
	return nil
}

// number reads a value as a number from lo to hi.
func (v *node) number(what string, lo, hi int) (int, *puzzle.InputError) {
	if v.kind != '0' {
		return 0, v.at.Faultf("%s is not a number from %d to %d", what, lo, hi)
	}
	return v.at.Number(what, lo, hi)
}

// numbers reads a list of count numbers from 0 to hi.
func (v *node) numbers(what string, count, hi int) ([]int, *puzzle.InputError) {
	if v.kind != '[' || len(v.items) != count {
		return nil, v.at.Faultf("%s is not a list of %s", what, strconv.Itoa(count)+" numbers")
	}
	list := make([]int, count)
	for i := range v.items {
		var fault *puzzle.InputError
		if list[i], fault = v.items[i].number(what, 0, hi); fault != nil {
			return nil, fault
		}
	}
	return list, nil
}
