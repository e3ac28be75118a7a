package contract_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/contract"
	"handoff/schemas"
)

const review = `{
	"type": "object",
	"properties": {
		"verdict": {"enum": ["pass", "fail"]},
		"findings": {"type": "array", "items": {"$ref": "#/$defs/finding"}}
	},
	"required": ["verdict", "findings"],
	"additionalProperties": false,
	"$defs": {"finding": {
		"type": "object",
		"properties": {
			"path": {"type": "string", "pattern": "^[^/]"},
			"line": {"type": "integer", "minimum": 1},
			"owner": {"anyOf": [{"type": "string"}, {"type": "null"}]}
		},
		"required": ["path"]
	}}
}`

func checkOutput(t *testing.T, schema, output string) error {
	t.Helper()
	s, err := contract.Compile(json.RawMessage(schema))
	require.NoError(t, err)
	return s.Check(json.RawMessage(output))
}

func TestCheck_NamesViolationsByPath(t *testing.T) {
	require.NoError(t, checkOutput(t, review, `{"verdict":"pass","findings":[{"path":"a.go","line":3,"owner":null}]}`))
	for _, c := range []struct{ output, want string }{
		{`{"findings":[]}`, "(root): missing property 'verdict'"},
		{`[]`, "(root): got array, want object"},
		{`null`, "(root): got null, want object"},
		{`{"verdict":"pass","findings":[],"x":1}`, "(root): additional properties 'x' not allowed"},
		{`{"verdict":"maybe","findings":[]}`, "/verdict: value must be one of 'pass', 'fail'"},
		{`{"verdict":"pass","findings":[{"path":"a"},{"path":"/etc"}]}`, "/findings/1/path: '/etc' does not match pattern '^[^/]'"},
		{`{"verdict":"pass","findings":[{"line":0}]}`, "/findings/0/line: minimum: got 0, want 1"},
		{`{"verdict":"pass","findings":[{"line":0}]}`, "/findings/0: missing property 'path'"},
		{
			`{"verdict":"pass","findings":[{"path":"a","owner":3}]}`,
			"/findings/0/owner: fits none of the alternatives: /findings/0/owner: got number, want string, or /findings/0/owner: got number, want null",
		},
	} {
		e := requireRefusal(t, checkOutput(t, review, c.output), schemas.Invalid)
		require.Equal(t, "output", e.Field)
		require.Contains(t, e.Message, c.want)
	}
}

func TestCheck_ListsTenViolations(t *testing.T) {
	output := "[" + strings.Repeat(`"a",`, 30) + `"a"]`
	for range 3 { // always the same ten
		e := requireRefusal(t, checkOutput(t, `{"items":{"type":"number"}}`, output), schemas.Invalid)
		require.Equal(t, 10, strings.Count(e.Message, "got string"))
		require.Contains(t, e.Message, "/0: got string")
		require.Contains(t, e.Message, "and 21 more")
	}
}

func TestCheck_RefusesMissingOrInvalidOutput(t *testing.T) {
	e := requireRefusal(t, checkOutput(t, review, ""), schemas.Invalid)
	require.Contains(t, e.Message, "there is no output")
	require.NotEmpty(t, e.Hint)
	require.Contains(t, requireRefusal(t, checkOutput(t, review, `{"a":`), schemas.Invalid).Message, "not JSON")
	require.Contains(t, requireRefusal(t, checkOutput(t, review, `{} {}`), schemas.Invalid).Message, "not JSON")

	s, err := contract.Compile(nil)
	require.NoError(t, err)
	require.NoError(t, s.Check(nil), "no schema, no output")
	require.NoError(t, s.Check(json.RawMessage(`{"any":"thing"}`)))
}

func TestCompile_ReadsOlderDrafts(t *testing.T) {
	schema := `{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"string"}],"additionalItems":{"type":"number"}}`
	require.NoError(t, checkOutput(t, schema, `["a",1,2]`))
	require.Contains(t, checkOutput(t, schema, `["a",1,"b"]`).Error(), "/2: got string, want number")
}

func TestCompile_RefusesUnusableSchemas(t *testing.T) {
	for _, c := range []struct{ name, schema, want string }{
		{"not JSON", `{"type"`, "not JSON"},
		{"not a schema", `[1]`, "(root): got array, want"},
		{"unknown type", `{"properties":{"a":{"type":"text"}}}`, "/properties/a/type"},
		{"broken pattern", `{"pattern":"(a"}`, "(a"},
		{"lookahead", `{"pattern":"(?=a)"}`, "(?=a)"},
		{"dangling", `{"$ref":"#/$defs/a"}`, `"#/$defs/a" not found`},
		{"network", `{"$ref":"https://example.com/a.json"}`, "https://example.com/a.json"},
		{"file", `{"$ref":"file:///etc/hostname"}`, "file:///etc/hostname"},
		{"neighbour", `{"$ref":"other.json#/a"}`, "other.json"},
		{"foreign dialect", `{"$schema":"https://example.com/dialect"}`, "https://example.com/dialect"},
		{"dynamic", `{"$defs":{"a":{"$dynamicRef":"#a"}}}`, "$dynamicRef"},
		{"too many parts", `{"allOf":[` + strings.Repeat("{},", 2500) + `{}]}`, "more than 2000 objects"},
		{"too deep", strings.Repeat(`{"not":`, 200) + `{}` + strings.Repeat(`}`, 200), "nested deeper"},
		{"long number", `{"minimum":1e999999}`, "/minimum"},
		{"pattern too large", `{"pattern":"(((a{100}){100}){100})"}`, "invalid repeat count"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := contract.Compile(json.RawMessage(c.schema))
			e := requireRefusal(t, err, schemas.Invalid)
			require.Equal(t, "expectations.output_schema", e.Field)
			require.Contains(t, e.Message, c.want)
			require.NotContains(t, e.Message, "handoff:///")
		})
	}
	_, err := contract.Compile(json.RawMessage(`{"description":"` + strings.Repeat("x", 32<<10) + `"}`))
	requireRefusal(t, err, schemas.Limit)
}

// doublingSchema makes a schema of n definitions. Each uses the next one twice.
func doublingSchema(n int, twice string) string {
	var b strings.Builder
	b.WriteString(`{"$ref":"#/$defs/d0","$defs":{`)
	for i := range n {
		ref := fmt.Sprintf(`{"$ref":"#/$defs/d%d"}`, i+1)
		fmt.Fprintf(&b, `"d%d":%s,`, i, strings.ReplaceAll(twice, "NEXT", ref))
	}
	fmt.Fprintf(&b, `"d%d":{"type":"string"}}}`, n)
	return b.String()
}

// Without a limit, each of these would run longer than any caller waits, or for ever. The test proves that the checks
// end.
func TestCheck_RefusesExpensiveSchemas(t *testing.T) {
	nested := strings.Repeat(`{"a":`, 60) + `1` + strings.Repeat(`}`, 60)
	for _, c := range []struct{ name, schema, output string }{
		{"doubling references", doublingSchema(60, `{"allOf":[NEXT,NEXT]}`), `1`},
		{"doubling alternatives", doublingSchema(60, `{"anyOf":[NEXT,NEXT]}`), `1`},
		{"doubling members", doublingSchema(60, `{"patternProperties":{"a":NEXT,"a+":NEXT}}`), nested},
		{"recursion that branches", `{"properties":{"a":{"allOf":[{"$ref":"#"},{"$ref":"#"}]}}}`, nested},
		{"itself", `{"$ref":"#"}`, `1`},
		{"each other", `{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`, `1`},
		{"large pattern, long text", `{"pattern":"((a?){30}){30}$"}`, `"` + strings.Repeat("a", 60_000) + `b"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := requireRefusal(t, checkOutput(t, c.schema, c.output), schemas.Invalid)
			require.Contains(t, e.Message, "take too long")
		})
	}
}

func TestCheck_RefusesExtremeNumbers(t *testing.T) {
	many := strings.Repeat("1,", 30)
	for _, output := range []string{
		`[` + many + `1e9999999]`,
		`[` + many + `1e-999999]`,
		`[` + many + strings.Repeat("9", 200) + `]`,
	} {
		e := requireRefusal(t, checkOutput(t, `{"uniqueItems":true,"items":{"minimum":0,"multipleOf":0.1}}`, output), schemas.Invalid)
		require.Contains(t, e.Message, "number is too long")
	}
	deep := strings.Repeat("[", 5000) + strings.Repeat("]", 5000)
	require.Contains(t, requireRefusal(t, checkOutput(t, `{}`, deep), schemas.Invalid).Message, "nested deeper")

	e := requireRefusal(t, checkOutput(t, `{"additionalProperties":{"type":"null"}}`, `{"\u001b[2J\u202e":1}`), schemas.Invalid)
	require.NotContains(t, e.Message, "\x1b")
	require.NotContains(t, e.Message, "\u202e")
}

func TestCheck_AcceptsLargeOrdinaryOutput(t *testing.T) {
	row := `{"path":"internal/auth/session.go","line":3,"owner":"auto-code"},`
	output := `{"verdict":"pass","findings":[` + strings.Repeat(row, 1000) + `{"path":"a"}]}`
	require.Greater(t, len(output), 60_000)
	require.NoError(t, checkOutput(t, review, output))

	tree := `{"type":"object","properties":{"name":{"type":"string"},"children":{"type":"array","items":{"$ref":"#"}}}}`
	require.NoError(t, checkOutput(t, tree, strings.Repeat(`{"name":"n","children":[`, 40)+strings.Repeat(`]}`, 40)))
}

func FuzzCheck(f *testing.F) {
	f.Add(review, `{"verdict":"pass","findings":[{"path":"/a"}]}`)
	f.Add(doublingSchema(20, `{"oneOf":[NEXT,NEXT]}`), `1`)
	f.Add(`{"unevaluatedProperties":false,"if":{"required":["a"]},"then":{"contains":{"not":{}}}}`, `{"a":[1,2]}`)
	f.Fuzz(func(t *testing.T, schema, output string) {
		s, err := contract.Compile(json.RawMessage(schema))
		if err == nil {
			err = s.Check(json.RawMessage(output))
		}
		if err != nil {
			require.NotEqual(t, schemas.Internal, schemas.AsError(err).Code)
		}
	})
}
