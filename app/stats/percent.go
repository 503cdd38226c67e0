package stats

import "strconv"

// Percent formats a percentage, such as "32.3%", with the given number of decimals. If decimals is
// -1, Percent writes all decimals that the number has.
func Percent(percent float64, decimals int) string {
	return strconv.FormatFloat(percent, 'f', decimals, 64) + "%"
}
