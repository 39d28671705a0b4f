package wasm

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/tetratelabs/wazero/sys"
)

// ModuleError reports, in one line, what a module did wrong.
type ModuleError struct {
	// Module names the module.
	Module string

	// What describes what it did, and where.
	What string
}

func (e *ModuleError) Error() string { return failureHead + e.Module + ": " + e.What }

const failureHead = "puzzle module "

// Told reports whether a text from another process contains a ModuleError.
func Told(text string) bool { return strings.Contains(text, failureHead) }

// trapped describes why a call did not return.
func trapped(err error, stepsLeft, stepsMax int64, log string) string {
	var exit *sys.ExitError
	text := "traps"
	switch {
	case stepsLeft < 0:
		return fmt.Sprintf("does not finish within %d steps", stepsMax)
	case errors.As(err, &exit):
		text = fmt.Sprintf("exits with code %d", exit.ExitCode())
	default:
		what, _, _ := strings.Cut(err.Error(), "\n")
		text += ": " + strings.TrimPrefix(what, "wasm error: ")
	}
	if log = oneLine(log, faultBytesMax); log != "" {
		text += ", and wrote: " + log
	}
	return text
}

// oneLine makes an untrusted text fit for a message.
func oneLine(text string, bytesMax int) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "?")), " ")
	text = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, text)
	if len(text) > bytesMax {
		text = strings.ToValidUTF8(text[:bytesMax], "") + "..."
	}
	return text
}

// logbook keeps the beginning of a module's output.
type logbook struct{ text []byte }

func (l *logbook) Write(p []byte) (int, error) {
	l.text = append(l.text, p[:min(len(p), logBytesMax-len(l.text))]...)
	return len(p), nil
}
