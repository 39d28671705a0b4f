// Package world is placeholder
package world
