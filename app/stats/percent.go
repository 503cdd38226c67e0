package stats

import "strconv"

// Percent formats a percentage as "32.3%", with the given number of decimals. If decimals is -1, it
// writes as many as the percentage has.
func Percent(percent float64, decimals int) string {
	return strconv.FormatFloat(percent, 'f', decimals, 64) + "%"
}
