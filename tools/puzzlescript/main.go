// Command puzzlescript replays recorded PuzzleScript sessions, and compilations whose
// messages were recorded, and counts those that agree:
//
//	go run ./tools/puzzlescript FILE.json
//
// A session is an object with "source", "inputs" (0 up, 1 left, 2 down, 3 right, 4
// action, "tick", "undo", "restart"), "level", "seed", "level_at_end" and "sounds"; a
// compilation has "source", "messages" and "errors". Both may have an "index" and a
// "name", which are printed if they disagree.
//
// It must never decide what a game does: that is package puzzle/puzzlescript.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/everystate/everystate/puzzle/puzzlescript/game"
	"github.com/everystate/everystate/puzzle/puzzlescript/machine"
	"github.com/everystate/everystate/puzzle/puzzlescript/syntax"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: puzzlescript FILE.json")
		os.Exit(2)
	}
	data, err := os.ReadFile(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	agree, all, err := replay(data, os.Stdout)
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", os.Args[1], err)
		os.Exit(1)
	}
	fmt.Printf("%d of %d agree\n", agree, all)
	if agree < all {
		os.Exit(1)
	}
}

// record is a recorded session or compilation.
type record struct {
	Index  int    `json:"index"`
	Name   string `json:"name"`
	Source string `json:"source"`

	Inputs     []any    `json:"inputs"`
	Level      level    `json:"level"`
	Seed       *string  `json:"seed"`
	LevelAtEnd *string  `json:"level_at_end"`
	Sounds     []string `json:"sounds"`

	Messages []string `json:"messages"`
	Errors   *int     `json:"errors"`
}

// level is the number of a level, which old records store as a text.
type level int

func (l *level) UnmarshalJSON(data []byte) error {
	n, err := strconv.Atoi(strings.Trim(string(data), `"`))
	*l = level(n)
	return err
}

// replay replays all records of a file, and writes a line for each that disagrees.
func replay(data []byte, w io.Writer) (agree, all int, err error) {
	var records []record
	if err := json.Unmarshal(data, &records); err != nil {
		return 0, 0, err
	}
	for i := range records {
		r := &records[i]
		check := r.compilation
		if r.LevelAtEnd != nil {
			check = r.session
		} else if r.Errors == nil {
			return 0, 0, fmt.Errorf("record %d is neither a session nor a compilation", i)
		}
		if difference := check(); difference != "" {
			fmt.Fprintf(w, "%d %q: %s\n", r.Index, r.Name, difference)
			continue
		}
		agree++
	}
	return agree, len(records), nil
}

// session plays a session and returns what differs from the record.
func (r *record) session() string {
	var log syntax.Log
	g := game.Read(r.Source, &log)
	if g == nil {
		return "the game cannot be played: " + messages(&log)
	}
	seed := ""
	if r.Seed != nil {
		seed = *r.Seed
	}
	s, err := machine.NewSession(g, int(r.Level), seed)
	if err != nil {
		return err.Error()
	}
	for _, input := range r.Inputs {
		if !enter(s, input) {
			return fmt.Sprintf("unknown input %v", input)
		}
		if fault := s.Fault(); fault != nil {
			return fault.Error()
		}
	}
	if got := s.Text(); got != *r.LevelAtEnd {
		return fmt.Sprintf("the level at the end is\n%sshould be\n%s", got, *r.LevelAtEnd)
	}
	if r.Sounds != nil && !slices.Equal(s.Sounds(), r.Sounds) {
		return fmt.Sprintf("sounds are %v, should be %v", s.Sounds(), r.Sounds)
	}
	return ""
}

// enter passes an input to a session.
func enter(s *machine.Session, input any) bool {
	switch v := input.(type) {
	case float64:
		inputs := []game.Direction{game.Up, game.Left, game.Down, game.Right, game.Action}
		if v < 0 || v >= float64(len(inputs)) {
			return false
		}
		s.Input(inputs[int(v)])
	case string:
		switch v {
		case "tick":
			s.Tick()
		case "undo":
			s.Undo()
		case "restart":
			s.Restart()
		default:
			return false
		}
	default:
		return false
	}
	return true
}

// compilation compiles a game and returns what differs from the record. As in the
// reference, all recorded messages must appear in order, ignoring blanks, and the
// number of errors must be the recorded one.
func (r *record) compilation() string {
	var log syntax.Log
	game.Read(r.Source, &log)
	next := 0
	for _, m := range log.Messages {
		if next < len(r.Messages) && solid(m.String()) == solid(r.Messages[next]) {
			next++
		}
	}
	if next < len(r.Messages) {
		return fmt.Sprintf("no %q among %s", r.Messages[next], messages(&log))
	}
	if log.Errors != *r.Errors {
		return fmt.Sprintf("%d errors, should be %d: %s", log.Errors, *r.Errors, messages(&log))
	}
	return ""
}

// solid returns a text without its blanks.
func solid(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)
}

func messages(log *syntax.Log) string {
	var list []string
	for _, m := range log.Messages {
		list = append(list, m.String())
	}
	return strings.Join(list, "; ")
}
