// Package web serves a page on which people look at runs: how far they are, the
// states that they have found, ways through the space, and the whole space as a
// picture.
//
// The page is built from src into dist, which is part of the program: it needs
// no other machine, and none is ever asked for anything. What it shows comes as
// JSON from a [Source]: the runs of this machine ([Local]) or those of a
// coordinator ([Cluster]).
//
// The package must never let a page of somebody else reach a run: it checks Host
// and Origin of every request, allows no inline script or style, and hands out
// text as data only. It reads runs through package query and changes nothing but
// what Source offers, and with Options.ReadOnly not even that.
package web
