package game

import (
	"strings"

	"github.com/everystate/everystate/puzzle/puzzlescript/syntax"
)

// soundFields are the movements that a word of a sound means.
var soundFields = map[string]Direction{
	"up": Up, "down": Down, "left": Left, "right": Right,
	"horizontal": Left | Right, "vertical": Up | Down, "orthogonal": Up | Down | Left | Right,
}

// setSounds compiles the sounds of objects. Sounds of events do not affect the game.
func (c *compiler) setSounds() {
	c.game.Sounds.Move = make([][]Sound, len(c.layers))
	events := map[string]bool{}
	for _, s := range c.source.Sounds {
		if len(s.Words) == 1 {
			c.log.Warnf(s.Line, "incorrect sound declaration.")
			continue
		}
		last := s.Words[len(s.Words)-1]
		if last.Kind != syntax.SoundSeed {
			c.log.Errorf(s.Line, "Expecting sfx data, instead found \"%s\".", last.Text)
		}
		subject := s.Words[0]
		if subject.Kind == syntax.SoundEvent {
			if events[subject.Text] {
				c.log.Warnf(s.Line, "%s already declared.", strings.ToUpper(subject.Text))
			}
			events[subject.Text] = true
			continue
		}
		if c.objectSound(&s, last.Text); c.sounding > setWordsMax {
			return
		}
	}
}

func (c *compiler) objectSound(s *syntax.Sound, seed string) {
	name, verb := s.Words[0].Text, s.Words[1].Text
	if c.aggregates.get(name) != nil {
		c.log.Errorf(s.Line, "cannot assign sound events to aggregate objects (declared with \"and\"), only to regular objects, or properties, things defined in terms of \"or\" (\"%s\").", name)
		return
	}
	mask := c.masks[name]
	if mask == nil {
		c.log.Errorf(s.Line, "Object \"%s\" not found.", name)
		return
	}
	var of Direction
	if len(s.Words) > 3 {
		for _, w := range s.Words[2 : len(s.Words)-1] {
			of |= soundFields[w.Text]
		}
	}
	switch {
	case verb == "action":
		verb, of = "move", Action
	case of == 0:
		of = soundFields["orthogonal"]
	}
	sounds := &c.game.Sounds
	switch verb {
	case "create":
		sounds.Create = append(sounds.Create, Sound{Objects: mask, Seed: seed})
	case "destroy":
		sounds.Destroy = append(sounds.Destroy, Sound{Objects: mask, Seed: seed})
	case "move", "cantmove":
		for _, o := range c.soundObjects(name) {
			sound := Sound{Objects: c.newSet(), Movements: newMovements(len(c.layers)), Seed: seed}
			if c.sounding += len(sound.Objects) + len(sound.Movements); c.sounding > setWordsMax {
				c.log.Errorf(s.Line, "up to this sound, the sounds name too many objects")
				return
			}
			sound.Objects.Add(o.bit())
			sound.Movements.AddField(o.layer, of)
			if verb == "move" {
				sounds.Move[o.layer] = append(sounds.Move[o.layer], sound)
			} else {
				sounds.CantMove = append(sounds.CantMove, sound)
			}
		}
	}
}

// soundObjects returns the objects that a name stands for, if they have a layer.
func (c *compiler) soundObjects(name string) (objects []*placed) {
	if other, ok := c.synonym(name); ok {
		name = other
	}
	names := []string{name}
	if l := c.properties.get(name); l != nil {
		names = l.items
	}
	for _, name := range names {
		if o := c.objects[name]; o != nil && o.layer >= 0 {
			objects = append(objects, o)
		}
	}
	return objects
}
