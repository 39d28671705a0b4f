package sokoban

import puzzles "github.com/everystate/everystate/puzzle/sokoban"

// Family is the family of the boards solved here.
const Family = puzzles.Family

// The metrics of the family: a step of the player, a push, and a reverse push, with
// which runs begin at solved states.
const (
	Steps     = "move"
	Pushes    = "push"
	Backwards = "backward-push"
)
