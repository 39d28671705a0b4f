package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// TestLinks follows the links of all documents to other files and to their headings.
func TestLinks(t *testing.T) {
	t.Parallel()
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	root := os.DirFS("..")
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch base := filepath.Base(name); {
		case err != nil:
			return err
		case d.IsDir() && (base == "node_modules" || len(base) > 1 && base[0] == '.'):
			return fs.SkipDir
		case filepath.Ext(name) != ".md":
			return nil
		}
		for _, m := range link.FindAllStringSubmatch(prose(t, filepath.Join("..", name)), -1) {
			to, heading, _ := strings.Cut(m[1], "#")
			if strings.Contains(to, ":") {
				continue // another site's
			}
			path := filepath.Join("..", name)
			if to != "" {
				path = filepath.Join(filepath.Dir(path), to)
			}
			if _, err := os.Stat(path); err != nil {
				t.Errorf("%s: %s leads nowhere", name, m[1])
			} else if heading != "" && filepath.Ext(path) == ".md" && !hasHeading(prose(t, path), heading) {
				t.Errorf("%s: %s: no such heading", name, m[1])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// prose returns a document without its code blocks.
func prose(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile("(?ms)^ *```.*?\n *```").ReplaceAllString(string(text), "")
}

// hasHeading reports whether a heading has an anchor, as GitHub makes them.
func hasHeading(text, anchor string) bool {
	for line := range strings.Lines(text) {
		title := strings.TrimLeft(line, "#")
		if title == line {
			continue
		}
		made := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r):
				return unicode.ToLower(r)
			}
			return -1
		}, strings.TrimSpace(title))
		if made == anchor {
			return true
		}
	}
	return false
}
