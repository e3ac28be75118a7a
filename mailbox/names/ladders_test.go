package names_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/names"
	"handoff/schemas/golden"
)

const client = "claude-code"

// states are names of other sessions.
var states = []struct {
	state names.State
	word  string
	name  names.Name
}{
	{names.Free, "free", names.Name{Left: true, Conn: "c9", Unseen: names.KeptFor}},
	{names.Kept, "kept", names.Name{Left: true, Conn: "c9", Session: "s9", Unseen: time.Hour}},
	{names.Expected, "expected", names.Name{Left: true, Session: "s9", Process: "p9"}},
	{names.Presumed, "presumed", names.Name{Conn: "c9", Session: "s9", Process: "p9"}},
	{names.Open, "open", names.Name{Conn: "c9", Session: "s9", Process: "p9", Open: true}},
}

// ties are the facts that a caller and a name may share.
var ties = []struct {
	word string
	tie  func(*names.Name)
}{
	{"no tie", func(*names.Name) {}},
	{"its connection", func(n *names.Name) { n.Conn = "c1" }},
	{"its process", func(n *names.Name) { n.Process = "p1" }},
	{"its session", func(n *names.Name) { n.Session, n.Left = "s1", n.Left && n.Unseen < names.KeptFor }},
	{"its process and session", func(n *names.Name) { n.Session, n.Process = "s1", "p1" }},
	{"its start", func(n *names.Name) { n.Agent = "beside" }},
}

var callers = []struct {
	word   string
	ladder names.Ladder
	names.Caller
}{
	{"server", names.Server, names.Caller{Session: "s1", Conn: "c1", Process: "p1"}},
	{"hook", names.Hook, names.Caller{Session: "s1", Process: "p1"}},
	{"shell", names.Shell, names.Caller{Session: "s1", Process: "p1", ServerName: "beside"}},
}

type sample struct {
	word string
	names.Name
}

// samples returns names in all states, with all possible ties to a caller.
func samples(shared bool) (all []sample) {
	for _, s := range states {
		for _, tie := range ties {
			n := s.name
			n.Agent, n.Client, n.Shared, n.Settled = client+"-2", client, shared, s.state != names.Presumed
			if tie.tie(&n); n.State() == s.state {
				all = append(all, sample{fmt.Sprintf("%-9s %-24s", s.word, tie.word), n})
			}
		}
	}
	return all
}

// The golden file says under which names a caller acts, by their states and by its ties to them. Numbers give the order
// of preference, best first. A caller without such a name is given a vacant one.
func TestLadders_MatchGolden(t *testing.T) {
	var b strings.Builder
	for _, shared := range []bool{false, true} {
		if shared {
			fmt.Fprint(&b, "\nanother session acts under the name as well\n")
		}
		fmt.Fprintf(&b, "%-9s %-24s %6s %6s %6s  %s\n", "state", "the caller has", "server", "hook", "shell", "vacant")
		all := samples(shared)
		for _, s := range all {
			fmt.Fprint(&b, s.word)
			for _, c := range callers {
				fmt.Fprintf(&b, " %6s", formatTurn(c.ladder, all, s, c.Caller))
			}
			fmt.Fprintf(&b, "  %s\n", formatVacant(s.Name))
		}
	}
	golden.RequireEqual(t, "ladders.txt", b.String())
}

// formatTurn returns the rank of a name in a caller's order of preference.
func formatTurn(l names.Ladder, all []sample, s sample, c names.Caller) string {
	found := func(list ...sample) int {
		var known []names.Name
		for _, one := range list {
			known = append(known, one.Name)
		}
		return l.FindIndex(known, c)
	}
	if found(s) < 0 {
		return "-"
	}
	var better []int // for each name before it, how many names go before that
	before := func(s sample) (n int) {
		for _, other := range all {
			if found(s, other) == 1 {
				n++
			}
		}
		return n
	}
	for _, other := range all {
		if found(s, other) == 1 {
			better = append(better, before(other))
		}
	}
	slices.Sort(better)
	return fmt.Sprint(len(slices.Compact(better)) + 1)
}

func formatVacant(n names.Name) string {
	own := n
	own.Agent = client
	switch {
	case n.IsVacantFor(client):
		return "yes"
	case own.IsVacantFor(client):
		return "the client's own"
	}
	return "-"
}

func TestFindIndex_ReturnsFirstNameOfMatchingRung(t *testing.T) {
	n := names.Name{Session: "s1", Conn: "c9", Open: true}
	c := names.Caller{Session: "s1"}
	for _, l := range []names.Ladder{names.Server, names.Hook, names.Shell} {
		require.Equal(t, 1, l.FindIndex([]names.Name{{}, n, n}, c))
		require.Equal(t, -1, l.FindIndex(nil, c))
	}
}

func TestFindIndex_ReturnsNoneForCallerWithoutFields(t *testing.T) {
	for _, l := range []names.Ladder{names.Server, names.Hook, names.Shell} {
		require.Equal(t, -1, l.FindIndex([]names.Name{{}, {Open: true}, {Left: true}}, names.Caller{}))
	}
}

func TestFindIndex_IgnoresNameOfKilledProcess(t *testing.T) {
	killed := names.Name{Conn: "c9", Process: "p1", Settled: true}
	for _, l := range []names.Ladder{names.Server, names.Hook, names.Shell} {
		require.Equal(t, -1, l.FindIndex([]names.Name{killed}, names.Caller{Process: "p1"}))
	}
}

func TestIsVacantFor_RefusesNumberedNameOfOtherClient(t *testing.T) {
	n := names.Name{Agent: "gpt-2", Client: "gpt-2"}
	require.True(t, n.IsVacantFor("gpt-2"))
	require.False(t, n.IsVacantFor("gpt"))
	n.Client = "gpt"
	require.True(t, n.IsVacantFor("gpt-2"), "it is the name of the client itself")
	n.Client = ""
	require.True(t, n.IsVacantFor("gpt"), "somebody chose it")
}
