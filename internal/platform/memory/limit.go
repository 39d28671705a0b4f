package memory

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Limit returns the lesser of the memory of the machine and of the control groups of
// this process, in bytes, and which of the two it is; 0 if that is unknown. Root is
// the root directory of the system.
func Limit(root string) (limit int64, from string) {
	if kib := procValue(filepath.Join(root, "proc", "meminfo"), "MemTotal:"); kib > 0 {
		limit, from = kib<<10, "of the machine"
	}
	for _, file := range groupFiles(root) {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
		if err == nil && n > 0 && (limit == 0 || n < limit) {
			limit, from = n, "of the control group"
		}
	}
	return limit, from
}

// cgroups is the mount point of control groups.
const cgroups = "sys/fs/cgroup"

// groupFiles returns the files that may hold a limit: those of the control group and
// all its ancestors, for both versions.
func groupFiles(root string) []string {
	all := []string{
		filepath.Join(root, cgroups, "memory.max"),
		filepath.Join(root, cgroups, "memory", "memory.limit_in_bytes"),
	}
	text, err := os.ReadFile(filepath.Join(root, "proc", "self", "cgroup"))
	if err != nil {
		return all
	}
	for line := range strings.Lines(string(text)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 || parts[1] != "" && !slices.Contains(strings.Split(parts[1], ","), "memory") {
			continue
		}
		dir, file := cgroups, "memory.max"
		if parts[1] != "" {
			dir, file = cgroups+"/memory", "memory.limit_in_bytes"
		}
		for at := filepath.Clean("/" + parts[2]); at != "/"; at = filepath.Dir(at) {
			all = append(all, filepath.Join(root, dir, at, file))
		}
	}
	return all
}
