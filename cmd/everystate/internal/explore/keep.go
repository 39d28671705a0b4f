package explore

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/coordinator/history"
)

// keepFlag is the flag --keep. Without it, keep is nil.
type keepFlag struct{ keep *history.Keep }

func (f *keepFlag) String() string {
	if f.keep == nil {
		return ""
	}
	return f.keep.String()
}

// Set parses the flag.
func (f *keepFlag) Set(text string) error {
	word, rest, more := strings.Cut(text, ",")
	switch {
	case word == "all" && !more:
		f.keep = &history.Keep{}
		return nil
	case word != "frontier":
		return errors.New("must be all, or frontier and the depths of layers to keep, such as frontier,3,7" + shell.Meant(word, keepWords()))
	}
	keep := history.Keep{Frontier: true}
	var named []uint32
	for more {
		word, rest, more = strings.Cut(rest, ",")
		depth, err := strconv.ParseUint(word, 10, 32)
		if err != nil || depth == math.MaxUint32 {
			return fmt.Errorf("%q is not the depth of a layer", word)
		}
		named = append(named, uint32(depth))
	}
	if len(named) > history.DepthsMax {
		return fmt.Errorf("names %d layers: at most %d", len(named), history.DepthsMax)
	}
	keep.Named = history.DepthsOf(named)
	f.keep = &keep
	return nil
}

// Type returns the name of the value in help.
func (f *keepFlag) Type() string { return "LAYERS" }

// keepWords returns the words that --keep may begin with.
func keepWords() []string { return []string{"all", "frontier"} }
