//go:build !race

package imports_test

// rowsOfAScaleTest is how many rows tell that memory is bounded.
const rowsOfAScaleTest = 50_000
