//go:build !race

package intake

// rowsOfAScaleTest is how many rows tell that memory is bounded.
const rowsOfAScaleTest = 50_000
