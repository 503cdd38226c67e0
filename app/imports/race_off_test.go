//go:build !race

package imports_test

import "birthregistry/app/mapping/sheet"

// rowsOfAScaleTest is the number of rows that show that memory is bounded.
const rowsOfAScaleTest = sheet.MaxRows
