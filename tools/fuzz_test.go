package tools_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
	"handoff/tools"
)

// parseArguments are the argument types of the ten tools, in the order of the table.
var parseArguments = []reflect.Type{
	reflect.TypeFor[schemas.ClaimIn](), reflect.TypeFor[schemas.CompleteIn](), reflect.TypeFor[schemas.FailIn](),
	reflect.TypeFor[schemas.GetIn](), reflect.TypeFor[schemas.HistoryIn](), reflect.TypeFor[schemas.AgentsIn](),
	reflect.TypeFor[schemas.ListIn](), reflect.TypeFor[schemas.RegisterIn](), reflect.TypeFor[schemas.SendIn](),
	reflect.TypeFor[schemas.UpdateIn](),
}

var seeds = []string{
	``, `{}`, `{} {}`, `null`, `[]`, `"{}"`, "\xff", `{"a":1e999}`,
	`{"wait_seconds":"5","tags":"[\"a\"]","view":"FULL","agent":"qa"}`,
	`{"handoff_id":12,"summary":"done","verification":{"criteria":[{"criterion":1,"met":true}]},"output":"[1]","continuation":{"to":"qa","task":"x"}}`,
	`{"handoff_id":"ho_1","description":"no key","blockers":"no key","then":"retry","checkpoint":{"state":{"a":[{}]}}}`,
	`{"handoff_id":"1","action":"amend","changes":{"context":{"files":["a.go"]},"priority":"HIGH"},"percent":"50"}`,
	`{"box":"all","status":"timed-out","limit":"10","since":"2h"}`,
	`{"name":"qa","accepts":"*","max_open":3,"away":"true"}`,
	`{"to":"qa","task":"x","data":{"n":1,"b":true},"context":{"state":{"a":null,"n":1.50},"results":{"e":1e300}},"expectations":{"output_schema":{"type":"object"}},"options":{"limits":{"a":"1.5"}}}`,
	`{"text":{"":0}}`,
	`{"from_agent":"a","to_agent":"b","message":"x","urgency":"high","work_completed":["a"],"files_modified":["a.go:1-9"]}`,
	`{"handoff_id":"x","source":{"agent":"a"},"target":{"agent":"b"},"task":{"id":"1","description":"d"},"metadata":{"priority":0,"timestamp":"t"}}`,
}

// For any input: no tool panics, accepted arguments are their own canonical form, and the type behind the tool keeps
// all of them.
func FuzzDecode(f *testing.F) {
	messages, err := filepath.Glob("../examples/messages/*.json") // of other protocols
	require.NoError(f, err)
	require.NotEmpty(f, messages)
	for i := range parseArguments {
		for _, seed := range seeds {
			f.Add(uint8(i), []byte(seed))
		}
		for _, message := range messages {
			b, err := os.ReadFile(message)
			require.NoError(f, err)
			f.Add(uint8(i), b)
		}
	}
	f.Fuzz(func(t *testing.T, n uint8, args []byte) {
		i := int(n) % len(parseArguments)
		row := tools.Table[i]
		first, err := row.CanonicalArgs(args)
		if err != nil {
			require.NotEqual(t, schemas.Internal, schemas.AsError(err).Code, err)
			return
		}
		again, err := row.CanonicalArgs(first)
		require.NoError(t, err)
		require.Equal(t, string(first), string(again))

		typed := decodeAndEncode(t, parseArguments[i], first)
		again, err = row.CanonicalArgs(typed)
		require.NoError(t, err)
		require.Equal(t, string(typed), string(decodeAndEncode(t, parseArguments[i], again)))
	})
}

// decodeAndEncode reads JSON into a type and writes it again.
func decodeAndEncode(t *testing.T, of reflect.Type, b []byte) []byte {
	t.Helper()
	v := reflect.New(of).Interface()
	require.NoError(t, json.Unmarshal(b, v))
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return b
}

// Stored records decode to their values before storing.
func FuzzRecords(f *testing.F) {
	records := []reflect.Type{
		reflect.TypeFor[schemas.Handoff](), reflect.TypeFor[schemas.Completion](), reflect.TypeFor[schemas.Failure](),
	}
	for i := range records {
		f.Add(uint8(i), []byte(`{"handoff_id":"ho_12","task":"x","status":"partial","timestamp":"2026-01-31T17:00:00Z","source":{"agent":"a"},`+
			`"context":{"state":{"a":[1.5,null]},"answers":[{"answer":"yes","from":"human","at":"2026-01-31T17:00:00+02:00"}]},`+
			`"output":[{"a":1}],"failure":{"description":"d","blockers":[{"description":"b"}]},"continuation":{"to":"qa","reason":"r"}}`))
	}
	f.Fuzz(func(t *testing.T, n uint8, b []byte) {
		of := records[int(n)%len(records)]
		v := reflect.New(of).Interface()
		if json.Unmarshal(b, v) != nil {
			return
		}
		first, err := json.Marshal(v)
		if err != nil {
			return // a time past the year 9999
		}
		require.Equal(t, string(first), string(decodeAndEncode(t, of, first)))
	})
}
