package shell

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Span is a range of whole numbers on the command line: N, N..M, N.. or ..M.
type Span struct{ Least, Most int }

// String formats the span as it is typed.
func (s *Span) String() string {
	switch {
	case s.Least == s.Most:
		return strconv.Itoa(s.Least)
	case s.Most == math.MaxInt:
		return fmt.Sprintf("%d..", s.Least)
	}
	return fmt.Sprintf("%d..%d", s.Least, s.Most)
}

// Set parses a span.
func (s *Span) Set(text string) error {
	from, to, two := strings.Cut(text, "..")
	switch {
	case !two:
		to = from
	case from == "" && to != "":
		from = "0"
	case to == "" && from != "":
		to = strconv.Itoa(math.MaxInt)
	}
	least, errLeast := strconv.Atoi(from)
	most, errMost := strconv.Atoi(to)
	if errLeast != nil || errMost != nil || least < 0 || most < least {
		return errors.New("must be N, N..M, N.. or ..M, from 0")
	}
	s.Least, s.Most = least, most
	return nil
}

// Type returns the name of the value in help.
func (s *Span) Type() string { return "N..M" }
