// esbuild, which bundles the page, in a module of its own: nothing that is built
// into the program comes with it.
module github.com/everystate/everystate/tools/web

go 1.26

tool github.com/evanw/esbuild/cmd/esbuild

require (
	github.com/evanw/esbuild v0.28.2 // indirect
	golang.org/x/sys v0.0.0-20220715151400-c0bba94af5f8 // indirect
)
