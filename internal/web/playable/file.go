package playable

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/draw"
	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/internal/solid"
)

//go:embed dist/playable.js
var script string

//go:embed dist/playable.css
var style string

//go:embed page.html
var page string

// Options holds what a file has besides the space.
type Options struct {
	// Run is the name of the run, and Title its board.
	Run, Title string
	// Version is the version of the program, shown in the file.
	Version string
	// Progress is called now and then with the part of the work done, from 0 to 1. An
	// error from it ends the work. It may be nil.
	Progress func(part float64) error
}

func (o *Options) tell(part float64) error {
	if o.Progress == nil {
		return nil
	}
	return o.Progress(part)
}

// Write writes the file of a run. It writes nothing if Check refuses the run.
func Write(ctx context.Context, space *query.Space, o Options, w io.Writer) error {
	if err := Check(space); err != nil {
		return err
	}
	c, err := read(ctx, space, o)
	if err != nil {
		return err
	}
	body, err := c.encode(space, o)
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, fill(o.Title, body))
	return err
}

// fill assembles the page. Its policy allows only its own script and style, and no
// requests.
func fill(title string, body []byte) string {
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	policy := fmt.Sprintf("default-src 'none'; script-src %s; style-src %s; img-src data:; base-uri 'none'; form-action 'none'", hash(script), hash(style))
	return strings.NewReplacer("{{policy}}", policy, "{{title}}", html.EscapeString(title), "{{style}}", style, "{{script}}", script,
		"{{space}}", base64.StdEncoding.EncodeToString(body)).Replace(page)
}

// header is the JSON part of the space.
type header struct {
	Run        string   `json:"run"`
	Title      string   `json:"title"`
	Version    string   `json:"version"`
	Family     string   `json:"family"`
	Metric     string   `json:"metric"`
	Note       string   `json:"note"`
	Text       string   `json:"text"`
	Start      int      `json:"start"`
	Layers     []int64  `json:"layers"`
	GoalLayers []int64  `json:"goal_layers"`
	Moves      []string `json:"moves"`
	Grounds    []ground `json:"grounds"`
	Parts      []part   `json:"parts"`
	PartsEnd   string   `json:"parts_end"`
	// Shape is that of a puzzle that is a solid body.
	Shape *solid.Shape `json:"shape,omitempty"`
	// Columns describes the columns that follow: numbers, and the bytes of each.
	Columns []column `json:"columns"`
}

type column struct {
	Name  string `json:"name"`
	Bytes int    `json:"bytes"`
	Count int    `json:"count"`
	body  []byte
}

// magic begins the space. The length of the header as little-endian uint32, the header,
// and the columns follow. A column has the lowest bytes of all its numbers, then the
// next ones, which compresses better. The whole is compressed by gzip.
const magic = "ESP1"

func (c *contents) encode(space *query.Space, o Options) ([]byte, error) {
	b := space.Board
	h := header{
		Run: o.Run, Title: o.Title, Version: o.Version, Family: b.Family, Metric: b.Metric, Note: b.Note, Text: b.Text, Start: c.start,
		GoalLayers: space.GoalLayers(), Moves: c.names, PartsEnd: draw.PartsEnd, Shape: solid.Of(b.Puzzle), Columns: c.columns(),
	}
	for _, l := range space.History.Layers(history.Forward) {
		h.Layers = append(h.Layers, l.States)
	}
	h.Grounds, h.Parts = c.grounds, c.parts
	head, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	raw := len(head)
	for _, col := range h.Columns {
		raw += len(col.body)
	}
	if raw > rawMax {
		return nil, &TooLargeError{int64(raw), "bytes before compression", rawMax}
	}
	var out bytes.Buffer
	zip, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	first := binary.LittleEndian.AppendUint32([]byte(magic), uint32(len(head))) // at most rawMax
	for _, part := range append([][]byte{first, head}, bodies(h.Columns)...) {
		if _, err := zip.Write(part); err != nil {
			return nil, err
		}
	}
	if err := zip.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func bodies(columns []column) [][]byte {
	var all [][]byte
	for _, c := range columns {
		all = append(all, c.body)
	}
	return all
}

func (c *contents) columns() []column {
	staged := c.finish()
	all := []column{
		numbers("depth", 2, c.Depth), numbers("distance", 2, c.Distance), numbers("flags", 1, c.Flags),
		numbers("at", 2, c.at), numbers("degree", 4, c.degree), numbers("target", 4, c.steps()), numbers("move", 4, c.move),
		numbers("ground", 2, c.of), numbers("parts", 2, c.slots()),
	}
	if staged != nil {
		all = append(all, numbers("staged", 4, staged))
	}
	text, size := c.text()
	return append(all, column{"text", size, len(text) / size, text})
}

// steps returns where each move leads, as the difference d to the number of its state:
// 2d, or -2d-1 if d is negative.
func (c *contents) steps() []uint32 {
	out := make([]uint32, 0, len(c.target))
	for i, degree := range c.degree {
		for range degree {
			d := int32(c.target[len(out)]) - int32(i) // at most StatesMax
			out = append(out, uint32(d<<1)^uint32(d>>31))
		}
	}
	return out
}

// noPart pads boards with fewer pieces than others.
const noPart = 0xffff

// slots returns the first part of all looks, then the second, and so on.
func (c *contents) slots() []uint32 {
	out := make([]uint32, 0, c.width*len(c.of))
	for slot := range c.width {
		for i, from := range c.from {
			to := len(c.pieces)
			if i+1 < len(c.from) {
				to = int(c.from[i+1])
			}
			if at := int(from) + slot; at < to {
				out = append(out, c.pieces[at])
			} else {
				out = append(out, noPart)
			}
		}
	}
	return out
}

// text returns the texts of all states: if all have the same length, the first bytes of
// all, the second, and so on; otherwise one after the other, each ending in a zero byte.
func (c *contents) text() (text []byte, size int) {
	size = len(c.texts[0])
	for _, t := range c.texts {
		if len(t) != size {
			return []byte(strings.Join(c.texts, "\x00") + "\x00"), 1
		}
	}
	for i := range size {
		for _, t := range c.texts {
			text = append(text, t[i])
		}
	}
	return text, max(size, 1)
}

// numbers returns a column of numbers of size bytes each.
func numbers[T ~uint8 | ~uint16 | ~uint32 | ~int16](name string, size int, values []T) column {
	c := column{Name: name, Bytes: size, Count: len(values), body: make([]byte, 0, size*len(values))}
	for b := range size {
		for _, v := range values {
			c.body = append(c.body, byte(uint64(v)>>(8*b)))
		}
	}
	return c
}
