package respell_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
	"handoff/schemas/respell"
)

var aliased = []string{
	"send_handoff", "complete_handoff", "fail_handoff", "update_handoff", "claim_handoff",
	"list_handoffs", "get_handoff", "handoff_history", "register_agent", "list_agents",
}

// Whatever is said, normalisation does not panic, leaves its input alone, refuses only as invalid, and is done
// the first time.
func FuzzNormalise(f *testing.F) {
	for _, name := range slices.Sorted(maps.Keys(messages)) {
		for i := range aliased {
			f.Add(uint8(i), []byte(read(f, name+".json")))
		}
	}
	f.Add(uint8(0), []byte(`{"task":{"description":{"description":{}},"id":[1]},"options":"x","origin":[],"source":{"agent":{"agent":null}}}`))
	f.Add(uint8(1), []byte(`{"continuation":{"Context":{"Files":[{"Path":1,"x":[null]}]},"status":"failed"},"verification":{"acceptanceCriteriaMet":[{"Criterion":1}]}}`))
	f.Add(uint8(3), []byte(`{"changes":{"context":{"role":"x","state":{"role":"y"}},"agentContext":{"notes":[[]]}}}`))
	f.Fuzz(func(t *testing.T, n uint8, message []byte) {
		tool := aliased[int(n)%len(aliased)]
		d := json.NewDecoder(bytes.NewReader(message))
		d.UseNumber()
		var args map[string]any
		if d.Decode(&args) != nil {
			t.Skip("no object")
		}
		before := encode(t, args)
		once, err := respell.Normalise(tool, args)
		require.Equal(t, before, encode(t, args))
		if err != nil {
			require.Equal(t, schemas.Invalid, schemas.AsError(err).Code)
			return
		}
		first := encode(t, once)
		twice, err := respell.Normalise(tool, once)
		require.NoError(t, err)
		require.Equal(t, first, encode(t, twice))
	})
}
