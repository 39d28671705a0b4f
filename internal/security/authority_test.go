package security

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"
)

// TestWriteSet looks at what a set is made of, and that it is not written over.
func TestWriteSet(t *testing.T) {
	t.Parallel()
	s := newSet(t)
	for _, file := range SetFiles(s.dir) {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		want := os.FileMode(0o644)
		if strings.HasSuffix(file, KeyExt) {
			want = 0o600
		}
		if info.Mode().Perm()&^want != 0 {
			t.Errorf("%s has mode %v", file, info.Mode())
		}
	}
	before, err := os.ReadFile(s.ca())
	if err != nil {
		t.Fatal(err)
	}
	o := SetOptions{Days: 1, Now: time.Now()}
	if _, err := WriteSet(s.dir, o); !os.IsExist(err) {
		t.Errorf("written over: %v", err)
	}
	if now, err := os.ReadFile(s.ca()); err != nil || !bytes.Equal(now, before) {
		t.Errorf("the authority is another one: %v", err)
	}
	if err := os.Remove(s.key("viewer")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(s.key("worker"), 0o644); err != nil {
		t.Fatal(err)
	}
	o.Replace = true
	o.Hosts = []string{"w.example", "10.0.0.1"}
	replaced, err := WriteSet(s.dir, o)
	if err != nil || len(replaced) != 9 {
		t.Errorf("replaced %q: %v", replaced, err)
	}
	if got := Exposed(SetFiles(s.dir)...); len(got) != 5 {
		t.Errorf("everybody may read %q", got)
	}
	worker, err := keepPair(nil, s.cert("worker"), s.key("worker"))
	if err != nil {
		t.Fatal(err)
	}
	if got := namesOf(worker.get().Leaf); got != "localhost, w.example, 127.0.0.1, ::1, 10.0.0.1" {
		t.Errorf("the worker's certificate is for %s", got)
	}
}
