package storetest

import (
	"flag"
	"runtime"
	"strconv"
)

// fewest is the minimum number of parallel tests of a package that may run at the same time.
const fewest = 4

// ManyAtOnce lets several parallel tests of a package run at the same time, even on a machine with
// few processors, because many tests wait for a clock, for the disk or for another process. It does
// nothing if the flag -parallel is set. It is meant to be called in TestMain.
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
