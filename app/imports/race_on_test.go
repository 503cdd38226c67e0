//go:build race

package imports_test

// rowsOfAScaleTest is the number of rows that show that memory is bounded. It is smaller here
// because the race detector makes everything many times slower.
const rowsOfAScaleTest = 2_500
