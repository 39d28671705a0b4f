package bucket

import (
	"errors"
	"fmt"
	"strings"
)

// ErrNotExist says that an object is not there.
var ErrNotExist = errors.New("does not exist")

// ErrExist says that a layer object of that name is there with other content.
var ErrExist = errors.New("exists with different content")

// ErrRemains says that a run cannot begin because something is left of one of the
// same name whose deletion was interrupted. Delete removes it.
var ErrRemains = errors.New("holds remains of a deleted run: delete it again, or choose another name")

// A TakenError says that a number of the log belongs to another entry.
type TakenError struct {
	N     int
	Entry []byte // the one that is there
}

func (e *TakenError) Error() string { return fmt.Sprintf("entry %d is another writer's", e.N) }

// A CorruptionError says that an object is not what was written.
type CorruptionError struct {
	Where string // URL of the object
	What  string
}

func (e *CorruptionError) Error() string { return e.Where + ": corrupted: " + e.What }

// IsCorruption reports whether err says that stored bytes are damaged.
func IsCorruption(err error) bool {
	var e *CorruptionError
	return errors.As(err, &e)
}

// A causeError gives an error of a library a text of one line.
type causeError struct {
	text string
	err  error
}

func (e *causeError) Error() string { return e.text }
func (e *causeError) Unwrap() error { return e.err }

// fail returns err with the operation and where it failed. Errors of this package
// say themselves what is wrong with the object.
func fail(where, op string, err error) error {
	var taken *TakenError
	switch {
	case err == nil:
		return nil
	case IsCorruption(err):
		return err
	case errors.As(err, &taken), errors.Is(err, ErrNotExist), errors.Is(err, ErrExist), errors.Is(err, ErrRemains):
		return fmt.Errorf("%s: %w", where, err)
	}
	return fmt.Errorf("%s: %s: %w", where, op, &causeError{text: oneLine(explain(err)), err: err})
}

// oneLine folds white space and cuts what is overlong.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > textBytesMax {
		s = strings.ToValidUTF8(s[:textBytesMax], "") + "…"
	}
	return s
}

// textBytesMax bounds what is shown of another library's error.
const textBytesMax = 300
