package sokoban

import family "github.com/everystate/everystate/puzzle/sokoban"

// BoxesError tells of a number of boxes that a room cannot hold.
type BoxesError = family.BoxesError

// CheckRoom returns why a text is no room for so many boxes: a *puzzle.InputError, or
// a *BoxesError.
func CheckRoom(text []byte, boxes int) error {
	_, err := family.ReadRoom(text, boxes)
	return err
}
