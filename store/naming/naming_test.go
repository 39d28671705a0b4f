package naming_test

import (
	"strings"
	"testing"

	"github.com/everystate/everystate/store/naming"
)

func TestNames(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name        string
		run, worker bool
	}{
		{"jam-93", true, true},
		{"Jam_93.2", true, false},
		{"-", true, true},
		{"_", true, false},
		{"", false, false},
		{".", false, false},
		{"..", false, false},
		{".hidden", false, false},
		{"a/b", false, false},
		{`a\b`, false, false},
		{"a b", false, false},
		{"a\x00", false, false},
		{"C:", false, false},
		{"ä", true, false},
		{"l-âne-rouge", true, false},
		{"la\u0302ne", true, false},
		{"华容道", true, false},
		{"हिन्दी", true, false},
		{"a\u200bb", false, false},
		{"a\u202eb", false, false},
		{"a\ufffdb", false, false},
		{"华 容", false, false},
		{strings.Repeat("道", naming.RunBytesMax/3), true, false},
		{strings.Repeat("道", naming.RunBytesMax/3+1), false, false},
		{"a\xff", false, false},
		{strings.Repeat("a", naming.WorkerBytesMax), true, true},
		{strings.Repeat("a", naming.WorkerBytesMax+1), true, false},
		{strings.Repeat("a", naming.RunBytesMax), true, false},
		{strings.Repeat("a", naming.RunBytesMax+1), false, false},
	} {
		if got := naming.IsRun(test.name); got != test.run {
			t.Errorf("IsRun(%q) = %v", test.name, got)
		}
		if got := naming.IsWorker(test.name); got != test.worker {
			t.Errorf("IsWorker(%q) = %v", test.name, got)
		}
	}
}
