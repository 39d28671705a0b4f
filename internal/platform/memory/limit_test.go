package memory_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/everystate/everystate/internal/platform/memory"
)

func TestLimit(t *testing.T) {
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
			if got, from := memory.Limit(root); got != test.want || from != test.from {
				t.Errorf("%d %s", got, from)
			}
		})
	}
}
