// Package playable writes a run as one HTML file that can be played without the program
// and without a network: the board, the distance to the goal after every move, the
// solution, and the state graph. The page in it is made of the same parts as that of
// `everystate serve` (internal/web/src/playable.ts).
//
// The file holds the whole state graph, so it needs no rules of any puzzle. The package
// asks a run and opens nothing; the file is the same every time. A run of which the file
// would lack something - states, goals or their distances - is refused.
package playable
