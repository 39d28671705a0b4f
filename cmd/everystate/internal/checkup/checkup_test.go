package checkup

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/everystate/everystate/security"
)

func TestMemoryLimit(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		files map[string]string
		want  int64
		from  string
	}{
		{"nothing is known", nil, 0, ""},
		{"machine", map[string]string{"proc/meminfo": "MemFree: 1 kB\nMemTotal:  2048 kB\n"}, 2 << 20, "of the machine"},
		{"no limit", map[string]string{"proc/meminfo": "MemTotal: 2048 kB\n", "sys/fs/cgroup/memory.max": "max\n"}, 2 << 20, "of the machine"},
		{"container", map[string]string{"proc/meminfo": "MemTotal: 2048 kB\n", "sys/fs/cgroup/memory.max": "1048576\n"}, 1 << 20, "of the control group"},
		{"a unit above", map[string]string{
			"proc/meminfo": "MemTotal: 2048 kB\n", "proc/self/cgroup": "0::/system.slice/everystate.service\n",
			"sys/fs/cgroup/system.slice/everystate.service/memory.max": "max\n", "sys/fs/cgroup/system.slice/memory.max": "4096\n",
		}, 4096, "of the control group"},
		{"version 1", map[string]string{
			"proc/meminfo": "MemTotal: 2048 kB\n", "proc/self/cgroup": "9:cpu,memory:/a\n3:cpu:/a\n",
			"sys/fs/cgroup/memory/a/memory.limit_in_bytes": "8192\n",
		}, 8192, "of the control group"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			for name, text := range test.files {
				path := filepath.Join(root, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if got, from := MemoryLimit(root); got != test.want || from != test.from {
				t.Errorf("%d %s", got, from)
			}
		})
	}
}

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
		{"no authority", "", "", in(dir, "worker.key"), time.Hour, Fail},
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
