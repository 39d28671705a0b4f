package game

import "github.com/everystate/everystate/puzzle/puzzlescript/syntax"

// errorsMax is the number of errors with which the reference still starts a game.
const errorsMax = 5

// compiler compiles one game.
type compiler struct {
	source *syntax.Source
	log    *syntax.Log
	game   *Game

	objects    map[string]*placed
	byID       []*placed
	background *placed
	glyphs     map[string]glyph

	synonyms   dictionary
	aggregates dictionary
	properties dictionary
	oneLayer   map[string]int // properties whose objects are on one layer

	player         Matcher
	layers         []Set
	masks          map[string]Set
	aggregateMasks map[string]Set

	loops    []loopMark
	compiled map[*rule][]Row
	invalid  bool // a rule is meaningless
	excess   bool
	terms    int // of the rules expanded so far
	spelled  int // terms of the lines of rules in each of their directions
	kinds    int // words of the sets of cells of levels
	sounding int // words of the sets of sounds
}

// Compile compiles a source. It returns nil if nothing can be played. The result may
// be non-nil even if log has errors, as the reference plays such games too.
func Compile(source *syntax.Source, log *syntax.Log) *Game {
	c := &compiler{source: source, log: log, game: &Game{}}
	for _, name := range []string{"player", "background"} {
		if _, ok := source.Declared(name); !ok {
			log.Errorf(syntax.NoLine, "Error, didn't find any object called %s, either in the objects section, or the legends section. There must be a %s!", name, name)
		}
	}
	if len(source.Layers) == 0 {
		log.Errorf(syntax.NoLine, "No collision layers defined.  All objects need to be in collision layers.")
		return nil
	}
	c.place()
	c.checkPalette()
	c.checkLooks()
	c.setGlyphs()
	c.setNames()
	if len(c.byID) == 0 {
		log.Errorf(syntax.NoLine, "You need to have some objects defined")
	}
	c.setBackground()
	c.setMasks()
	c.setLevels()
	lines := c.readRules()
	c.checkCoincidences(lines)
	rules := c.expandRules(lines)
	if c.invalid {
		return nil
	}
	rules = c.compileRules(dropCopies(rules))
	if c.invalid {
		return nil
	}
	c.finishGroups(rules)
	c.setConditions()
	c.checkLayered()
	c.setSettings()
	c.setLoops()
	c.setSounds()
	c.checkColours()
	return c.finishGame()
}

// finishGame assembles the parts that no longer change.
func (c *compiler) finishGame() *Game {
	g := c.game
	if len(g.Levels) == 0 {
		c.log.Errorf(syntax.NoLine, "No levels found.  Add some levels!")
	}
	if c.log.Errors > errorsMax {
		return nil
	}
	if len(g.Levels) > 0 {
		c.checkTitle()
	}
	for _, o := range c.byID {
		g.Objects = append(g.Objects, Object{Name: o.Name, Layer: o.layer, Colours: o.Colours, Sprite: o.Sprite})
	}
	c.setKeys()
	g.Layers = c.layers
	g.Background = c.background.layer
	g.Player = c.player
	return g
}

// Read parses and compiles a text.
func Read(text string, log *syntax.Log) *Game {
	source := syntax.Parse(text, log)
	if source == nil {
		return nil
	}
	return Compile(source, log)
}
