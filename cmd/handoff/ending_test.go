package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/commandtest"
)

// Late results are shown next to the new holder's work.
func TestShow_HasLateResults(t *testing.T) {
	t.Parallel()
	d := commandtest.NewDesk(t)
	d.Must("a", "agents", "register", "a", "--role", "testing")
	d.Must("b", "agents", "register", "b", "--role", "testing")
	d.Must("dev", "send", "role:testing", "Run the suite")
	lost := commandtest.ParseRecord(t, []byte(d.Must("b", "claim", "--json")))["claim_token"].(string)
	d.Now = d.Now.Add(time.Hour)
	d.Must("a", "claim")
	code, _, _ := d.Run("b", "complete", "1", "--token", lost, "--summary", "Done all the same")
	require.Equal(t, 5, code)
	require.Contains(t, d.Must("dev", "show", "1"), "\nLate result from b\n  Done all the same\n")
	d.Must("a", "complete", "1", "--summary", "Done")
	require.Contains(t, d.Must("dev", "show", "1", "--outcome"), "Result\n  Done\n\nLate result from b\n  Done all the same\n")
	require.Contains(t, d.Must("dev", "wait", "1"), "Late result from b\n  Done all the same\n")
}
