package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestArchives(t *testing.T) {
	t.Parallel()
	files := []file{{"a", 0o755, []byte("program")}, {"b/c", 0o644, nil}}
	at := time.Unix(1_700_000_000, 0).UTC()
	for name, archive := range map[string]func(string, []file, time.Time) ([]byte, error){"tar": tarball, "zip": zipped} {
		one, err := archive("dir", files, at)
		if err != nil {
			t.Fatal(err)
		}
		two, err := archive("dir", files, at.In(time.FixedZone("elsewhere", 3600)).UTC())
		if err != nil || !bytes.Equal(one, two) {
			t.Errorf("%s: not the same bytes, %v", name, err)
		}
		later, err := archive("dir", files, at.Add(time.Hour))
		if err != nil || bytes.Equal(one, later) {
			t.Errorf("%s: the time is not in it, %v", name, err)
		}
	}
}

func TestSums(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := writeSums(dir); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, sumsFile))
	if want := fmt.Sprintf("%x  a\n", sha256.Sum256([]byte("x"))); err != nil || string(got) != want {
		t.Errorf("%q, %v", got, err)
	}
}

// TestSPDX makes the document of this test itself.
func TestSPDX(t *testing.T) {
	t.Parallel()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r := &release{version: "v1.2.3", time: time.Unix(1_700_000_000, 0).UTC()}
	text, err := spdx(program, r, target{"linux", "amd64"}, []byte("body"))
	if err != nil {
		t.Fatal(err)
	}
	var d document
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{d.ID: true}
	for _, p := range d.Packages {
		if ids[p.ID] || notInID.MatchString(p.ID) || p.Version == "" {
			t.Errorf("%+v", p)
		}
		ids[p.ID] = true
	}
	for _, rel := range d.Relationships {
		if !ids[rel.From] || !ids[rel.To] {
			t.Errorf("%+v", rel)
		}
	}
	if d.Creation.Created != "2023-11-14T22:13:20Z" || !slices.ContainsFunc(d.Packages, func(p pkg) bool { return p.Name == "go" && p.Version == runtime.Version() }) {
		t.Errorf("%s", text)
	}
}

// TestReproducible builds for this system twice, in two directories.
func TestReproducible(t *testing.T) {
	if os.Getenv("EVERYSTATE_RELEASE") == "" {
		t.Skip("builds the program twice: EVERYSTATE_RELEASE=1")
	}
	out := filepath.Join(t.TempDir(), "out")
	host := runtime.GOOS + "/" + runtime.GOARCH
	if err := run(t.Context(), []string{"-out", out, "-targets", host, "-version", "v0.0.0-test", "-again"}); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(out)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if len(names) != 3 || !strings.HasPrefix(names[1], "everystate_0.0.0-test_"+runtime.GOOS) {
		t.Errorf("%q", names)
	}
}
