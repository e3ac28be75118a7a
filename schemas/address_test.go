package schemas_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

func TestParseAddress_ReadsEverySpelling(t *testing.T) {
	for _, c := range []struct{ written, read string }{
		{"qa", "qa"},
		{"agent:qa", "qa"},
		{"Agent: qa", "qa"},
		{" agent :agent:qa ", "qa"},
		{"@qa", "qa"},
		{"agent:@qa", "qa"},
		{"QA", "QA"},
		{"role:qa", "role:qa"},
		{"Role: qa", "role:qa"},
		{"CAPABILITY:code", "capability:code"},
		{"human", "human"},
		{"HUMAN", "human"},
		{"agent:human", "human"},
		{"@human", "human"},
		{"the user", "human"},
		{"my owner", "human"},
		{"a human", "human"},
		{"user", "user"},
		{"agent:all", "all"},
		{"agent:team", "team"},
	} {
		to, err := schemas.ParseAddress("to", c.written)
		require.NoError(t, err, c.written)
		require.Equal(t, c.read, string(to), c.written)
	}
}

func TestParseAddress_RefusesNamesWithoutMailbox(t *testing.T) {
	for written, want := range map[string]string{
		"": "not an agent name", "agent:": "not an agent name", "agents:qa": "not an address", "team:qa": "not an address", "skill:go": "not an address",
		"agent:system": "system has no mailbox", "system": "system has no mailbox", "hurnan": "can be taken for human", "role:a b": "not an agent name",
		"all": "names no one", "Everyone": "names no one", "*": "names no one", "team": "names no one", "me": "names no one", "a,b": "not an agent name",
		"the qa": "not an agent name", "role:agent:qa": "not an agent name",
	} {
		_, err := schemas.ParseAddress("to", written)
		require.ErrorContains(t, err, want, written)
		require.NotEmpty(t, schemas.AsError(err).Hint, written)
	}
}
