package syntax

import "strings"

// soundToken parses a word of a sound: an event and a number, or an object, a verb,
// directions if the verb has them, and a number.
func (p *parser) soundToken() {
	w := p.sound
	switch {
	case len(w) > 0 && w[len(w)-1].Kind == SoundFault:
		p.skipSound()
	case len(w) == 0:
		p.soundSubject()
	case len(w) == 1 && w[0].Kind == SoundEvent:
		if seed, ok := p.cur.seed(); ok {
			p.heard(seed, SoundSeed)
		} else {
			p.cur.fallback()
			p.soundFault("Was expecting a sound seed here (a number like 123123, like you generate by pressing the buttons above the console panel), but found something else.")
		}
	case len(w) == 1:
		if verb, ok := p.cur.word(soundVerbs, ascii); ok {
			p.heard(verb, SoundVerb)
		} else {
			p.cur.fallback()
			p.soundFault("Was expecting a soundverb here (MOVE, DESTROY, CANTMOVE, or the like), but found something else.")
		}
	default:
		p.soundRest(w)
	}
	if p.cur.end() {
		p.soundLine()
	}
}

func (p *parser) heard(text string, kind SoundKind) { p.sound = append(p.sound, SoundWord{text, kind}) }

func (p *parser) soundFault(format string, args ...any) {
	p.errorf(format, args...)
	p.heard("", SoundFault)
}

// skipSound skips a word of a line that already has a fault.
func (p *parser) skipSound() {
	if _, ok := p.cur.word(soundEvents, ascii); ok {
		return
	}
	if _, ok := p.cur.word(soundVerbs, ascii); ok {
		return
	}
	if _, ok := p.cur.word(soundDirections, letter); ok {
		return
	}
	p.cur.seed()
	if _, ok := p.cur.take(letter); !ok {
		p.cur.fallback()
	}
}

func (p *parser) soundSubject() {
	if event, ok := p.cur.word(soundEvents, ascii); ok {
		p.heard(event, SoundEvent)
		return
	}
	name, ok := p.cur.take(letter)
	if !ok {
		p.cur.fallback()
		p.heard("", SoundFault)
		p.warnf("Was expecting a sound event (like SFX3, or ENDLEVEL) or an object name, but didn't find either.")
		return
	}
	if _, known := p.Declared(name); !known {
		p.soundFault("unexpected sound token \"%s\".", name)
		return
	}
	p.heard(name, SoundName)
}

// soundRest parses what comes after the second word.
func (p *parser) soundRest(w []SoundWord) {
	last := strings.ToUpper(w[len(w)-1].Text)
	if w[0].Kind == SoundEvent || w[len(w)-1].Kind == SoundSeed {
		p.soundFault("I wasn't expecting anything after the sound declaration %s on this line, so I don't know what to do with \"%s\" here.", last, strings.ToUpper(p.cur.fallback()))
		return
	}
	directional := w[1].Text == "move" || w[1].Text == "cantmove"
	if directional {
		if direction, ok := p.cur.word(soundDirections, letter); ok {
			p.heard(direction, SoundDirection)
			return
		}
	}
	if seed, ok := p.cur.seed(); ok {
		p.heard(seed, SoundSeed)
		return
	}
	what := "a sound seed"
	if directional {
		what = "direction or a sound seed"
	}
	p.soundFault("Ah I was expecting %s here after %s, but I don't know what to make of \"%s\".", what, last, strings.ToUpper(p.cur.fallback()))
}

func (p *parser) soundLine() {
	if n := len(p.sound); n > 0 && p.sound[n-1].Kind != SoundFault {
		p.Sounds = append(p.Sounds, Sound{p.sound, p.line})
	}
}
