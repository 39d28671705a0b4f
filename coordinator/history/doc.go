// Package history is what a run is: what it explores (Spec), how far it should go
// (Want), and what of it has been committed (History), layer by layer. Whoever asks
// about a run, shows it or stores it needs this package and no coordinator.
//
// It holds facts and checks that each follows from those before it. It must never
// decide what happens next, which is package core's, nor know how facts are stored,
// which is package journal's. A History is not safe for concurrent use.
package history
