//go:build !linux

package testmain

func found() string { return "" }
