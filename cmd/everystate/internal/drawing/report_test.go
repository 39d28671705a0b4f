package drawing

import (
	"os"
	"strings"
	"testing"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
)

// TestReportOnTerminal has a report refused where nobody could read it.
func TestReportOnTerminal(t *testing.T) {
	t.Parallel()
	env := &shell.Env{OutTerm: shell.Terminal{File: os.Stdout}}
	cmd := ReportCommand(env)
	cmd.SetArgs([]string{"nothing"})
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	if text, code := exit.Of(cmd.Execute()); code != exit.Usage || !strings.Contains(text, "HTML is not for a terminal") {
		t.Errorf("exit %d, %s", code, text)
	}
}
