package storetest

import (
	"flag"
	"runtime"
	"strconv"
)

// fewest is how many parallel tests of a package run at a time at least.
const fewest = 4

// ManyAtOnce lets several parallel tests of a package run at a time on a machine with few
// processors, unless -parallel states how many: many of them wait for a clock, for the disk or for
// another process. Call it in TestMain.
func ManyAtOnce() {
	flag.Parse()
	stated := false
	flag.Visit(func(f *flag.Flag) { stated = stated || f.Name == "test.parallel" })
	if stated {
		return
	}
	if err := flag.Set("test.parallel", strconv.Itoa(max(fewest, runtime.GOMAXPROCS(0)))); err != nil {
		panic(err) // package testing defines the flag
	}
}
