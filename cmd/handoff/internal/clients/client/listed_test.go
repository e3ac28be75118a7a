package client_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/clients/client"
)

// What setup writes is read as what was wished.
func TestAnEntryIsReadAsItWasWritten(t *testing.T) {
	for name, wished := range map[string]client.Server{
		"program": {Command: []string{"/opt/my tools/handoff", "mcp", "--agent", "qa"}},
		"address": {URL: "https://example.com/mcp", TokenEnv: "HANDOFF_TOKEN", Agent: "qa"},
	} {
		for _, c := range client.All() {
			t.Run(c.Name+" "+name, func(t *testing.T) {
				read := client.ReadEntry(fields(t, c.Entry(wished)))
				read.Authorization = "" // as each client has it
				require.Equal(t, client.Listed{Server: wished}, read)
			})
		}
	}
}

func TestEntriesOfOthersAreReadAsFarAsTheyGo(t *testing.T) {
	for text, want := range map[string]client.Listed{
		`{}`:                                                    {},
		`{"command":7,"url":[],"env":""}`:                       {},
		`{"command":["a",1,"b"]}`:                               {Server: client.Server{Command: []string{"a", "b"}}},
		`{"command":"a","disabled":true}`:                       {Server: client.Server{Command: []string{"a"}}, Off: true},
		`{"command":"a","enabled":false}`:                       {Server: client.Server{Command: []string{"a"}}, Off: true},
		`{"env":{"B":"2","A":"1","C":3}}`:                       {Environ: []string{"A=1", "B=2"}},
		`{"httpUrl":"http://a"}`:                                {Server: client.Server{URL: "http://a"}},
		`{"headers":{"Authorization":""}}`:                      {},
		`{"headers":{"Authorization":"Bearer secret"}}`:         {Authorization: "Bearer secret"},
		`{"headers":{"Authorization":"a","authorization":"b"}}`: {Authorization: "b"},
	} {
		var fields map[string]any
		require.NoError(t, json.Unmarshal([]byte(text), &fields))
		require.Equal(t, want, client.ReadEntry(fields), text)
	}
}

// Each client has its way to name a variable; what it does not take for one is none.
func TestVariableOfATokenIsReadInEachClientsWay(t *testing.T) {
	for header, want := range map[string]string{
		"Bearer $TOKEN": "TOKEN", "Bearer ${TOKEN}": "TOKEN", "Bearer ${env:TOKEN}": "TOKEN", "Bearer ${TOKEN:-none}": "TOKEN",
		"Bearer {env:TOKEN}": "TOKEN", "bearer  $TOKEN_2": "TOKEN_2",
		"Bearer secret": "", "Bearer {TOKEN}": "", "Bearer ${input:TOKEN}": "", "Bearer $TOKEN-x": "", "Bearer ${TOKEN": "", "Bearer $2": "",
		"$TOKEN": "", "Bearer env:TOKEN": "",
	} {
		read := client.ReadEntry(map[string]any{"headers": map[string]any{"Authorization": header}})
		require.Equal(t, want, read.TokenEnv, header)
	}
}

func fields(t *testing.T, o client.Object) (fields map[string]any) {
	text, err := json.Marshal(o)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &fields))
	return fields
}
