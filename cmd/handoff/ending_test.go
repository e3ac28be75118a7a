package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// What came back when the claim was lost is shown beside what the new holder does.
func TestLateResultsAreShown(t *testing.T) {
	d := newDesk(t)
	d.must("a", "agents", "register", "a", "--role", "testing")
	d.must("b", "agents", "register", "b", "--role", "testing")
	d.must("dev", "send", "role:testing", "Run the suite")
	lost := parseRecord(t, []byte(d.must("b", "claim", "--json")))["claim_token"].(string)
	d.now = d.now.Add(time.Hour)
	d.must("a", "claim")
	code, _, _ := d.run("b", "complete", "1", "--token", lost, "--summary", "Done all the same")
	require.Equal(t, 5, code)
	require.Contains(t, d.must("dev", "show", "1"), "\nLate result from b\n  Done all the same\n")
	d.must("a", "complete", "1", "--summary", "Done")
	require.Contains(t, d.must("dev", "show", "1", "--outcome"), "summary: Done\nlate result from b: Done all the same\n")
	require.Contains(t, d.must("dev", "wait", "1"), "late result from b: Done all the same\n")
}
