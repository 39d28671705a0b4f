package boards

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/internal/wasm"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

// ModuleHelp describes --puzzle.
const ModuleHelp = "the `PUZZLE`: a name (see puzzles), or a WebAssembly module with its rules (docs/WASM.md)"

// Reader reads all boards of a text.
type Reader func(text []byte, opts puzzle.ReadOptions) ([]puzzle.Board, error)

// ReaderOf returns the reader of boards: the families, with the headers given by flags,
// or a module if one is given.
func ReaderOf(cmd *cobra.Command, module, notation string, headers []families.Header) (Reader, error) {
	if f, ok := families.ByName(module); ok {
		headers = append([]families.Header{{Key: "puzzle", Value: f.Name}}, headers...)
		module = ""
	}
	if module == "" {
		return func(text []byte, opts puzzle.ReadOptions) ([]puzzle.Board, error) {
			boards, err := families.ReadWith(text, headers, opts)
			return boards, meantNotation(err, opts.Notation)
		}, nil
	}
	switch {
	case notation != "":
		return nil, exit.Usagef(cmd, "--notation works only with built-in puzzles: a module has its own notation")
	case len(headers) > 0:
		return nil, exit.Usagef(cmd, "--%s works only with built-in puzzles", headers[0].Key)
	}
	if _, err := os.Stat(module); errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(module, `./\`) {
		return nil, exit.Usagef(cmd, "--puzzle %s: no puzzle has this name, and no module is there%s", module, MeantFamily(module))
	}
	bytes, err := ReadModule(module)
	if err != nil {
		return nil, err
	}
	return ModuleReader(bytes, filepath.Base(module)), nil
}

// meantNotation adds the nearest name to an error if the notation that was asked for is
// that of no puzzle.
func meantNotation(err error, notation string) error {
	if err == nil || notation == "" || slices.Contains(NotationNames(), notation) {
		return err
	}
	return fmt.Errorf("%w%s", err, shell.Meant(notation, NotationNames()))
}

// ModuleReader returns a reader that reads a board by the rules of a module.
func ModuleReader(module []byte, name string) Reader {
	return func(text []byte, opts puzzle.ReadOptions) ([]puzzle.Board, error) {
		b, err := wasm.Open(module, string(text), wasm.Options{Name: name, Metric: opts.Metric})
		if err != nil {
			return nil, moduleError{err}
		}
		return []puzzle.Board{b}, nil
	}
}

// moduleError is what a module says of a text, of which nobody else knows the notation.
type moduleError struct{ error }

func (f moduleError) Unwrap() error { return f.error }

// ReadModule reads the file of a module.
func ReadModule(path string) (module []byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, exit.Refused(Placed(path, err))
	}
	defer func() { err = cmp.Or(err, f.Close()) }()
	module, err = io.ReadAll(io.LimitReader(f, wasm.ModuleBytesMax+1))
	if err != nil {
		return nil, exit.Refused(Placed(path, err))
	}
	return module, nil
}
