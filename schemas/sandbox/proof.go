package sandbox

import (
	"fmt"
	"os"
	"testing"
)

// ProofsEnabled reports whether the caller of the tests asked for long tests (some seconds and more), as make proofs
// and CI do.
func ProofsEnabled() bool { return os.Getenv("HANDOFF_PROOFS") != "" }

// SkipUnlessProofs skips the calling test from here on, unless long tests were asked for. A test calls it before a part
// that takes some seconds or more.
func SkipUnlessProofs(t testing.TB) {
	t.Helper()
	if !ProofsEnabled() {
		t.Skip(skipReason)
	}
}

// Repetitions returns how often to repeat a test that depends on chance: n times if long tests were asked for, else a
// tenth of n.
func Repetitions(n int) int {
	if ProofsEnabled() {
		return n
	}
	return max(1, n/10)
}

// SkipPackageUnlessProofs reports whether a TestMain should skip all tests of its package, because long tests were not
// asked for. If it returns true, it has also printed "no tests to run", which the go command shows in its line for the
// package.
func SkipPackageUnlessProofs() bool {
	if ProofsEnabled() {
		return false
	}
	fmt.Printf("testing: warning: no tests to run\n%s\n", skipReason) //nolint:forbidigo // the go command reads it
	return true
}

const skipReason = "left out: a proof takes long and runs with HANDOFF_PROOFS=1, as in make proofs"
