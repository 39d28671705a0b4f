// Package murphi reads models in the language Murphi as puzzles. Package syntax below
// it reads the language, and machine compiles and runs it; this one makes keys of the
// variables and a goal of the claims.
//
// A state is a value for each variable, or no value where that is possible. A move is
// a rule, with values for its parameters, whose guard holds; one that changes nothing
// is not a move. Goal states are those of the goals that the model declares or, in a
// model without any, those that break an invariant: a solution is then a shortest
// counterexample. Invariants that are not the goal must hold: a state that breaks one
// makes the puzzle fail, as an error of a rule does.
//
// It must never merge states by the symmetry of a scalarset, which is read as a range.
package murphi
