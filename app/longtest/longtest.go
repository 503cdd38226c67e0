// Package longtest separates a plain run of the tests, which takes minutes, from the
// full run that every change must pass. A plain run leaves out long campaigns (kills,
// power cuts, broken disks, sieges, soaks) and tests that need a browser, a test
// EHR, Litestream or an ACME authority. Each of them says so where it is left out.
// REGISTRY_LONG_TESTS=1 runs everything.
package longtest

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// Variable is the one switch: set to anything, nothing is left out and what a
// test needs has to be there. .ci/run sets it.
const Variable = "REGISTRY_LONG_TESTS"

// Without names, with spaces between, what the machine of a long run has not and
// cannot get, such as "disks" (to mount one takes root) or "corpora". All else
// that is missing is a failure.
const Without = "REGISTRY_LONG_TESTS_WITHOUT"

// On reports whether this is a long run.
func On() bool { return os.Getenv(Variable) != "" }

// Only leaves the rest of a test out of a plain run. what says what is left out.
func Only(t testing.TB, what string) {
	t.Helper()
	if !On() {
		t.Skipf("left out of a plain run: %s; %s=1 runs it", what, Variable)
	}
}

// Lacks reports whether the machine of this run is said to be without something.
func Lacks(what string) bool { return slices.Contains(strings.Fields(os.Getenv(Without)), what) }

// Times is how often something is repeated: a few times in a plain run, which
// says so, and many times in a long one.
func Times(t testing.TB, few, many int, what string) int {
	t.Helper()
	if On() {
		return many
	}
	t.Logf("left out of a plain run: %d of %d %s; %s=1 runs them", many-few, many, what, Variable)
	return few
}

// Needs leaves the rest of a test out of a plain run, and out of a long one on a
// machine that is said to be without what it needs. Where that is missing all the
// same, so that err is not nil, the test fails.
func Needs(t testing.TB, what string, err error) {
	t.Helper()
	Only(t, "what needs "+what)
	switch {
	case err == nil:
	case Lacks(what):
		t.Skipf("left out, as %s says that this machine has no %s: %v", Without, what, err)
	default:
		t.Fatalf("a long run needs %s: %v", what, err)
	}
}
