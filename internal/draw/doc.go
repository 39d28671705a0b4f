// Package draw makes pictures: boards, solutions, contact sheets, cards, plots
// and state graphs, as SVG, PNG, PDF and GIF. Everything becomes a [Scene] of
// shapes first, and every format is written from that, so that they look alike.
//
// The package must never read a file, a clock or a run, nor decide anything by
// chance: the same input gives the same bytes. Text from outside is escaped, and
// what it is given bounds what it allocates. It is safe for concurrent use.
package draw
