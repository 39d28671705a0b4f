package machine

import (
	"errors"
	"slices"

	"github.com/everystate/everystate/puzzle/puzzlescript/game"
)

// Session plays a game as a player does: with undo, restart and a sequence of levels.
type Session struct {
	game *game.Game
	m    *Machine

	level     int
	inText    bool // a message or the title is on the screen
	againing  bool
	restart   saved // the state after a restart
	restarted bool  // a restart is under way
	backups   []saved
}

// saved is the state of a level that can be restored.
type saved struct {
	program *Program
	cells   []uint64
}

// backupsMax bounds the number of undo steps.
const backupsMax = 100_000

// ErrNoLevel reports that a level does not exist or is only a message.
var ErrNoLevel = errors.New("there is no such level")

// NewSession begins a level, counted from 0 including messages. seed seeds the random
// numbers.
func NewSession(g *game.Game, level int, seed string) (*Session, error) {
	if level < 0 || level >= len(g.Levels) || g.Levels[level].IsMessage {
		return nil, ErrNoLevel
	}
	s := &Session{game: g}
	s.begin(level, NewRandom(seed))
	s.rest()
	return s, nil
}

// begin begins a level or shows a message; the previous level remains under the
// message.
func (s *Session) begin(level int, random *Random) {
	s.level, s.againing = level, false
	l := &s.game.Levels[level]
	if l.IsMessage {
		s.inText = true
		s.m.random = random
		return
	}
	heard := []string(nil)
	if s.m != nil {
		heard = s.m.heard
	}
	s.inText = false
	s.m = New(NewProgram(s.game, l.Width, l.Height))
	s.m.random = random
	s.m.listening, s.m.heard = true, heard
	s.m.board.load(levelCells(s.m.board, l))
	s.backups = nil
	s.restart = s.save()
	if s.game.RulesOnStart {
		s.input(0, true, false)
	}
}

// levelCells returns the cells of a level in the layout of a board.
func levelCells(b *board, l *game.Level) []uint64 {
	cells := make([]uint64, len(b.cells))
	for i := range b.size() {
		copy(cells[i*b.objectWords:], l.Cell(i))
	}
	return cells
}

func (s *Session) save() saved { return saved{s.m.Program, slices.Clone(s.m.board.cells)} }

// back restores a saved level.
func (s *Session) back(to saved) {
	if s.m.Program != to.program {
		old := s.m
		s.m = New(to.program)
		s.m.random, s.m.listening, s.m.heard = old.random, true, old.heard
	}
	s.m.board.load(to.cells)
	s.againing = false
	s.m.queue = s.m.queue[:0]
}

// Fault returns why the last turn was aborted, or nil.
func (s *Session) Fault() *FaultError { return s.m.fault }

// Input makes a turn with a movement of the player, and the turns that the command
// "again" asks for.
func (s *Session) Input(d game.Direction) {
	s.m.refill()
	s.input(d, false, false)
	s.rest()
}

// Tick makes a turn without a movement.
func (s *Session) Tick() { s.Input(0) }

// againMax bounds the number of turns that the command "again" may add.
const againMax = 10_000

// rest makes turns until the level is at rest.
func (s *Session) rest() {
	for n := 0; s.againing && s.m.fault == nil && n < againMax; n++ {
		s.againing = false
		s.input(0, false, false)
	}
}

// Undo undoes the last turn that changed the level.
func (s *Session) Undo() {
	s.m.refill()
	s.undo(false, true)
	s.rest()
}

func (s *Session) undo(force, skipSame bool) {
	if s.game.NoUndo && !force {
		return
	}
	for skipSame && len(s.backups) > 0 && slices.Equal(s.backups[len(s.backups)-1].cells, s.m.board.cells) {
		s.backups = s.backups[:len(s.backups)-1]
	}
	if n := len(s.backups); n > 0 {
		s.back(s.backups[n-1])
		s.backups = s.backups[:n-1]
	}
}

func (s *Session) remember(b saved) {
	if len(s.backups) < backupsMax {
		s.backups = append(s.backups, b)
	}
}

// Restart restarts the level, or returns to the last checkpoint.
func (s *Session) Restart() {
	s.m.refill()
	s.doRestart(false)
	s.rest()
}

func (s *Session) doRestart(force bool) {
	if s.restarted || s.game.NoRestart && !force {
		return
	}
	if s.againing {
		s.undo(force, true)
	}
	s.restarted = true
	if !force {
		s.remember(s.save())
	}
	s.back(s.restart)
	if s.game.RulesOnStart {
		s.input(0, true, false)
	}
	s.m.queue = s.m.queue[:0]
	s.restarted = false
}

// input makes one turn. If look is set, it only reports whether the turn would change
// anything. If noWin is set, the level cannot be won.
func (s *Session) input(d game.Direction, noWin, look bool) bool {
	s.againing = false
	before := s.save()
	s.m.turn(d)
	if len(s.m.players) > 0 && s.game.NeedsMove && !s.m.playerMoved() {
		s.back(before)
		s.inText = false
		return false
	}
	return s.commands(before, d, noWin, look)
}

// commands executes the commands of a turn.
func (s *Session) commands(before saved, d game.Direction, noWin, look bool) bool {
	if s.m.has("cancel") {
		left := len(s.m.queue) > 1
		s.back(before)
		return left
	}
	if s.m.has("restart") {
		s.remember(before)
		if !look {
			s.doRestart(true)
		}
	}
	modified := !slices.Equal(before.cells, s.m.board.cells)
	if modified {
		if look {
			s.back(before)
			return true
		}
		if d != 0 {
			s.remember(before)
		}
	}
	if look && (s.m.has("win") || s.m.has("restart")) {
		return true
	}
	if !look {
		s.m.play()
	}
	if !s.inText && !noWin && (s.m.has("win") || s.m.Solved()) {
		s.win()
	}
	if s.m.has("checkpoint") {
		s.restart = s.save()
	}
	if s.m.has("again") && modified && s.input(0, true, true) {
		s.againing = true
	}
	s.m.queue = s.m.queue[:0]
	return modified
}

// win goes to the next level.
func (s *Session) win() {
	s.againing = false
	if s.level+1 < len(s.game.Levels) {
		s.begin(s.level+1, NewRandom(""))
		return
	}
	s.inText = true
}
