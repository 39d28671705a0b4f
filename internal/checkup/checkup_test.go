package checkup

import (
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/everystate/everystate/internal/security"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	const gib = 1 << 30
	for _, test := range []struct {
		budget, limit int64
		want          Verdict
	}{{0, 0, Unknown}, {0, gib, OK}, {gib / 2, gib, OK}, {gib / 10 * 9, gib, Warn}, {2 * gib, gib, Fail}} {
		if f := Memory(test.budget, test.limit, "of a test"); f.Verdict != test.want || (f.Verdict == Fail) != strings.Contains(f.Change, "768MiB") && test.want != Warn {
			t.Errorf("%d of %d: %+v", test.budget, test.limit, f)
		}
	}
}

func TestFilesAndDisk(t *testing.T) {
	t.Parallel()
	if Files(0).Verdict != Unknown || Files(1024).Verdict != Warn || Files(1<<20).Verdict != OK {
		t.Error("files")
	}
	gone := filepath.Join(t.TempDir(), "gone")
	if f := Speed(gone); f.Verdict != Fail || f.Change == "" {
		t.Errorf("%+v", f)
	}
	if f := Space(gone); f.Verdict == OK || f.Verdict == Warn {
		t.Errorf("%+v", f)
	}
	if f := Speed(t.TempDir()); f.Verdict == Fail {
		t.Errorf("%+v", f)
	}
}

func TestPort(t *testing.T) {
	t.Parallel()
	lis, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if f := Port(t.Context(), lis.Addr().String()); f.Verdict != Fail {
		t.Errorf("%+v", f)
	}
	if err := lis.Close(); err != nil {
		t.Fatal(err)
	}
	if f := Port(t.Context(), lis.Addr().String()); f.Verdict != OK {
		t.Errorf("%+v", f)
	}
}

func TestTLS(t *testing.T) {
	t.Parallel()
	now := time.Now()
	dir, other := t.TempDir(), t.TempDir()
	for _, d := range []string{dir, other} {
		if _, err := security.WriteSet(d, security.SetOptions{Days: 90, Now: now}); err != nil {
			t.Fatal(err)
		}
	}
	in := func(dir, name string) string { return filepath.Join(dir, name) }
	for _, test := range []struct {
		name          string
		cert, key, ca string
		after         time.Duration
		want          Verdict
	}{
		{"right", in(dir, "worker.crt"), in(dir, "worker.key"), in(dir, "ca.crt"), time.Hour, OK},
		{"soon over", in(dir, "worker.crt"), in(dir, "worker.key"), in(dir, "ca.crt"), 70 * 24 * time.Hour, Warn},
		{"over", in(dir, "worker.crt"), in(dir, "worker.key"), "", 100 * 24 * time.Hour, Fail},
		{"another's key", in(dir, "worker.crt"), in(other, "worker.key"), in(dir, "ca.crt"), time.Hour, Fail},
		{"another authority", in(dir, "worker.crt"), in(dir, "worker.key"), in(other, "ca.crt"), time.Hour, Fail},
		{"not signed by any authority", "", "", in(dir, "worker.key"), time.Hour, Fail},
		{"no file", "", "", in(dir, "gone"), time.Hour, Fail},
	} {
		got := TLS(test.cert, test.key, test.ca, nil, now.Add(test.after))
		if len(got) == 0 || got[len(got)-1].Verdict != test.want || (test.want != OK) != (got[len(got)-1].Change != "") {
			t.Errorf("%s: %+v", test.name, got)
		}
	}
}

func TestVersions(t *testing.T) {
	t.Parallel()
	page := "# TYPE everystate_build_info gauge\neverystate_build_info{commit=\"abc\",go_version=\"go1\",version=\"v1.2.3\"} 1\n"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if _, err := w.Write([]byte(page)); err != nil {
			t.Error(err)
		}
	}))
	defer server.Close()
	addr := strings.TrimPrefix(server.URL, "http://")
	if f := Versions(t.Context(), []string{addr}, Version("v1.2.3", "abc")); f[0].Verdict != OK {
		t.Errorf("%+v", f)
	}
	if f := Versions(t.Context(), []string{addr}, "v1.2.4 abd"); f[0].Verdict != Warn {
		t.Errorf("%+v", f)
	}
	page = "nothing"
	if f := Versions(t.Context(), []string{addr, "127.0.0.1:1"}, "v"); f[0].Verdict != Fail || f[1].Verdict != Fail {
		t.Errorf("%+v", f)
	}
}
