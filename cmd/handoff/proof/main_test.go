// Package proof_test proves the promises that are hardest to keep: every wrong call is refused and changes nothing,
// every message of other systems arrives whole, lists are complete while others write, no result and no line of the
// wire is larger than allowed, and errors about faults of disk and network help.
package proof_test

import (
	"testing"

	"handoff/cmd/handoff/internal/commandtest"
)

func TestMain(m *testing.M) { commandtest.Main(m) }
