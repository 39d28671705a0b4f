// Package estimate says about how many states a puzzle can reach, from a sample.
//
// The first layers are counted exactly, up to a number of states. What does not end
// there is estimated in one of two ways:
//
//   - A space whose moves can be taken back is an undirected graph. A long random walk
//     in it visits states as often as they have moves, whatever it began with, so that
//     how often walks meet says how many states there are: capture and recapture,
//     weighted by degree (Katzir, Liberty and Somekh 2011, Hardiman and Katzir 2013).
//   - Otherwise the growth of the layers is carried on, which is little more than a
//     guess. (A sample of a layer gives none of the next: states with common
//     predecessors stay together, and are taken for the same few.)
//
// The share of all keys that are valid bounds both from above.
//
// The same options give the same estimate of the states. Nothing here performs I/O,
// looks at a clock or stops at a time, and memory is bounded by the options; an estimate is
// never reported as a count: [Estimate.Exact] says which it is.
package estimate
