package families

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/everystate/everystate/puzzle"
)

// A Header is a header line added to a text when it is read.
type Header struct{ Key, Value string }

// An OptionError is a fault in how a text was to be read: in the options, or in a header that
// was added to it.
type OptionError struct{ *puzzle.InputError }

// Unwrap returns the fault.
func (e *OptionError) Unwrap() error { return e.InputError }

// ReadWith is ReadLoosely with additional headers, which override those of the text
// before its first board. An error in a header is an *OptionError and names it as the flag
// "--key".
func ReadWith(text []byte, headers []Header, opts puzzle.ReadOptions) ([]puzzle.Board, error) {
	var head strings.Builder
	for _, h := range headers {
		if strings.ContainsAny(h.Value, "\r\n") {
			return nil, &OptionError{&puzzle.InputError{What: fmt.Sprintf("--%s %q: must be one line", h.Key, h.Value)}}
		}
		fmt.Fprintf(&head, "%s: %s\n", h.Key, h.Value)
	}
	lines := strings.Split(strings.TrimPrefix(string(text), "\uFEFF"), "\n")
	for i, line := range lines[:headLines(lines)] {
		for _, h := range headers {
			if key, _, found := strings.Cut(line, ":"); found && strings.EqualFold(strings.TrimSpace(key), h.Key) {
				lines[i] = ";" + line // commented out, so that lines keep their numbers
			}
		}
	}
	opts.Added += len(headers)
	boards, err := ReadLoosely([]byte(head.String()+strings.Join(lines, "\n")), opts)
	var fault *puzzle.InputError
	if !errors.As(err, &fault) || errors.As(err, new(*OptionError)) {
		return boards, err
	}
	told := *fault
	told.What = lineNumber.ReplaceAllStringFunc(told.What, func(number string) string {
		n, err := strconv.Atoi(strings.TrimPrefix(number, "line "))
		if err != nil || n <= len(headers) {
			return number
		}
		return fmt.Sprintf("line %d", n-len(headers))
	})
	switch {
	case told.Line == 0:
	case told.Line <= len(headers):
		h := headers[told.Line-1]
		told.What = fmt.Sprintf("--%s %s: %s", h.Key, h.Value, told.What)
		told.Line, told.Column = 0, 0
		return nil, &OptionError{&told}
	default:
		told.Line -= len(headers)
	}
	return nil, &told
}

var lineNumber = regexp.MustCompile(`\bline \d+`)
