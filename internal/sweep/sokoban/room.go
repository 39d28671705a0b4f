package sokoban

import family "github.com/everystate/everystate/puzzle/sokoban"

// BoxesError reports a number of boxes that a room cannot hold.
type BoxesError = family.BoxesError

// CheckRoom returns why a text is not a room for that many boxes: a
// *puzzle.InputError or a *BoxesError.
func CheckRoom(text []byte, boxes int) error {
	_, err := family.ReadRoom(text, boxes)
	return err
}
