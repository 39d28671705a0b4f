package bucket

import (
	"errors"
	"fmt"
	"strings"
)

// ErrNotExist reports that an object does not exist.
var ErrNotExist = errors.New("does not exist")

// ErrExist reports that a layer object of that name exists with other content.
var ErrExist = errors.New("exists with different content")

// ErrRemains reports that a run cannot begin because something is left of a run of the
// same name whose deletion was interrupted. Delete removes it.
var ErrRemains = errors.New("holds remains of a deleted run: delete it again, or choose another name")

// A TakenError reports that a number of the log belongs to another entry.
type TakenError struct {
	N     int
	Entry []byte // the one that is there
}

func (e *TakenError) Error() string { return fmt.Sprintf("entry %d is another writer's", e.N) }

// A HoleError reports that entry N of the log is missing although later ones, up to
// Last, exist.
type HoleError struct{ N, Last int }

func (e *HoleError) Error() string {
	return fmt.Sprintf("entry %d is missing, and there are later ones, up to %d: the log has lost it; put the object back from a copy of the bucket, or explore under another name", e.N, e.Last)
}

// Missing returns an error if it reports a *HoleError, and nil otherwise.
func Missing(err error) error {
	if hole := new(HoleError); errors.As(err, &hole) {
		return err
	}
	return nil
}

// A CorruptionError reports that an object is not what was written.
type CorruptionError struct {
	Where string // URL of the object
	What  string
}

func (e *CorruptionError) Error() string { return e.Where + ": corrupted: " + e.What }

// IsCorruption reports whether err means that stored bytes are damaged.
func IsCorruption(err error) bool {
	var e *CorruptionError
	return errors.As(err, &e)
}

// A causeError gives a library's error a text of one line.
type causeError struct {
	text string
	err  error
}

func (e *causeError) Error() string { return e.text }
func (e *causeError) Unwrap() error { return e.err }

// fail returns err with the operation and where it failed. Errors of this package
// already say what is wrong with the object.
func fail(where, op string, err error) error {
	var taken *TakenError
	var hole *HoleError
	switch {
	case err == nil:
		return nil
	case IsCorruption(err):
		return err
	case errors.As(err, &taken), errors.As(err, &hole), errors.Is(err, ErrNotExist), errors.Is(err, ErrExist), errors.Is(err, ErrRemains):
		return fmt.Errorf("%s: %w", where, err)
	}
	return fmt.Errorf("%s: %s: %w", where, op, &causeError{text: oneLine(explain(err)), err: err})
}

// oneLine folds white space and truncates long text.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > textBytesMax {
		s = strings.ToValidUTF8(s[:textBytesMax], "") + "…"
	}
	return s
}

// textBytesMax bounds the text shown of a library's error.
const textBytesMax = 300
