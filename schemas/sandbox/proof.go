package sandbox

import (
	"fmt"
	"os"
	"testing"
)

// Proofs tells whether tests that take more than some seconds were asked for: make proofs does so, and CI.
func Proofs() bool { return os.Getenv("HANDOFF_PROOFS") != "" }

// Proof leaves out the rest of a test that takes more than some seconds, unless it was asked for.
func Proof(t testing.TB) {
	t.Helper()
	if !Proofs() {
		t.Skip(skipReason)
	}
}

// Times is how often a test repeats what chance may break: n times as a proof, else a tenth of that.
func Times(n int) int {
	if Proofs() {
		return n
	}
	return max(1, n/10)
}

// LeaveOut says that all tests of a package are left out, and returns true, unless they were asked for. It says it in
// words that the go command repeats in its line about the package, as "no tests to run", and in ours, for go test -v.
func LeaveOut() bool {
	if Proofs() {
		return false
	}
	fmt.Printf("testing: warning: no tests to run\n%s\n", skipReason) //nolint:forbidigo // which the go command reads
	return true
}

const skipReason = "left out: a proof takes long and runs with HANDOFF_PROOFS=1, as in make proofs"
