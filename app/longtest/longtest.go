// Package longtest separates two kinds of test runs. A plain run takes minutes. A long run has all
// tests, and every change must pass it. REGISTRY_LONG_TESTS=1 makes a run long.
//
// A plain run leaves out tests that take long: kills, power cuts, broken disks, floods of requests
// and hours of load. It also leaves out tests that need a browser, a test EHR, Litestream or an
// ACME authority. Each test that is left out logs this.
package longtest

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// Variable is the environment variable that makes a run long. It may have any value. A long run
// leaves out no test, and everything that a test needs must be on the machine, except what Without
// lists. .ci/run sets Variable.
const Variable = "REGISTRY_LONG_TESTS"

// Without is an environment variable for long runs. It lists, separated by spaces, what the machine
// lacks, such as "disks" (mounting a disk takes root) or "corpora". If anything else is missing,
// the test that needs it fails.
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

// Lacks reports whether this machine lacks something according to Without.
func Lacks(what string) bool { return slices.Contains(strings.Fields(os.Getenv(Without)), what) }

// Times returns how many times a test should repeat something: many times in a long run, and few
// times in a plain run. In a plain run, it also logs how many repetitions are left out. what names
// them in the log.
func Times(t testing.TB, few, many int, what string) int {
	t.Helper()
	if On() {
		return many
	}
	t.Logf("left out of a plain run: %d of %d %s; %s=1 runs them", many-few, many, what, Variable)
	return few
}

// Some returns all cases in a long run. In a plain run, it returns about as many as few states: the
// last case, and others spread evenly over the list. It then logs how many cases it leaves out.
// what names the cases in the log.
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

// Needs is for a test that needs something. what names it, such as "disks". err is nil if the
// machine has it. In a plain run, Needs skips the rest of the test. In a long run with an error, it
// skips the rest of the test if Without lists what, and fails the test otherwise.
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
