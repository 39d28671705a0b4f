// Package puzzletest checks a puzzle against what every puzzle promises and
// against records of known spaces. Only tests import it.
//
// It must never know a family: it sees puzzles through their interfaces alone.
package puzzletest
