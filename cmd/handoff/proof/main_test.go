// Package proof_test tests the promises that are hardest to keep. A wrong call is refused and changes nothing. Every
// message of another system arrives whole. Lists are complete while other processes write. No result and no line of the
// protocol exceeds its limit. An error about a fault of disk or network names the remedy.
package proof_test

import (
	"testing"

	"handoff/cmd/handoff/internal/commandtest"
)

func TestMain(m *testing.M) { commandtest.Main(m) }
