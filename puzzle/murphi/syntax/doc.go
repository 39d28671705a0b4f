// Package syntax parses the text of a model in the language Murphi to a tree. It
// follows the grammar that CMurphi and Rumur share, with the additional properties of
// Rumur, and one more declaration, goal, which is another word for a cover.
//
// It must never look up a name or a type, nor exceed its bounds: any text yields a
// tree of bounded depth, or a fault with its line and column.
package syntax
