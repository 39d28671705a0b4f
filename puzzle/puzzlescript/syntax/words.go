package syntax

import (
	"slices"
	"strings"
)

// wordMax is more than the characters of any name of a section or colour: only so much
// of a line is compared with them at each word.
const wordMax = 32

func words(list string) []string { return strings.Fields(list) }

// The words with a meaning in some section.
var (
	sectionNames = words("objects legend sounds collisionlayers rules winconditions levels")

	settingsWithValue = words("title author homepage background_color text_color key_repeat_interval realtime_interval again_interval flickscreen zoomscreen color_palette youtube")
	settingsWithout   = words("run_rules_on_level_start norepeat_action require_player_movement debug verbose_logging throttle_movement noundo noaction norestart scanline")

	soundVerbs      = words("move action create destroy cantmove")
	soundEvents     = words("undo restart titlescreen startgame cancel endgame startlevel endlevel showmessage closemessage sfx0 sfx1 sfx2 sfx3 sfx4 sfx5 sfx6 sfx7 sfx8 sfx9 sfx10")
	soundDirections = words("up down left right horizontal vertical orthogonal")

	ruleDirections = words("up down left right horizontal vertical orthogonal late rigid")
	cellDirections = words("action up down left right ^ v < > moving stationary parallel perpendicular horizontal orthogonal vertical no randomdir random")
	commands       = words("sfx0 sfx1 sfx2 sfx3 sfx4 sfx5 sfx6 sfx7 sfx8 sfx9 sfx10 cancel checkpoint restart win message again")

	colourNames = words("black white gray darkgray lightgray grey darkgrey lightgrey red darkred lightred brown darkbrown lightbrown orange yellow green darkgreen lightgreen blue lightblue darkblue purple pink transparent")

	// An object may be called checkpoint, which was not always a keyword.
	keywords = words("objects collisionlayers legend sounds rules ... winconditions levels | [ ] up down left right late rigid ^ v > < no randomdir random horizontal vertical any all some moving stationary parallel perpendicular action message move create destroy cantmove sfx0 sfx1 sfx2 sfx3 sfx4 sfx5 sfx6 sfx7 sfx8 sfx9 sfx10 cancel restart win again undo titlescreen startgame endgame startlevel endlevel showmessage closemessage")
)

// IsCommand reports whether a word of a rule is a command.
func IsCommand(word string) bool { return slices.Contains(commands, word) }

// IsColour reports whether a text is a colour: a name, or "#" and three or six
// hexadecimal digits.
func IsColour(text string) bool {
	text = strings.TrimSpace(text)
	if digits, hex := strings.CutPrefix(text, "#"); hex {
		return (len(digits) == 3 || len(digits) == 6) && strings.Trim(strings.ToLower(digits), "0123456789abcdef") == ""
	}
	return slices.Contains(colourNames, text)
}
