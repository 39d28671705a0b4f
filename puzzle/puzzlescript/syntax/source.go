package syntax

import (
	"cmp"
	"slices"
	"strconv"
)

// Source is a parsed game.
type Source struct {
	Prelude      []Setting
	PreludeLines map[string]int

	objects map[string]*Object
	order   []*Object
	entries [entryKinds]map[string]*Entry // the first entry of each name

	Synonyms   []Entry // with one item
	Aggregates []Entry // "and"
	Properties []Entry // "or"

	Sounds     []Sound
	Layers     [][]string
	Rules      []Line
	Conditions []Condition
	Levels     []Level

	// Names are the words that rules and win conditions may use.
	Names map[string]bool

	// BackgroundLine is the line where the legend defines the background, or NoLine.
	BackgroundLine int
}

// Setting is a line of the prelude.
type Setting struct{ Key, Value string }

// Object is an entry in the section of objects.
type Object struct {
	Name    string
	Line    int
	Colours []string
	Sprite  []string // rows of digits and dots
}

// Entry is a line of the legend, or a synonym of an object.
type Entry struct {
	Name  string
	Items []string
	Line  int
}

// entryKind is the list that an entry belongs to.
type entryKind uint8

const (
	synonyms entryKind = iota
	aggregates
	properties
	entryKinds
)

// add adds an entry to its list.
func (s *Source) add(kind entryKind, e Entry) {
	list := [...]*[]Entry{&s.Synonyms, &s.Aggregates, &s.Properties}[kind]
	*list = append(*list, e)
	if s.entries[kind] == nil {
		s.entries[kind] = map[string]*Entry{}
	}
	if s.entries[kind][e.Name] == nil {
		s.entries[kind][e.Name] = &e
	}
}

// Sound is a line in the section of sounds.
type Sound struct {
	Words []SoundWord
	Line  int
}

// SoundWord is a word of a sound, with its kind.
type SoundWord struct {
	Text string
	Kind SoundKind
}

// SoundKind is the kind of a word of a sound.
type SoundKind uint8

// The kinds of words of a sound.
const (
	SoundFault SoundKind = iota
	SoundEvent
	SoundName
	SoundVerb
	SoundDirection
	SoundSeed
)

// Line is a line of a rule: in lower case up to its comment, and as written.
type Line struct {
	Number   int
	Text     string
	Original string
}

// Condition is a line of a win condition.
type Condition struct {
	Words []string
	Line  int
}

// Level is a level, or a message between levels.
type Level struct {
	Line      int
	Rows      []string
	Message   string
	IsMessage bool
}

// Objects returns the objects in the order in which the reference visits them: names
// that are numbers first, by number, then the others in order of definition.
func (s *Source) Objects() []*Object {
	list := slices.Clone(s.order)
	slices.SortStableFunc(list, func(a, b *Object) int {
		x, numberX := index(a.Name)
		y, numberY := index(b.Name)
		switch {
		case numberX && numberY:
			return cmp.Compare(x, y)
		case numberX:
			return -1
		case numberY:
			return 1
		}
		return 0
	})
	return list
}

// index reports whether a name is a number without leading zeros.
func index(name string) (uint64, bool) {
	n, err := strconv.ParseUint(name, 10, 32)
	return n, err == nil && strconv.FormatUint(n, 10) == name
}

// Declared returns the line in which a name is defined.
func (s *Source) Declared(name string) (line int, ok bool) {
	if o := s.objects[name]; o != nil {
		return o.Line, true
	}
	for _, kind := range []entryKind{aggregates, properties, synonyms} {
		if e := s.entries[kind][name]; e != nil {
			return e.Line, true
		}
	}
	return 0, false
}

// Kind is the kind of a name.
type Kind uint8

// The kinds of names.
const (
	Undeclared Kind = iota
	IsObject
	IsAggregate
	IsProperty
)

// lookupDepthMax bounds a chain of synonyms, which may be a cycle in a faulty game.
const lookupDepthMax = 100

// Lookup follows synonyms to what a name stands for. The entry is that of an aggregate
// or property.
func (s *Source) Lookup(name string) (Kind, string, *Entry) {
	for range lookupDepthMax {
		if s.objects[name] != nil {
			return IsObject, name, nil
		}
		e := s.entries[synonyms][name]
		if e == nil {
			break
		}
		name = e.Items[0]
	}
	if e := s.entries[aggregates][name]; e != nil {
		return IsAggregate, name, e
	}
	if e := s.entries[properties][name]; e != nil {
		return IsProperty, name, e
	}
	return Undeclared, name, nil
}

// Setting returns the last value of a key of the prelude.
func (s *Source) Setting(key string) (value string, ok bool) {
	for _, p := range s.Prelude {
		if p.Key == key {
			value, ok = p.Value, true
		}
	}
	return value, ok
}
