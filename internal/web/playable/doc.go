// Package playable writes a run as one HTML file that can be played without the program
// and without a network: the board, the goal distance after every move, the solution,
// and the state graph. Its page is built from the same parts as that of `everystate
// serve` (internal/web/src/playable.ts).
//
// The file holds the whole state graph, so it needs no rules of any puzzle. The package
// must never open a run; its caller does. The file is the same every time. A run for
// which the file would lack something - states, goals or their distances - is refused.
package playable
