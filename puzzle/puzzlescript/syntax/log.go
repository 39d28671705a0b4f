package syntax

import (
	"fmt"
	"slices"
)

// NoLine is the line of a message that is about the whole game.
const NoLine = -1

// messagesMax is the number of messages kept. The reference gives up there.
const messagesMax = 101

// A Message describes a fault in a game, and where it is.
type Message struct {
	Line    int // from 1, or NoLine
	Text    string
	Warning bool
}

func (m Message) String() string {
	if m.Line == NoLine {
		return m.Text
	}
	return fmt.Sprintf("line %d : %s", m.Line, m.Text)
}

// Log collects messages, each once.
type Log struct {
	Messages []Message

	// Errors counts the faults of a game. Warnings about the whole game count too, as
	// in the reference.
	Errors int
}

// Errorf reports an error in a line.
func (l *Log) Errorf(line int, format string, args ...any) {
	l.add(Message{line, fmt.Sprintf(format, args...), false})
}

// Warnf reports a possible mistake in a line.
func (l *Log) Warnf(line int, format string, args ...any) {
	l.add(Message{line, fmt.Sprintf(format, args...), true})
}

// Full reports whether no more messages are kept.
func (l *Log) Full() bool { return len(l.Messages) >= messagesMax }

func (l *Log) add(m Message) {
	if l.Full() || slices.Contains(l.Messages, m) {
		return
	}
	l.Messages = append(l.Messages, m)
	if !m.Warning || m.Line == NoLine {
		l.Errors++
	}
}

// First returns the first error, if there is one.
func (l *Log) First() (Message, bool) {
	for _, m := range l.Messages {
		if !m.Warning {
			return m, true
		}
	}
	if l.Errors > 0 {
		return l.Messages[0], true
	}
	return Message{}, false
}
