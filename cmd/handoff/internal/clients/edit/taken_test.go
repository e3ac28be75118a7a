package edit_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/edit"
)

// What one text says is written into another as that one is written.
func TestTakenTextIsWrittenAsTheOtherIs(t *testing.T) {
	for name, tt := range map[string]struct {
		syntax            client.Syntax
		from, into, after string
	}{
		"JSON": {
			client.JSON, `{"a": {"z": [1, {"y": null}], "args": [], "command": "c", "n": 12345678901234567890}}`, "{\"b\": 1}",
			`{"b": 1, "a": {"command":"c","args":[],"n":12345678901234567890,"z":[1,{"y":null}]}}`,
		},
		"TOML": {
			client.TOML, "[a]\nx = 1979-05-27\nargs = [\"1\", 2, true]\ncommand = 'c'\n[a.env]\nA = \"1\"\n", "b = 1\n",
			"b = 1\n\n[a]\ncommand = \"c\"\nargs = [\"1\", 2, true]\nx = 1979-05-27\n\n[a.env]\nA = \"1\"\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			from, err := edit.Open(tt.syntax, []byte(tt.from))
			require.NoError(t, err)
			into, err := edit.Open(tt.syntax, []byte(tt.into))
			require.NoError(t, err)
			got, _ := from.Look("a")
			require.NoError(t, into.Set(edit.Taken(got, entry), "a"))
			require.Equal(t, tt.after, string(into.Bytes()))
			again, _ := into.Look("a")
			require.Equal(t, got, again)
		})
	}
}

func TestAlikeIsAboutValues(t *testing.T) {
	for a, others := range map[string]map[string]bool{
		`{"a": 12345678901234567890, "b": 1e2}`: {
			"{\n\"b\": 100.0, // one\n\"a\": 12345678901234567000}": true, `{"a": 12345678901234560000, "b": 100}`: false, `{"a": 12345678901234567890}`: false,
		},
		`{"a": [1, "2", null]}`: {`{"a": [1.0, "2", null]}`: true, `{"a": [1, 2, null]}`: false, `{"a": [1, "2"]}`: false, `{"a": [1, "2", null], "b": {}}`: false},
		`{"a": 1e999}`:          {`{"a": 1e999}`: true, `{"a": 1e998}`: false, `{"a": null}`: false},
	} {
		one, err := edit.Open(client.LooseJSON, []byte(a))
		require.NoError(t, err)
		for b, want := range others {
			other, err := edit.Open(client.LooseJSON, []byte(b))
			require.NoError(t, err)
			require.Equal(t, want, edit.Alike(one, other), "%s and %s", a, b)
		}
	}
	one, err := edit.Open(client.TOML, []byte("a = 1\nb = 2026-01-01\nc = inf\n"))
	require.NoError(t, err)
	for b, want := range map[string]bool{"c = +inf\nb = 2026-01-01\na = 1.0": true, "c = inf\nb = 2026-01-02\na = 1": false} {
		other, err := edit.Open(client.TOML, []byte(b))
		require.NoError(t, err)
		require.Equal(t, want, edit.Alike(one, other), b)
	}
}
