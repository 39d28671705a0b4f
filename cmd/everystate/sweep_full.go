package main

import (
	"fmt"

	"github.com/everystate/everystate/cmd/everystate/internal/quantity"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/sweep/database"
)

// explainSweep puts an error of the database of a sweep into words that say what to
// do. The database is nil if it could not be made, or is not made by a sweep here.
func (a *app) explainSweep(dir string, db *database.Database, err error) error {
	if !store.IsDiskFull(err) {
		return err
	}
	text := fmt.Sprintf("the disk that holds %s is full (%v): free some space, then ", dir, err)
	if db == nil {
		text += "give the same command again"
	} else {
		text += fmt.Sprintf("go on where it was, with %s done: %s",
			quantity.Counted(int64(db.Totals().Units), "unit"), a.command("sweep", "resume", dir))
	}
	return &exitError{code: exitFailed, text: text, cause: err}
}
