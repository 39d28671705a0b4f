package sweep

import (
	"errors"
	"fmt"
	"os"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/quantity"
	"github.com/everystate/everystate/internal/sweep/database"
)

// explainSweep turns an error of the database of a sweep into one that says what to
// do. db is nil if it could not be made, or is not made by a sweep here.
func explainSweep(env *shell.Env, dir string, db *database.Database, err error) error {
	if errors.Is(err, database.ErrForeign) {
		return exit.Errorf(exit.Usage, "%v", err)
	}
	if !engine.IsDiskFull(err) {
		return err
	}
	cause := err
	if file := new(os.PathError); errors.As(err, &file) {
		cause = file // the text before it only says where in the program it occurred
	}
	text := fmt.Sprintf("the disk that holds %s is full (%v): ", dir, cause)
	if db == nil {
		text += "free some space, then repeat the command"
	} else {
		saved, _ := db.Sync() // the error is known
		text += fmt.Sprintf("%sfree some space, then resume with: %s", finished(saved), env.Command("sweep", "resume", dir))
	}
	return &exit.Error{Code: exit.Failed, Text: text, Cause: err}
}

// finished says how many units are saved for certain, if any. More may be: what was
// written since the last sync.
func finished(saved uint64) string {
	switch saved {
	case 0:
		return ""
	case 1:
		return "at least 1 unit is finished and saved; "
	}
	return fmt.Sprintf("at least %s are finished and saved; ", quantity.Counted(int64(saved), "unit"))
}
