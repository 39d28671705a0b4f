package game

// Game is a compiled game.
type Game struct {
	Title   string
	Objects []Object // by id
	Layers  []Set    // the objects of each collision layer

	Player    Matcher
	Rules     []Group
	Late      []Group
	Loops     []int // by group of Rules: the group to return to, or NoLoop
	LateLoops []int
	Rigid     []int // by number of a rigid group from 1, less 1: its index in Rules

	Conditions []Condition
	Levels     []Level
	Keys       []Key
	Background int // the layer of the background
	Sounds     Sounds

	Settings
}

// NoLoop marks a group at which no loop ends.
const NoLoop = -1

// Settings are the settings of the prelude that affect the rules.
type Settings struct {
	Realtime          bool
	RulesOnStart      bool
	NeedsMove         bool // a turn in which no player moves does not count
	NoAction          bool
	NoUndo, NoRestart bool
}

// Object is a kind of object.
type Object struct {
	Name    string
	Layer   int
	Colours []string
	Sprite  []string
}

// Matcher matches cells with at least one of the objects or, if All is set, with all.
type Matcher struct {
	Objects Set
	All     bool
}

// Matches reports whether a cell matches.
func (m *Matcher) Matches(cell Set) bool {
	if m.All {
		return m.Objects.Within(cell)
	}
	return m.Objects.Meets(cell)
}

// Group is a group of rules.
type Group struct {
	Line   int // of its first rule
	Rules  []Rule
	Random bool
	Rigid  bool
}

// Rule is a rule in one direction.
type Rule struct {
	Line      int
	Direction Direction
	Rows      []Row
	Replaces  bool // it has a right side
	Rigid     int  // number of its rigid group from 1, or 0
	Commands  []Command
}

// Row is a sequence of cells between two square brackets.
type Row struct {
	Cells    []Cell
	Ellipses int // number of cells that are ellipses, at most two
}

// Cell is what a rule requires of a cell, and how it replaces it.
type Cell struct {
	Ellipsis bool

	Present        Set   // all of these objects
	Missing        Set   // none of them
	Any            []Set // at least one of each set
	Moving         Set   // all of these movements
	Still          Set   // none of them
	Replacement    *Replacement
	presentOfLayer map[int]string
}

// Replacement is the change that a rule makes to a cell.
type Replacement struct {
	Clear, Set            Set
	ClearMoves, SetMoves  Set
	Layers                Set // the movement bits of layers that are set anew
	RandomObject          Set
	RandomDirectionLayers Set
}

// Command is a command at the end of a rule.
type Command struct {
	Name string
	Text string // of a message
}

// Quantifier of a win condition.
type Quantifier int8

// The quantifiers.
const (
	No Quantifier = iota - 1
	Some
	All
)

// Condition is a win condition: no, some or all of the cells that A matches are
// matched by B.
type Condition struct {
	Quantifier Quantifier
	A, B       Matcher
}

// Key is a character of levels, with the objects that it stands for.
type Key struct {
	Rune    rune
	Objects Set
}

// Level is a level, or a message.
type Level struct {
	Line          int
	Message       string
	IsMessage     bool
	Width, Height int

	// Cells holds the kind of each cell, column by column, and Kinds the objects of
	// each kind.
	Cells []uint32
	Kinds []Set

	// Fill is the background of cells whose character has none.
	Fill Set
}

// Cell returns the objects of a cell.
func (l *Level) Cell(i int) Set { return l.Kinds[l.Cells[i]] }

// Sounds lists the sounds of events.
type Sounds struct {
	Create, Destroy []Sound
	Move            [][]Sound // by layer
	CantMove        []Sound
}

// Sound is played when an event happens to one of the objects.
type Sound struct {
	Objects   Set
	Movements Set
	Seed      string
}
