package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// span is a range of whole numbers on the command line: N, N..M, N.. or ..M.
type span struct{ least, most int }

// String writes the span as it is typed.
func (s *span) String() string {
	switch {
	case s.least == s.most:
		return strconv.Itoa(s.least)
	case s.most == math.MaxInt:
		return fmt.Sprintf("%d..", s.least)
	}
	return fmt.Sprintf("%d..%d", s.least, s.most)
}

// Set reads a span.
func (s *span) Set(text string) error {
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
	s.least, s.most = least, most
	return nil
}

// Type names the kind of value in the help.
func (s *span) Type() string { return "N..M" }
