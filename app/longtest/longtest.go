// Package longtest separates two kinds of test runs. A plain run takes minutes. A long run has all
// tests, and every change must pass it. REGISTRY_LONG_TESTS=1 makes a run long. A plain run leaves
// out tests that take long (kills, power cuts, broken disks, floods of requests, hours of load) and
// tests that need a browser, a test EHR, Litestream or an ACME authority. A test that is left out
// logs that it is.
package longtest

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// Variable is the environment variable that switches to a long run. If it is set to anything, no
// test is left out, and everything that a test needs must be there, except what Without lists.
// .ci/run sets it.
const Variable = "REGISTRY_LONG_TESTS"

// Without is the environment variable that lists, separated by spaces, what the machine of a
// long run doesn't have, such as "disks" (mounting one takes root) or "corpora". Anything else
// that is missing is a failure.
const Without = "REGISTRY_LONG_TESTS_WITHOUT"

// On reports whether this is a long run.
func On() bool { return os.Getenv(Variable) != "" }

// Only skips the rest of a test in a plain run, and logs the name of the part that is left out.
func Only(t testing.TB, what string) {
	t.Helper()
	if !On() {
		t.Skipf("left out of a plain run: %s; %s=1 runs it", what, Variable)
	}
}

// Lacks reports whether Without lists something as missing on this machine.
func Lacks(what string) bool { return slices.Contains(strings.Fields(os.Getenv(Without)), what) }

// Times returns how many times a test repeats something: many times in a long run, and only a few
// in a plain run. In a plain run, it logs how many are left out.
func Times(t testing.TB, few, many int, what string) int {
	t.Helper()
	if On() {
		return many
	}
	t.Logf("left out of a plain run: %d of %d %s; %s=1 runs them", many-few, many, what, Variable)
	return few
}

// Some returns all cases in a long run. In a plain run it returns a few, spread over the list and
// including the last, and logs how many it leaves out.
func Some[T any](t testing.TB, few int, all []T, what string) (some []T) {
	t.Helper()
	if len(all) <= few {
		return all
	}
	few = Times(t, few, len(all), what)
	for n := range all {
		if n*few/len(all) < (n+1)*few/len(all) {
			some = append(some, all[n])
		}
	}
	return some
}

// Needs skips the rest of a test in a plain run. what names a thing that the test needs, such as
// "disks". In a long run, a non-nil err means that this thing is missing. Then the test is skipped
// if Without lists what, and fails otherwise.
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
