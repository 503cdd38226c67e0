package stats

import "strconv"

// Percent writes a number of percent as Americans do, with so many decimals, or with as many
// as it has for -1: "32.3%".
func Percent(percent float64, decimals int) string {
	return strconv.FormatFloat(percent, 'f', decimals, 64) + "%"
}
