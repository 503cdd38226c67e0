package stats_test

import (
	"fmt"

	"birthregistry/app/stats"
)

// A share has an interval, and is compared with a published share only where the
// interval is clear of it.
func ExampleCompare() {
	cesareans := stats.Tally{Yes: 12, Known: 120, Missing: 3, Base: 123}
	within := cesareans.Interval()
	fmt.Printf("%.0f %% (%.0f to %.0f %%)\n", 100*cesareans.Share(), 100*within.Low, 100*within.High)
	fmt.Println(stats.Compare(cesareans, 0.32))
	fmt.Println(stats.Compare(stats.Tally{Yes: 2, Known: 20, Base: 20}, 0.32))
	// Output:
	// 10 % (6 to 17 %)
	// lower than the reference
	// too few to compare
}
