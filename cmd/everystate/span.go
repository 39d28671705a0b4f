package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// span is a range of whole numbers on the command line: N, or N..M.
type span struct{ least, most int }

// String writes the span as it is typed.
func (s *span) String() string {
	if s.least == s.most {
		return strconv.Itoa(s.least)
	}
	return fmt.Sprintf("%d..%d", s.least, s.most)
}

// Set reads a span.
func (s *span) Set(text string) error {
	from, to, two := strings.Cut(text, "..")
	if !two {
		to = from
	}
	least, errLeast := strconv.Atoi(from)
	most, errMost := strconv.Atoi(to)
	if errLeast != nil || errMost != nil || least < 0 || most < least {
		return errors.New("must be N or N..M, from 0")
	}
	s.least, s.most = least, most
	return nil
}

// Type names the kind of value in the help.
func (s *span) Type() string { return "N..M" }
