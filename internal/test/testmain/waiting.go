package testmain

import (
	"flag"
	"runtime"
	"strconv"
	"testing"
)

// Waiting is Main for packages whose tests wait for processes, clusters and timers most
// of their time: twice as many of its parallel tests run at a time as there are
// processors, unless -parallel says how many.
func Waiting(m *testing.M) int {
	flag.Parse()
	if f := flag.Lookup("test.parallel"); f.Value.String() == f.DefValue {
		if err := f.Value.Set(strconv.Itoa(2 * runtime.GOMAXPROCS(0))); err != nil {
			panic(err)
		}
	}
	return Main(m)
}
