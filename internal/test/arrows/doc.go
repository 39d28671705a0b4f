// Package arrows holds the import rules of this module, as a test.
//
// The rules are the rows of the table in arrows_test.go. Each says which
// packages it binds, what those may or may not import, why, and one import that
// would break it: the test first shows that every row catches its own example,
// then holds all rows against the tree. The sources are parsed, not built, so
// that a file counts whatever its build constraints say.
//
// The package has no code of its own and nothing imports it.
package arrows
