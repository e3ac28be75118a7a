package sandbox

import (
	"fmt"
	"os"
	"testing"
)

// Proofs tells whether long tests (some seconds and more) were requested, as make proofs and CI do.
func Proofs() bool { return os.Getenv("HANDOFF_PROOFS") != "" }

// Proof skips the rest of a long test (some seconds and more), unless proofs were requested.
func Proof(t testing.TB) {
	t.Helper()
	if !Proofs() {
		t.Skip(skipReason)
	}
}

// Times returns the number of repetitions of a test that depends on chance: n as a proof, else a tenth of it.
func Times(n int) int {
	if Proofs() {
		return n
	}
	return max(1, n/10)
}

// LeaveOut reports that all tests of a package are left out, and returns true, unless proofs were requested. It
// prints "no tests to run", which the go command repeats in its line about the package, and our reason, for go test
// -v.
func LeaveOut() bool {
	if Proofs() {
		return false
	}
	fmt.Printf("testing: warning: no tests to run\n%s\n", skipReason) //nolint:forbidigo // the go command reads it
	return true
}

const skipReason = "left out: a proof takes long and runs with HANDOFF_PROOFS=1, as in make proofs"
