//go:build race

package imports_test

// rowsOfAScaleTest is how many rows tell that memory is bounded. Under the race
// detector, which is many times slower, fewer have to do.
const rowsOfAScaleTest = 2_500
