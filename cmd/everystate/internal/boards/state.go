package boards

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/puzzle"
)

// State reads a state: the argument itself, or if it is none, what is in the file of
// that name, or in standard input for "-".
func State(env *shell.Env, p puzzle.Puzzle, arg string) ([]uint64, error) {
	key, fault := p.Parse(arg)
	if fault == nil {
		return key, nil
	}
	label, text, err := "STATE", []byte(nil), fault
	if arg == "-" {
		label = "standard input"
		text, err = io.ReadAll(io.LimitReader(env.In, inputBytesMax))
	} else if info, missing := os.Stat(arg); missing == nil && !info.IsDir() {
		label = arg
		text, err = readFile(arg)
	}
	if err == nil {
		key, err = p.Parse(string(text))
	}
	if errors.Is(err, context.Canceled) {
		return nil, err
	}
	if err != nil {
		return nil, exit.Refused(Placed(label, err))
	}
	return key, nil
}
