// Package symmetry makes, of a puzzle and a group of its symmetries, the puzzle whose
// states are the representatives of the orbits. A state's weight is the number of
// states of the orbit.
//
// It must never know a family, nor decide which states are symmetric: the family says
// so (puzzle.Symmetries), and package conformance checks what it says. A puzzle is safe
// for concurrent use.
//
// # Moves
//
// A move of the merged puzzle is a move of the other one and then a symmetry, the first
// that maps the result to its representative. Its number is the move's times the number
// of symmetries, plus the symmetry's. In a path that was unfolded the symmetry is the
// identity: such a path is one of the other puzzle.
//
// # Distances
//
// Let a symmetry map the set of starts to itself. Then all states of an orbit have the
// same depth, so the representatives of a layer stand for the layer of the other
// puzzle. The same holds for goals and goal distances. If a family lets symmetries
// move the starts, the space is that of the starts and all their images.
package symmetry
