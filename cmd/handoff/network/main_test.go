//go:build unix

// Package network_test serves agents over HTTP and checks their results. Each test prints its figures, see
// go test -v.
//
//	HANDOFF_LOAD=20000     how many handoffs two hundred clients pass to each other (default 2000)
//	HANDOFF_APART=1000     how often a client waits while others try to cancel that (default 100)
//	HANDOFF_PROGRAM=FILE   the program to try, instead of building it: with -race, or a release
//
// A workspace is in site_test.go and the server on it in server_test.go. There are two kinds of clients: clients of
// the SDK, as agents use them (agent_test.go), and bare ones that send messages that no library sends (bare_test.go).
package network_test

import (
	"os"
	"strconv"
	"testing"

	"handoff/cmd/handoff/internal/programtest"
)

// made is where the programs come from.
var made = programtest.New()

func TestMain(m *testing.M) { os.Exit(made.RunProofs(m)) }

// many is how many of something there are.
func many(t testing.TB, name string, otherwise int) int {
	t.Helper()
	return programtest.ProofSize(t, name, otherwise, otherwise/10, strconv.Atoi)
}
