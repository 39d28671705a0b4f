package draw

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// document is a PDF, read again.
type document struct {
	t       *testing.T
	objects map[int]string
}

var objectStart = regexp.MustCompile(`(?m)^(\d+) 0 obj\n`)

func readPDF(t *testing.T, data []byte) *document {
	t.Helper()
	d := &document{t, map[int]string{}}
	for rest := data; ; {
		at := objectStart.FindSubmatchIndex(rest)
		if at == nil {
			return d
		}
		n, _ := strconv.Atoi(string(rest[at[2]:at[3]]))
		end := bytes.Index(rest[at[1]:], []byte("\nendobj\n"))
		if end < 0 {
			t.Fatalf("object %d has no end", n)
		}
		d.objects[n] = string(rest[at[1] : at[1]+end])
		rest = rest[at[1]+end:]
	}
}

// stream unpacks the stream of an object.
func (d *document) stream(n int) string {
	d.t.Helper()
	_, body, ok := strings.Cut(d.objects[n], "stream\n")
	if !ok {
		d.t.Fatalf("object %d has no stream", n)
	}
	z, err := zlib.NewReader(strings.NewReader(body))
	if err != nil {
		d.t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		d.t.Fatal(err)
	}
	return string(text)
}

// number returns the number after a name in a dictionary.
func (d *document) number(of, name string) int {
	d.t.Helper()
	m := regexp.MustCompile(regexp.QuoteMeta(name) + ` (\d+)`).FindStringSubmatch(of)
	if m == nil {
		d.t.Fatalf("there is no %s in %s", name, of)
	}
	n, _ := strconv.Atoi(m[1])
	return n
}

// fonts returns what the codes of each font mean, by the font's name.
func (d *document) fonts(of string) map[string]map[string]string {
	d.t.Helper()
	all := map[string]map[string]string{}
	for _, m := range regexp.MustCompile(`/(F\d+) (\d+) 0 R`).FindAllStringSubmatch(d.objects[d.number(of, "/Font")], -1) {
		n, _ := strconv.Atoi(m[2])
		all[m[1]] = map[string]string{}
		meaning := d.stream(d.number(d.objects[n], "/ToUnicode"))
		for _, c := range regexp.MustCompile(`(?m)^<(..)> <(....)>$`).FindAllStringSubmatch(meaning, -1) {
			r, _ := strconv.ParseUint(c[2], 16, 16)
			all[m[1]][c[1]] = string(rune(r))
		}
	}
	return all
}

// text returns what is written on the pages, in order, a text per line.
func (d *document) text() string {
	d.t.Helper()
	var out strings.Builder
	for n := 1; n <= len(d.objects); n++ {
		page := d.objects[n]
		if !strings.Contains(page, "/Type /Page ") {
			continue
		}
		fonts := d.fonts(page)
		for _, block := range regexp.MustCompile(`(?s)BT .*?ET`).FindAllString(d.stream(d.number(page, "/Contents")), -1) {
			for _, run := range regexp.MustCompile(`/(F\d+) \S+ Tf <([0-9A-F]*)>`).FindAllStringSubmatch(block, -1) {
				for i := 0; i < len(run[2]); i += 2 {
					out.WriteString(fonts[run[1]][run[2][i:i+2]])
				}
			}
			out.WriteByte('\n')
		}
	}
	return out.String()
}

// TestTextOfPDF reads the text of a document, with characters that the fonts lack and
// with more characters than a font has codes.
func TestTextOfPDF(t *testing.T) {
	t.Parallel()
	b := shipped(t)[0]
	var many strings.Builder
	for r := rune('!'); r < '!'+600; r++ {
		many.WriteRune(r)
	}
	cards := []Card{{Title: "横刀立马 (ça va)", Note: "12 moves", Picture: b.look(b.start()), Solution: []string{"A+1", many.String()[:40]}}, {Title: "Zwei", Note: many.String()}}
	cards[1].Picture = cards[0].Picture
	pages := Cards(cards, Options{})
	pen{&pages[0].items}.plain(50, 50, 1, anchorStart, rgb(0), many.String())
	data, err := PDF("t", pages...)
	if err != nil {
		t.Fatal(err)
	}
	text := readPDF(t, data).text()
	for _, want := range []string{"横刀立马 (ça va)\n", "12 moves\n", "A+1", "Zwei\n", many.String() + "\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in the document:\n%s", want, text)
		}
	}
	// The number of a card is on both sides.
	if n := strings.Count("\n"+text, "\n2\n"); n != 2 {
		t.Errorf("card 2 is numbered %d times", n)
	}
	missing := Missing(pages...)
	for _, r := range "横刀立马" {
		if !strings.ContainsRune(string(missing), r) {
			t.Errorf("%c is not missed", r)
		}
	}
	if strings.ContainsRune(string(missing), 'ç') {
		t.Error("a character that is there is missed")
	}
}

// TestPaper breaks a long strip over pages: every board on one of them, none across an
// edge; and puts a picture on a page.
func TestPaper(t *testing.T) {
	t.Parallel()
	b := shipped(t)[0]
	h := &Sheet{Heading: "heading", Arrows: true}
	for i := range 100 {
		h.Panels = append(h.Panels, Panel{Picture: b.look(b.start()), Caption: fmt.Sprintf("#%d", i)})
	}
	for _, name := range PaperNames() {
		paper, ok := PaperOf(strings.ToLower(name))
		if !ok {
			t.Fatalf("%s is not known", name)
		}
		pages := paper.Pages(h, Options{})
		if len(pages) < 2 {
			t.Errorf("%s: 100 boards on %d pages", name, len(pages))
		}
		var captions, last int
		for _, page := range pages {
			if page.Width != paper.Width || page.Height != paper.Height {
				t.Errorf("%s: a page of %v x %v", name, page.Width, page.Height)
			}
			checkInside(t, page)
			var look func(items []item)
			look = func(items []item) {
				for _, it := range items {
					look(it.group)
					if n, err := strconv.Atoi(strings.TrimPrefix(it.text, "#")); err == nil && strings.HasPrefix(it.text, "#") {
						if n != captions {
							t.Errorf("%s: board %d follows %d", name, n, last)
						}
						captions, last = captions+1, n
					}
				}
			}
			look(page.items)
		}
		if captions != len(h.Panels) {
			t.Errorf("%s: %d boards of %d", name, captions, len(h.Panels))
		}
		wide := &Scene{Width: 3000, Height: 1000}
		if page := paper.Fit(wide); page.Width != paper.Height || page.Height != paper.Width || math.Abs(page.items[0].scale*3000-(page.Width-2*pageMargin)) > 0.01 {
			t.Errorf("%s: a wide picture is on %v x %v, scaled by %v", name, page.Width, page.Height, page.items[0].scale)
		}
	}
	if _, ok := PaperOf("A0"); ok {
		t.Error("A0 is known")
	}
}
