package tools_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
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

// For any input: no tool panics, accepted arguments are their own canonical form, and the type behind the tool keeps
// all of them.
func FuzzDecode(f *testing.F) {
	messages, err := filepath.Glob("../examples/messages/*.json") // of other protocols
	require.NoError(f, err)
	require.NotEmpty(f, messages)
	seeds, err := os.ReadFile("testdata/arguments.txt")
	require.NoError(f, err)
	for i := range parseArguments {
		f.Add(uint8(i), []byte{0xff})
		for seed := range strings.SplitSeq(string(seeds), "\n") { // the last one is empty
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
		row := tools.Table()[i]
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

// A published is what a published schema says about a value.
type published struct {
	Type       string
	Enum       []any
	Properties map[string]published
	Required   []string
	Items      *published
	AnyOf      []published
	Additional any `json:"additionalProperties"`
}

// An argumentMaker makes arguments as published schemas describe them. If it shall break, it makes one fault, and says
// where.
type argumentMaker struct {
	*rand.Rand
	breaks bool
	fault  string
}

// value returns a random value of a schema. A fault in it is a value of another type, a word that is not listed, or an
// unknown field of an object that is closed.
func (m *argumentMaker) value(s published, at string) any {
	if s.AnyOf != nil {
		return (&argumentMaker{Rand: m.Rand}).value(s.AnyOf[m.IntN(len(s.AnyOf))], at)
	}
	right, wrong := map[string]any{"string": "word", "integer": 1, "number": 1.5, "boolean": true}[s.Type], any(true)
	if s.Enum != nil {
		right, wrong = s.Enum[m.IntN(len(s.Enum))], "unheard"
	} else if s.Type == "boolean" {
		wrong = 7
	}
	breaks := m.breaks && m.IntN(4) == 0
	switch {
	case s.Type == "":
		return []any{"word", 1, false, []any{1}, map[string]any{"inside": 2}}[m.IntN(5)]
	case breaks && s.Type != "object":
		m.breaks, m.fault = false, at
		return wrong
	case s.Type == "array":
		return slices.Repeat([]any{m.value(*s.Items, at+"[]")}, 1+m.IntN(2))
	case s.Type != "object":
		return right
	}
	object := map[string]any{}
	if breaks && s.Additional == false {
		m.breaks, m.fault = false, at+".unheard"
		object["unheard"] = 1
	}
	if s.Additional != false && m.IntN(2) == 0 {
		object[fmt.Sprintf("unheard%dof", m.IntN(9))] = m.value(published{}, at)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if slices.Contains(s.Required, name) || m.IntN(3) == 0 {
			object[name] = m.value(s.Properties[name], at+"."+name)
		}
	}
	return object
}

// What the published schema of a tool allows is accepted, and what it forbids is refused: each seed makes arguments
// that it allows, and the same with one fault.
func FuzzPublishedSchemas(f *testing.F) {
	for seed := range uint64(1000) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		row := tools.Table()[seed%uint64(len(tools.Table()))]
		var s published
		require.NoError(t, json.Unmarshal(row.InputSchema(), &s))
		for _, breaks := range []bool{false, true} {
			m := argumentMaker{Rand: rand.New(rand.NewPCG(seed, 1)), breaks: breaks}
			args, err := json.Marshal(m.value(s, row.Name))
			require.NoError(t, err)
			canonical, err := row.CanonicalArgs(args)
			if in := (schemas.SendIn{}); err == nil && json.Unmarshal(canonical, &in) == nil { // which checks names of limits later
				err = schemas.CheckLimits("options.limits", schemas.ValueOrZero(in.Options).Limits)
			}
			require.Equal(t, m.fault != "", err != nil, "fault at %q: %s: %s: %v", m.fault, args, canonical, err)
		}
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
