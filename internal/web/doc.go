// Package web serves a page that shows runs: their progress, the states they have found,
// paths through the space, and the whole space as a picture.
//
// The page is built from src into dist, which is embedded in the program; the page makes
// no requests to other machines. Its content comes as JSON from a [Source]: the runs of
// this machine ([Local]) or those of a coordinator ([Cluster]).
//
// The package must never let a page from elsewhere reach a run: it checks Host and
// Origin of every request, allows no inline script or style, and treats text as data
// only. It reads runs through package query and changes only what Source offers, and
// nothing with Options.ReadOnly.
package web
