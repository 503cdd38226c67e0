//go:build !race

package imports_test

import "birthregistry/app/mapping/sheet"

// rowsOfAScaleTest is how many rows tell that memory is bounded.
const rowsOfAScaleTest = sheet.MaxRows
