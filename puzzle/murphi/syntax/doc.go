// Package syntax reads the text of a model in the language Murphi and makes a tree
// of it. It follows the grammar that CMurphi and Rumur share, with the additional
// properties of Rumur, and has one declaration more, goal, which is another word for
// a cover.
//
// It must never look up a name or a type, nor read more than it bounds: a text of
// any bytes gives a tree of bounded depth or a fault with its line and column.
package syntax
