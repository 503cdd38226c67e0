package views

import "github.com/dustin/go-humanize"

// Number writes a whole number with commas between thousands: "4,340".
func Number(n int) string { return humanize.Comma(int64(n)) }

// Count writes a number with its noun: "1 birth", "4,340 births".
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Number(n) + " " + many
}
