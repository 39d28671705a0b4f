package wasm

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/tetratelabs/wazero/sys"
)

// ModuleError says what a module did that it must not, in one line.
type ModuleError struct {
	// Module names the module.
	Module string

	// What says what it did, and where.
	What string
}

func (e *ModuleError) Error() string { return failureHead + e.Module + ": " + e.What }

const failureHead = "puzzle module "

// Told reports whether a text that came from another process tells of a ModuleError.
func Told(text string) bool { return strings.Contains(text, failureHead) }

// trapped says why a call did not come back, in words.
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

// oneLine makes text of a stranger fit for a message.
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

// logbook keeps the beginning of what a module writes.
type logbook struct{ text []byte }

func (l *logbook) Write(p []byte) (int, error) {
	l.text = append(l.text, p[:min(len(p), logBytesMax-len(l.text))]...)
	return len(p), nil
}
