package checking_test

import (
	"testing"

	"handoff/cmd/handoff/internal/commandtest"
)

func TestMain(m *testing.M) { commandtest.Main(m) }
