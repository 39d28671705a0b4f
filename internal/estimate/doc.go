// Package estimate estimates how many states a puzzle can reach, from a sample.
//
// The first layers are counted exactly, up to a number of states. A space that does
// not end there is estimated in one of these ways:
//
//   - If moves can be undone, the space is an undirected graph. A long random walk visits
//     each state in proportion to its number of moves, wherever it began, so how often
//     walks meet tells how many states there are: capture and recapture, weighted by
//     degree (Katzir, Liberty and Somekh 2011, Hardiman and Katzir 2013).
//   - Otherwise the growth of the layers is extrapolated, which is little more than a
//     guess. (A sample of a layer gives no sample of the next one: states with common
//     predecessors stay together, and are mistaken for the same few.)
//
// Where symmetric states are merged and the others are counted by a formula, walks sample
// the size of an orbit instead, which needs few steps.
//
// The share of all keys that are valid bounds both from above.
//
// The same options give the same estimate of the states. The package must never
// perform I/O, read a clock or stop at a time. The options bound its memory. An
// estimate is never reported as a count: [Estimate.Exact] distinguishes the two.
package estimate
