package names_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/names"
	"handoff/schemas"
	"handoff/schemas/sandbox"
)

func TestMain(m *testing.M) { os.Exit(sandbox.New(m).Run()) }

func TestState_DependsOnConnectionAndTime(t *testing.T) {
	const justUnder = -time.Nanosecond
	for word, c := range map[string]struct {
		name names.Name
		want names.State
	}{
		"unused name":                         {names.Name{}, names.Free},
		"open connection":                     {names.Name{Conn: "c", Open: true, Settled: true}, names.Open},
		"announced while it closes":           {names.Name{Conn: "c", Open: true, Left: true}, names.Open},
		"not announced yet":                   {names.Name{Conn: "c", Session: "s"}, names.Presumed},
		"closed":                              {names.Name{Conn: "c", Session: "s", Left: true}, names.Kept},
		"killed":                              {names.Name{Conn: "c", Session: "s", Process: "p", Settled: true}, names.Kept},
		"killed, unknown session":             {names.Name{Conn: "c", Process: "p", Settled: true}, names.Free},
		"server expected":                     {names.Name{Session: "s", Process: "p", Left: true}, names.Expected},
		"server expected for nearly a minute": {names.Name{Session: "s", Process: "p", Left: true, Unseen: time.Minute + justUnder}, names.Expected},
		"server expected for a minute":        {names.Name{Session: "s", Process: "p", Left: true, Unseen: time.Minute}, names.Kept},
		"left nearly a week ago":              {names.Name{Session: "s", Left: true, Unseen: names.KeptFor + justUnder}, names.Kept},
		"left a week ago":                     {names.Name{Session: "s", Left: true, Unseen: names.KeptFor}, names.Free},
		"closed without a session":            {names.Name{Conn: "c", Left: true}, names.Free},
	} {
		t.Run(word, func(t *testing.T) { require.Equal(t, c.want, c.name.State()) })
	}
}

func TestNthName_StaysWithinMaximumLength(t *testing.T) {
	require.Equal(t, schemas.Agent("claude-code"), names.NthName("claude-code", 1))
	require.Equal(t, schemas.Agent("claude-code-2"), names.NthName("claude-code", 2))
	long := schemas.Agent(strings.Repeat("x", 64))
	require.Equal(t, long, names.NthName(long, 1))
	require.Equal(t, long[:61]+"-99", names.NthName(long, 99))
	for _, n := range []int{1, 2, 99_999} {
		require.True(t, strings.HasPrefix(string(names.NthName(long, n)), names.CommonPrefix(long)))
	}
}
