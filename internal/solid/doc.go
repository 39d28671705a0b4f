// Package solid finds out which solid a puzzle of moves is, and describes it so that it
// can be drawn and turned: the cubes of 2 to 5 layers, the Pyraminx, the Skewb, the Dino
// Cube, the face-turning octahedron, the Kilominx, the Megaminx and Square-1.
//
// A body is cut out of planes, not looked up: its faces bound it, and planes across its
// axes divide it into layers and its surface into facelets. A turn of some layers
// permutes the facelets. A puzzle is such a body if its moves act on its pieces as turns
// act on facelets; nothing depends on names, except which of several equal answers is
// given. A puzzle that is none of the bodies has no shape.
//
// Floating-point numbers only ever decide which facelet lies where; facelets are at least
// a thousand times farther apart than rounding errors. The package keeps no state and may
// be used concurrently.
package solid
