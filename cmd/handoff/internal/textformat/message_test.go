package textformat_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/textformat"
)

const template = `# Handoff Package

## Task
Add sign-in with tokens.

## Context Summary
- Original request: Users want to stay signed in
- What's been done:
  - Schema migrated
  - Routes drafted
- **Current state:** nothing is tested

## Your Specific Task
Write the middleware.

` + "```go\n# no heading\n```" + `

## Key Information
- Tokens live 15 minutes
- Decision: JWT, because the API is stateless

## Constraints
1. Cannot modify db/
2. Use the pattern
   of auth.go

## Expected Output
A patch with tests

## Success Criteria
- [ ] Login works
- [x] Tests pass

## If You Get Stuck
* Ask the lead

## History
Tried sessions first.
`

const templateRead = `{
	"task": "Add sign-in with tokens.\n\nWrite the middleware.\n\n` + "```go\\n# no heading\\n```" + `",
	"context": {
		"original_request": "Users want to stay signed in", "completed_steps": ["Schema migrated", "Routes drafted"],
		"state": {"current": "nothing is tested"}, "memories": ["Tokens live 15 minutes"],
		"decisions": ["JWT, because the API is stateless"]
	},
	"expectations": {
		"constraints": ["Cannot modify db/", "Use the pattern\nof auth.go"], "deliverables": ["A patch with tests"],
		"success_criteria": ["Login works", "Tests pass"], "if_stuck": ["Ask the lead"]
	},
	"detail": "## History\nTried sessions first."
}`

func TestMessage_ReadsAllFormats(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"JSON with a mark":         {"\uFEFF" + `{"to":"qa"}`, `{"to":"qa"}`},
		"JSON with comments":       {"// note\n{\"to\": \"qa\", /* c */ \"n\": 1.10, // NEW\n}", `{"to":"qa","n":1.10}`},
		"YAML":                     {"# a comment\nto: qa\ntask: |\n  a\n  b\nat: 2026-01-11\nversion: 1.10\nok: true\nid: 007\nlist: [a, null]\n", `{"to":"qa","task":"a\nb\n","at":"2026-01-11","version":1.10,"ok":true,"id":"007","list":["a",null]}`},
		"YAML with an alias":       {"a: &x {b: 1}\nc: *x\n", `{"a":{"b":1},"c":{"b":1}}`},
		"YAML behind dashes":       {"---\nto: qa\n---\n", `{"to":"qa"}`},
		"YAML with CR LF":          {"to: qa\r\ntask: |\r\n  a\r\n  b\r\n", `{"to":"qa","task":"a\nb\n"}`},
		"JSON with CR LF":          {"// note\r\n{\r\n\"to\": \"qa\"}\r\n", `{"to":"qa"}`},
		"the template with CR LF":  {strings.ReplaceAll(template, "\n", "\r\n"), templateRead},
		"front matter and a task":  {"---\nto: qa\n---\n# Test it\n\nWith care.\n", `{"to":"qa","task":"# Test it\n\nWith care."}`},
		"front matter with a task": {"---\ntask: t\n---\nMore.\n", `{"task":"t","detail":"More."}`},
		"front matter, template":   {"---\nto: qa\n---\n# Title\n## Task\nt: u\n", `{"to":"qa","title":"Title","task":"t: u"}`},
		"text":                     {"# Do this\n\nThen that.\n", `{"task":"# Do this\n\nThen that."}`},
		"the template":             {template, templateRead},
	} {
		t.Run(name, func(t *testing.T) {
			got, markdown, err := textformat.ParseMessage("", c.text)
			require.NoError(t, err)
			textformat.AddMarkdown(got, markdown, "task", "detail")
			b, err := json.Marshal(got)
			require.NoError(t, err)
			require.JSONEq(t, c.want, string(b))
		})
	}
}

func TestAddMarkdown_EndIsSummary(t *testing.T) {
	got, markdown, err := textformat.ParseMessage("", "---\nstatus: success\n---\n## Summary\ndone\n")
	require.NoError(t, err)
	textformat.AddMarkdown(got, markdown, "summary", "detail")
	require.Equal(t, map[string]any{"status": "success", "summary": "## Summary\ndone"}, got)
}

func TestMessage_RefusesOtherTexts(t *testing.T) {
	for text, want := range map[string]string{
		"":                           "empty",
		`{"to": }`:                   "not JSON",
		`{"a":1} {"b":2}`:            "there is more after it",
		`["a"]`:                      "no object",
		"to: qa\ntask: [a\n":         "not YAML",
		"to: a\nto: b\n":             "twice",
		"---\n- a\n---\nbody\n":      "no object",
		"a: &x [*x, *x]\n":           "more than",
		"a: 1\n---\nb: 2\n---\nc: 3": "there is more after it",
	} {
		_, _, err := textformat.ParseMessage("", text)
		require.ErrorContains(t, err, want, text)
	}
}

func TestAddMarkdown_ReadsStatusOfEnd(t *testing.T) {
	for text, want := range map[string]map[string]any{
		"# Login\n\n**Status:** failing\n":                  {"status": "failing"},
		"# Login\n\n- Outcome: done\n- Tests: 3 failed\n":   {"status": "done", "data": map[string]any{"tests": "3 failed"}},
		"# Login\n\n## Verdict\n\nREJECT\n":                 {"data": map[string]any{"verdict": "REJECT"}},
		"# Login\n\n## Status\n\nThe form keeps all fields": {},
		"# Login\n\nTests: 12 passed\n":                     {},
		"# Login\n\n```\nStatus: failing\n```\n":            {},
	} {
		said := map[string]any{}
		textformat.AddMarkdown(said, text, "summary", "detail")
		require.Equal(t, text, said["summary"])
		delete(said, "summary")
		require.Equal(t, want, said, text)
	}
}
