package stats_test

import (
	"fmt"

	"birthregistry/app/stats"
)

// A share has an interval. It differs from a published share only if the interval excludes
// that share.
func ExampleCompare() {
	cesareans := stats.Tally{Yes: 12, Known: 120, Missing: 3, Base: 123}
	within := cesareans.Interval()
	fmt.Printf("%s (%s to %s)\n", stats.Percent(100*cesareans.Share(), 0), stats.Percent(100*within.Low, 0), stats.Percent(100*within.High, 0))
	fmt.Println(stats.Compare(cesareans, 0.32))
	fmt.Println(stats.Compare(stats.Tally{Yes: 2, Known: 20, Base: 20}, 0.32))
	// Output:
	// 10% (6% to 17%)
	// lower than the reference
	// too few to compare
}
