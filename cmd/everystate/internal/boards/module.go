package boards

import (
	"cmp"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/internal/wasm"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

// ModuleHelp describes --puzzle.
const ModuleHelp = "take the rules of the puzzle from the WebAssembly module `MODULE` (docs/WASM.md)"

// Reader reads all boards of a text.
type Reader func(text []byte, opts puzzle.ReadOptions) ([]puzzle.Board, error)

// ReaderOf returns what reads boards: the families, or a module if one is given.
func ReaderOf(cmd *cobra.Command, module, notation string) (Reader, error) {
	if module == "" {
		return families.Read, nil
	}
	if notation != "" {
		return nil, exit.Usagef(cmd, "--notation works only with built-in puzzles: a module has its own notation")
	}
	bytes, err := ReadModule(module)
	if err != nil {
		return nil, err
	}
	return ModuleReader(bytes, filepath.Base(module)), nil
}

// ModuleReader returns what reads a board by the rules of a module.
func ModuleReader(module []byte, name string) Reader {
	return func(text []byte, opts puzzle.ReadOptions) ([]puzzle.Board, error) {
		b, err := wasm.Open(module, string(text), wasm.Options{Name: name, Metric: opts.Metric})
		if err != nil {
			return nil, err
		}
		return []puzzle.Board{b}, nil
	}
}

// ReadModule reads the file of a module.
func ReadModule(path string) (module []byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, exit.Errorf(exit.Usage, "%s", Placed(path, err))
	}
	defer func() { err = cmp.Or(err, f.Close()) }()
	module, err = io.ReadAll(io.LimitReader(f, wasm.ModuleBytesMax+1))
	if err != nil {
		return nil, exit.Errorf(exit.Usage, "%s", Placed(path, err))
	}
	return module, nil
}
