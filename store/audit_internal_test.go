package store

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

// What is read fast is what a decoder reads. It is not reached from outside.
func FuzzScannedEvents(f *testing.F) {
	for _, e := range []schemas.Event{
		{N: 1, Handoff: 7, Agent: "dev", Action: "send", Said: "abc", Bytes: 12, State: "s"},
		{N: 9_999_999_999, Agent: `a"b`, Action: "message", Trace: "00-é\u2028", Before: 4, Prev: "p"},
		{N: 99_999_999_999, Attempt: -1},
	} {
		b, err := json.Marshal(e)
		require.NoError(f, err)
		_, fast := scanEvent(b)
		require.Equal(f, e.Attempt == 0 && e.Agent == "dev", fast)
		f.Add(b)
	}
	for _, odd := range []string{``, `{`, `{}`, `{"n":01}`, `{"n":"1"}`, `{"action":5}`, `{"n":1,}`, `{"n":1}}`, `{"n":1 }`, `{"state":"\u0041"}`, `{"n":1"a":2}`} {
		f.Add([]byte(odd))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		got, ok := scanEvent(b)
		if !ok || !json.Valid(b) || !utf8.Valid(b) {
			return // the tree has it otherwise
		}
		var want linked
		require.NoError(t, schemas.Decode(b, &want))
		require.Equal(t, want, got, "%s", b)
	})
}
