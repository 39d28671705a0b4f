package game

import (
	"math"
	"strconv"
	"strings"

	"github.com/everystate/everystate/puzzle/puzzlescript/syntax"
)

// palettes are the colour palettes that a game may name, or number from 1.
var palettes = strings.Fields("mastersystem gameboycolour amiga arnecolors famicom atari pastel ega amstrad proteus_mellow proteus_rich proteus_night c64 whitingjp")

func (c *compiler) checkPalette() {
	for _, s := range c.source.Prelude {
		if s.Key != "color_palette" {
			continue
		}
		name := s.Value
		if n, err := strconv.Atoi(name); err == nil && n >= 1 && n <= len(palettes) {
			name = palettes[n-1]
		}
		known := false
		for _, p := range palettes {
			known = known || p == name
		}
		if !known {
			c.log.Errorf(0, "Palette \"%s\" not found, defaulting to arnecolors.", name)
		}
	}
}

// setSettings reads the settings of the prelude.
func (c *compiler) setSettings() {
	has := func(key string) bool {
		_, ok := c.source.Setting(key)
		return ok
	}
	g := c.game
	g.Title, _ = c.source.Setting("title")
	g.Settings = Settings{
		Realtime:     has("realtime_interval"),
		RulesOnStart: has("run_rules_on_level_start"),
		NeedsMove:    has("require_player_movement"),
		NoAction:     has("noaction"),
		NoUndo:       has("noundo"),
		NoRestart:    has("norestart"),
	}
	c.checkSize("flickscreen")
	c.checkSize("zoomscreen")
}

// checkSize checks the size of the visible part of a level.
func (c *compiler) checkSize(key string) {
	value, ok := c.source.Setting(key)
	if !ok {
		return
	}
	line := c.source.PreludeLines[key]
	parts := strings.Split(value, "x")
	if len(parts) != 2 {
		c.log.Warnf(line, "Dimensions must be of the form AxB.")
		return
	}
	understood, positive := true, true
	for _, part := range parts {
		n, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil || n != math.Trunc(n) || math.Abs(n) > math.MaxInt32 {
			c.log.Warnf(line, "Wasn't able to make sense of \"%s\" as a (whole number) dimension.", part)
			understood = false
			continue
		}
		if n <= 0 {
			c.log.Warnf(line, "The dimension given to me (you gave \"%s\") is baad - it should be greater than 0.", part)
			positive = false
		}
	}
	switch {
	case !understood:
		c.log.Warnf(line, "Couldn't understand the dimensions given to me (you gave \"%s\") - should be of the form AxB.", value)
	case !positive:
		c.log.Warnf(line, "The dimensions given to me (you gave \"%s\") are baad - they should be > 0.", value)
	}
}

// checkColours checks the colours of text and background.
func (c *compiler) checkColours() {
	for _, s := range []struct{ key, otherwise string }{{"text_color", "white"}, {"background_color", "black"}} {
		if value, ok := c.source.Setting(s.key); ok && !syntax.IsColour(value) {
			c.log.Errorf(c.source.PreludeLines[s.key], "%s in incorrect format - found %s, but I expect a color name (like 'pink') or hex-formatted color (like '#1412FA').  Defaulting to %s.", s.key, value, s.otherwise)
		}
	}
}

// checkTitle checks whether title and author fit on the title screen. The author is
// dropped first.
func (c *compiler) checkTitle() {
	rows := 5
	has := func(key string) int {
		if _, ok := c.source.Setting(key); ok {
			return 1
		}
		return 0
	}
	if has("noaction")+has("noundo")*has("norestart") > 0 {
		rows++
	}
	title, ok := c.source.Setting("title")
	if !ok {
		title = "PuzzleScript Game"
	}
	titleRows, authorRows := wrapped(spread(title)), 0
	if author, ok := c.source.Setting("author"); ok {
		authorRows = wrapped(spread("by " + author))
	}
	over := titleRows + authorRows - rows
	if over <= 0 {
		return
	}
	if over > authorRows-1 {
		c.log.Warnf(c.source.PreludeLines["title"], "Game title is too long to fit on screen; truncating to fit.")
	}
	if authorRows > 1 {
		c.log.Warnf(c.source.PreludeLines["author"], "Author name is too long to fit on screen; truncating to fit.")
	}
}

// spread puts a blank after each character that is two columns wide: those that the
// language's font lacks.
func spread(text string) string {
	const wide = 0x2e80
	var b strings.Builder
	for _, r := range text {
		b.WriteRune(r)
		if r >= wide {
			b.WriteByte(' ')
		}
	}
	return b.String()
}
