package shell

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
)

// faultJSON is described in docs/JSON.md.
type faultJSON struct {
	Code    int         `json:"code"`
	Message string      `json:"message"`
	Where   *exit.Place `json:"where"`
}

// WantsFaultsAsJSON reports whether a command line asks for JSON. It is called before
// the command line is parsed, as parsing can fail, too.
func WantsFaultsAsJSON(args []string) bool {
	for _, arg := range args {
		switch arg {
		case "--json", "--json=true":
			return true
		case "--":
			return false
		}
	}
	return false
}

// Complain writes a warning to standard error, always as one line.
func (env *Env) Complain(text string) { env.Warn(exit.Fault{Text: text, What: text}) }

// Warn is Complain about a place.
func (env *Env) Warn(f exit.Fault) { env.tell(f, exit.Complete) }

// Report writes an error to standard error, one line per fault, and returns the exit
// code.
func (env *Env) Report(err error) int {
	faults, code := exit.FaultsOf(err)
	for _, f := range faults {
		env.tell(f, code)
	}
	return code
}

// Stopped says what a signal stopped and the command that continues it, and returns the
// error to end with.
func (env *Env) Stopped(what string, again ...string) error {
	const resume = "resume with: "
	if env.JSONFaults {
		env.Report(exit.Errorf(exit.Incomplete, "%s; %s%s", what, resume, env.Command(again...)))
	} else {
		fmt.Fprintf(env.Err, "%s\n%s%s\n", what, resume, env.Command(again...))
	}
	return exit.Reported(exit.Incomplete)
}

func (env *Env) tell(f exit.Fault, code int) {
	inOneLine := strings.NewReplacer("\n", "; ")
	if !env.JSONFaults {
		fmt.Fprintf(env.Err, "everystate: %s\n", inOneLine.Replace(f.Text))
		return
	}
	enc := json.NewEncoder(env.Err)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(faultJSON{code, inOneLine.Replace(f.What), f.Where}) // there is nowhere else to report it
}
