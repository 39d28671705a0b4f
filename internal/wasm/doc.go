// Package wasm makes a puzzle of a WebAssembly module, which may come from anyone and
// be written in any language. docs/WASM.md describes what a module exports.
//
// A module gets nothing but the text of a board: no file, no network, no clock and no
// randomness. The imports of these that its toolchain needs exist, and give fixed
// answers or errors. Its memory is bounded, and so is the number of steps of a call,
// which package meter counts.
//
// A module's answers are checked: cheaply all the time, and for an occasional state
// in depth. A module that traps, takes too many steps or gives an impossible answer
// is not called again. Its puzzle then has no successors, no goals and no texts, and
// gives the reason through [puzzle.Failing]; a caller must ask for it before
// believing an answer.
//
// The package must never trust a module, and never let one module's fault reach
// another puzzle. A puzzle is safe for concurrent use: each call has its own instance
// of the module.
package wasm
