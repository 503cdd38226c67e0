package stats

import "strconv"

// Percent formats a percentage as "32.3%", with this many decimals, or with all that it has if
// decimals is -1.
func Percent(percent float64, decimals int) string {
	return strconv.FormatFloat(percent, 'f', decimals, 64) + "%"
}
