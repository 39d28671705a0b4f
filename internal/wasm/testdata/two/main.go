// Command two is Sokoban and Sudoku as one WebAssembly module, for comparing modules
// with families of several starts and of keys of several words. It is much smaller than
// the module of all families.
package main

import (
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/sdk/go"
	"github.com/everystate/everystate/puzzle/sokoban"
	"github.com/everystate/everystate/puzzle/sudoku"
)

func init() { sdk.Serve(read) }

func read(text []byte, opts puzzle.ReadOptions) ([]puzzle.Board, error) {
	if boards, err := sudoku.Read(text, opts); err == nil {
		return boards, nil
	}
	return sokoban.Read(text, opts)
}

func main() {}
