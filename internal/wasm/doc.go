// Package wasm makes a puzzle of a WebAssembly module, which anybody may have
// written in any language. docs/WASM.md describes what a module exports.
//
// A module gets nothing but the text of a board: no file, no network, no clock and
// no randomness. What its toolchain asks for of these is there and answers the same
// always, or with an error. Its memory is bounded, and so is the number of steps of
// a call, which package meter counts.
//
// What a module answers is checked: cheaply all the time, and for a state now and
// then in depth. A module that traps, takes too many steps or answers what cannot be
// is not asked again. Its puzzle then has no successors, no goals and no texts, and
// says why when it is asked for [puzzle.Failing]; whoever explores must ask before
// it believes an answer.
//
// The package must never believe a module, and never let one module's fault reach
// another puzzle. A puzzle is safe for concurrent use: each call has an instance of
// the module for itself.
package wasm
