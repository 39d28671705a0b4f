// Package testmain runs the tests of packages that make many files or much garbage, or that
// wait for processes, within the time that a test run has. It decides nothing about what they
// test.
package testmain
