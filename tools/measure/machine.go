package measure

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// A Machine describes the machine that the numbers were measured on.
type Machine struct {
	CPU         string    `json:"cpu"`
	Cores       int       `json:"cores"`
	MemoryBytes int64     `json:"memory_bytes"`
	System      string    `json:"system"`
	Go          string    `json:"go"`
	Commit      string    `json:"commit"`
	Date        time.Time `json:"date"`
}

const unknown = "unknown"

// ThisMachine describes the machine, the Go version and the commit of the tree.
func ThisMachine(ctx context.Context) (Machine, error) {
	version, err := Output(ctx, "go", "env", "GOVERSION")
	if err != nil {
		return Machine{}, err
	}
	commit, err := Output(ctx, "git", "describe", "--always", "--dirty", "--exclude", "*")
	if err != nil {
		commit = unknown // a copy without its history
	}
	m := Machine{
		CPU: unknown, Cores: runtime.NumCPU(), System: runtime.GOOS + "/" + runtime.GOARCH,
		Go: version, Commit: commit, Date: time.Now().UTC().Truncate(time.Second),
	}
	if name := field("/proc/cpuinfo", "model name"); name != "" {
		m.CPU = name
	}
	if kib, _, _ := strings.Cut(field("/proc/meminfo", "MemTotal"), " "); kib != "" {
		if n, err := strconv.ParseInt(kib, 10, 64); err == nil {
			m.MemoryBytes = n << 10
		}
	}
	if release, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		m.System += " " + strings.TrimSpace(string(release))
	}
	return m, nil
}

// field returns the first value of a name in a file of lines "name : value", or the
// empty text.
func field(file, name string) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close() //nolint:errcheck // Read only: nothing can be lost.
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if key, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func (m Machine) String() string {
	return fmt.Sprintf("machine  %s, %d cores, %.1f GiB, %s\nprogram  %s, commit %s\ndate     %s\n",
		m.CPU, m.Cores, float64(m.MemoryBytes)/(1<<30), m.System, m.Go, m.Commit, m.Date.Format(time.RFC3339))
}
