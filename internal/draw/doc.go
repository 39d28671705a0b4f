// Package draw makes pictures: boards, solutions, contact sheets, cards, plots and
// state graphs, as SVG, PNG, PDF and GIF. Everything first becomes a [Scene] of
// shapes, from which every format is written, so that they look alike.
//
// The package must never read a file, a clock or a run, nor use randomness: the same
// input gives the same bytes. Text from outside is escaped, and the size of the input
// bounds allocation. It is safe for concurrent use.
package draw
