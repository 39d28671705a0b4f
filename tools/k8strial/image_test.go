package main

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// entries reads an archive.
func entries(t *testing.T, from io.Reader) (names []string, files map[string][]byte, headers map[string]*tar.Header) {
	t.Helper()
	files, headers = map[string][]byte{}, map[string]*tar.Header{}
	r := tar.NewReader(from)
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return names, files, headers
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, h.Name)
		files[h.Name], headers[h.Name] = text, h
	}
}

// TestImage makes an image by the Dockerfile that users build with.
func TestImage(t *testing.T) {
	t.Parallel()
	dockerfile, err := os.ReadFile("../../deploy/docker/Dockerfile.scratch")
	if err != nil {
		t.Fatal(err)
	}
	folder, archive := t.TempDir(), filepath.Join(t.TempDir(), "image.tar")
	program, bundle := []byte("program"), []byte("certificates")
	err = errors.Join(
		os.WriteFile(filepath.Join(folder, "everystate"), program, 0o755),
		os.WriteFile(filepath.Join(folder, "ca-certificates.crt"), bundle, 0o644),
		os.Mkdir(filepath.Join(folder, "data"), 0o755),
		makeImage(archive, "everystate:test", string(dockerfile), folder),
	)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	_, files, _ := entries(t, bytes.NewReader(text))
	var list []struct {
		Config           string
		RepoTags, Layers []string
	}
	var about struct{ Config imageConfig }
	if err := json.Unmarshal(files["manifest.json"], &list); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(files[list[0].Config], &about); err != nil {
		t.Fatal(err)
	}
	if c := about.Config; c.User != "65532:65532" || !slices.Equal(c.Entrypoint, []string{"/everystate"}) || list[0].RepoTags[0] != "everystate:test" {
		t.Errorf("configuration %+v of %v", c, list[0].RepoTags)
	}
	names, files, headers := entries(t, bytes.NewReader(files[list[0].Layers[0]]))
	want := []string{"everystate", "etc/", "etc/ssl/", "etc/ssl/certs/", "etc/ssl/certs/ca-certificates.crt", "data/"}
	if !slices.Equal(names, want) {
		t.Errorf("the layer has %q", names)
	}
	if !bytes.Equal(files["everystate"], program) || headers["everystate"].Mode != 0o755 || headers["everystate"].Uid != 0 {
		t.Errorf("the program is %q: %+v", files["everystate"], headers["everystate"])
	}
	if headers["data/"].Uid != 65532 || headers["data/"].Gid != 65532 {
		t.Errorf("/data is of %d:%d", headers["data/"].Uid, headers["data/"].Gid)
	}
}

func TestImageRefusesWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"RUN true", "FROM debian", "COPY", "COPY a", "COPY none /x"} {
		err := makeImage(filepath.Join(t.TempDir(), "image.tar"), "x", line+"\n", t.TempDir())
		if err == nil || !strings.Contains(err.Error(), line) {
			t.Errorf("%s: %v", line, err)
		}
	}
}
