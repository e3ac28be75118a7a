// Package proof_test proves what the program promises where it is hardest to keep: that every call which is wrong is
// refused and changes nothing, that every message which other systems have sent arrives whole, that lists are complete
// while others write, that no result and no line of the wire is larger than it may be, and that faults of the disk and
// the network are told in words that help.
package proof_test

import (
	"testing"

	"handoff/cmd/handoff/internal/commandtest"
)

func TestMain(m *testing.M) { commandtest.Main(m) }
