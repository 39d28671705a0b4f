// Package history describes a run: what it explores (Spec), how far it should go
// (Want), and what has been committed (History), layer by layer. Code that queries,
// shows or stores a run needs this package and no coordinator.
//
// It holds facts and checks that each follows from those before it. It must never
// decide what happens next, which package core does, nor know how facts are stored,
// which package journal does. A History is not safe for concurrent use.
package history
