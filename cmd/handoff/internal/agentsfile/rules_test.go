package agentsfile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/agentsfile"
	"handoff/schemas"
)

func TestParse_ReadsExample(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "examples", "rules", "agents.yaml"))
	require.NoError(t, err)
	said, problems := agentsfile.Parse(text, true)
	require.Empty(t, problems)
	require.Len(t, said.Agents, 4)
	require.Len(t, said.Routes, 5)
	require.Equal(t, "role:testing", said.Routes[0].Send[0].To)
	require.Len(t, said.Plans, 4)
	require.Len(t, said.Plans[2].Steps[1], 2)
}

func TestParse_NamesLineAndRemedyOfEachBrokenRule(t *testing.T) {
	route := func(says string) string {
		return "routes:\n  - on: completed\n    send: {to: qa, task: x}\n" + strings.ReplaceAll("    "+says, "\n", "\n    ") + "\n"
	}
	send := func(says string) string { return "routes:\n  - on: completed\n    send:\n      " + says + "\n" }
	plan := func(steps ...string) string {
		return "workflows:\n  w:\n    - {step: a, to: qa, task: x}\n    - " + strings.Join(steps, "\n    - ") + "\n"
	}
	for _, c := range []struct {
		text   string
		line   int
		what   string
		remedy string
	}{
		{"routes: {}\n", 1, "routes is no list", "a dash"},
		{"routes: x\n", 1, "routes is no list", "a dash"},
		{"routes:\n  - x\n", 2, "must be an object", ""},
		{"routes:\n  - on: completed\n", 2, "send: required", ""},
		{"routes:\n  - send: {to: qa, task: x}\n", 2, "on: required", ""},
		{route("on: x"), 4, "already defined at line 2", "Keep one"},
		{"routes:\n  - on: done\n    send: {to: qa, task: x}\n", 2, "on[0]: ", "completed"},
		{"routes:\n  - on: [completed, {}]\n    send: {to: qa, task: x}\n", 2, "on[1]: ", ""},
		{route("whne: true"), 4, "whne: there is no such field", "Closest: when"},
		{route("name: " + strings.Repeat("n", 65)), 4, "name: ", ""},
		{route("when: 1"), 4, "it gives int", "--help"},
		{route("when: handoff.titel == ''"), 4, "undefined field 'titel'", "--help"},
		{route("when: handof.name == ''"), 4, "did you mean 'handoff'", "--help"},
		{route("when: handoff.type ="), 4, "Syntax error", "--help"},
		{route("when: handoff.type == 3"), 4, "no matching overload", "--help"},
		{route("when: nothing(handoff.type)"), 4, "undeclared reference to 'nothing'", "--help"},
		{route("when: '" + strings.Repeat("1", 2001) + "'"), 4, "when: ", ""},
		{route("join: {to: qa}"), 4, "join.task: required", ""},
		{route("join: {to: qa, task: '{{outcome.nothing}}'}"), 4, "join.task: undefined field", "--help"},
		{send("to: qa"), 4, "send[0].task: required", "What to do"},
		{send("{to: qa, task: x, priority: urgent}"), 4, "send[0].priority", ""},
		{send("{to: qa, task: x, colour: red}"), 4, "send[0].colour: there is no such field", ""},
		{send("{to: qa, task: [x]}"), 4, "send[0].task: must be text", ""},
		{send("{to: qa, task: {{outcome.summary}}}"), 4, "invalid map key", "Quote texts"},
		{send("{to: qa, task: '{{outcome.summary'}"), 4, "{{ has no }} after it", "--help"},
		{send("{to: qa, task: '{{outcome.}}'}"), 4, "Syntax error", "--help"},
		{send("{to: qa, task: '{{}}'}"), 4, "Syntax error", "--help"},
		{send("{to: qa, task: x, context: {state: {a: '{{b}}'}}}"), 4, "send[0].context.state.a: undeclared reference", "--help"},
		{send("{to: qa, task: x, options: {max_attempts: 99}}"), 4, "options.max_attempts", ""},
		{send("- {to: qa, task: x}\n      - {to: qa}"), 5, "send[1].task: required", ""},
		{"workflows: [a]\n", 1, "workflows has no names", "implement-and-test:"},
		{"workflows:\n  the build: []\n", 2, "no name of a workflow", "1 to 64"},
		{"workflows:\n  w: x\n", 2, "steps: must be", ""},
		{"workflows:\n  w: {limits: {}}\n", 2, "steps: required", ""},
		{"workflows:\n  w:\n    limits: {minutes: 30, cost: 5}\n    steps: [{step: a, to: qa, task: x}]\n", 3, "limits.cost: \"cost\" is not a limit", "cost_usd."},
		{"workflows:\n  w:\n    limits:\n      rounds: 0\n    steps: [{step: a, to: qa, task: x}]\n", 4, "0 leaves no room", "at least 1."},
		{plan("{step: b, to: qa, task: x, options: {limits: {minutes: 0}}}"), 4, "options.limits.minutes: 0 leaves no room", "more than 0."},
		{"workflows:\n  w: []\n", 2, "steps: a workflow has one step", "--help"},
		{"workflows:\n  w:\n    - {to: qa, task: x}\n", 3, "step: required", ""},
		{"workflows:\n  w:\n    - {step: a, when: 'true', to: qa, task: x}\n", 3, "the first step is one handoff", "--help"},
		{"workflows:\n  w:\n    - [{step: a, to: qa, task: x}, {step: b, to: qa, task: x}]\n", 3, "the first step is one handoff", "--help"},
		{send("{to: bogus:qa, task: x}"), 4, "send[0].to: \"bogus:qa\" is not an address", "capability:NAME"},
		{plan("{step: b, to: 'the qa', task: x}"), 4, "steps[1].to: ", ""},
		{send("{to: qa, task: '" + strings.Repeat("{{1}}", 1001) + "'}"), 4, "more than 1000 expressions", "--help"},
		{"routes:\n" + strings.Repeat("  - {on: completed, send: {to: qa, task: x}}\n", 201), 202, "more than 200 rules", "Leave"},
		{"workflows:\n" + strings.Repeat("  w: []\n", 51), 52, "more than 50 workflows", "Leave"},
		{"routes:\n  - &a {on: completed, send: {to: qa, task: " + strings.Repeat("x", 1<<19) + "}}\n" + strings.Repeat("  - *a\n", 8), 9, "with their aliases written out", "Say less"},
		{"routes: &a [*a]\n", 1, "with their aliases written out", "Say less"},
		{plan("{step: a, to: qa, task: x}"), 4, "or another step has this name", "--help"},
		{plan("{step: end, to: qa, task: x}"), 4, "not a name for a step", "--help"},
		{plan("{step: b, next: c, to: qa, task: x}"), 4, "there are [a b] and end", "--help"},
		{plan("{step: b, next: a, to: qa, task: x}"), 4, "no single step after the first", "--help"},
		{plan("{step: b, when: outcome.passd, to: qa, task: x}"), 4, "undefined field 'passd'", "--help"},
		{plan("[{step: b, when: 'true', to: qa, task: x}, {step: c, to: qa, task: x}]"), 4, "side by side have no condition", "--help"},
		{plan("[{step: b, to: qa, task: x}, {step: c, to: qa, task: x}]", "{step: d, when: 'true', to: qa, task: x}"), 5, "which waits for them", "--help"},
	} {
		_, problems := agentsfile.Parse([]byte(c.text), true)
		require.NotEmpty(t, problems, c.text)
		assert.Equal(t, c.line, problems[0].Line, "%s: %v", schemas.Clip(c.text, 200), problems)
		assert.Contains(t, problems[0].What, c.what, c.text)
		assert.Contains(t, problems[0].Remedy, c.remedy, c.text)
		assert.NotEmpty(t, problems[0].Remedy, c.text)
	}
	_, problems := agentsfile.Parse([]byte(route("when: 1")+plan("{step: b, to: qa}")), true)
	require.Len(t, problems, 2, "all are told")
}
