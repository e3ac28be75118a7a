package agentsfile_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/agentsfile"
	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
	"handoff/tools"
)

const both = `# handoff protocol agent
agents:
  qa:
    accepts:
      - code
      - "*"
    produces: [test_results]
  ops:
agent_roles:
  testing-specialist:
    skills: [testing, qa]
    typical_tasks: [testing, bug-fixes]
    max_session_duration: 60  # minutes before context risk
    responsibilities: "Run tests, document failures"
`

func TestParse_ReadsAgentsAndRoles(t *testing.T) {
	said, problems := agentsfile.Parse([]byte(both), true)
	require.Empty(t, problems)
	require.Equal(t, []schemas.RegisterIn{
		{Name: "qa", Accepts: []string{"code", "*"}, Produces: []string{"test_results"}},
		{Name: "ops"},
		{
			Name: "testing-specialist", Role: "testing-specialist", Skills: []string{"testing", "qa"}, MaxMinutes: 60,
			Accepts: []string{"testing", "bug-fixes"}, Description: "Run tests, document failures",
		},
	}, said.Agents)
	windows, _ := agentsfile.Parse([]byte(strings.ReplaceAll(both, "\n", "\r\n")), true)
	require.Equal(t, said, windows)
	for _, nothing := range []string{"", "# agents:\n", "agents:\n", agentsfile.Template} {
		said, problems := agentsfile.Parse([]byte(nothing), true)
		require.Empty(t, problems, nothing)
		require.Empty(t, said.Agents)
	}
	everything := strings.NewReplacer("#   ", "  ", "# agents:", "agents:", "# agent_roles:", "agent_roles:").Replace(agentsfile.Template)
	said, problems = agentsfile.Parse([]byte(everything), true)
	require.Empty(t, problems, everything)
	require.Len(t, said.Agents, 2)
}

func TestParse_NamesLineAndRemedyOfEachProblem(t *testing.T) {
	qa := func(says string) string { return "agents:\n  qa:\n    " + says + "\n" }
	for _, c := range []struct {
		text   string
		line   int
		what   string
		remedy string
	}{
		{"agents:\n\tqa:\n", 2, "not YAML", "spaces"},
		{"agents:\n  qa:\n    accepts: [code\n  b: 1\n", 3, "not YAML", "lists are written"},
		{qa("accepts: [*]"), 3, "not YAML", `["*"]`},
		{qa("accepts: *all"), 1, "unknown anchor", "Quote"},
		{"agents\n", 1, "has no names", "Begin with agents:"},
		{"- qa\n", 1, "has no names", "Begin with agents:"},
		{"agents: {}\n---\nagents: {}\n", 2, "second document", "one document"},
		{"\xff\xfe", 1, "no text", "shorter file"},
		{"# " + strings.Repeat("x", 1<<20), 1, "1 MiB", "shorter file"},
		{"routing: {}\n", 1, `"routing"`, "Begin with agents:"},
		{"agents: {}\nagents: {}\n", 2, "also in line 1", "Keep one"},
		{"agents: [qa, ops]\n", 1, "agents has no names", "as qa:"},
		{"agents: qa\n", 1, "agents has no names", "as qa:"},
		{"agents:\n  qa:\n  qa:\n", 3, "also in line 2", "Keep one"},
		{"agents:\n  qa:\nagent_roles:\n  qa:\n", 4, "declared in line 2 too", "share their names"},
		{"agents:\n  the qa: {}\n", 2, "no name of an agent", "1 to 64"},
		{"agents:\n  " + strings.Repeat("q", 65) + ": {}\n", 2, "no name of an agent", "1 to 64"},
		{"agents:\n  role:qa: {}\n", 2, "no name of an agent", "1 to 64"},
		{"agents:\n  human: {}\n", 2, "reserved", "another name"},
		{"agents:\n  system: {}\n", 2, "reserved", "another name"},
		{"agents:\n  [a]: {}\n", 2, "no name", "a name and a colon"},
		{"agents:\n  qa: code\n", 2, "qa has no names", "accepts: [code, tests]"},
		{"agents:\n  qa: [code]\n", 2, "qa has no names", "accepts: [code, tests]"},
		{qa("acepts: [code]"), 3, `"acepts"`, "Write accepts."},
		{qa("colour: red"), 3, `"colour"`, "There are accepts"},
		{qa("<<: {}"), 3, `"<<"`, "There are accepts"},
		{qa("accepts: [a]\n    accepts: [b]"), 4, "also in line 3", "Keep one"},
		{qa("accepts: [a]\n    typical_tasks: [b]"), 4, "mean the same", "Keep one"},
		{qa("accepts: code, tests"), 3, "accepts is no list", "accepts: [code, tests]"},
		{qa("accepts:"), 3, "accepts is no list", "accepts: [code, tests]"},
		{qa("skills: {go: 1}"), 3, "skills is no list", "skills: [code, tests]"},
		{qa("accepts: [" + strings.Repeat("a, ", 65) + "]"), 3, "accepts is no list that fits", "up to 64"},
		{qa("accepts:\n    - code\n    - code review"), 5, `"code review" is no word`, "code_review"},
		{qa("accepts: [[a]]"), 3, "is no word", "code_review"},
		{qa(`skills: ["*"]`), 3, `"*" is no word for skills`, "code_review"},
		{qa("accepts: &x [*x]"), 3, "is no word", "code_review"},
		{qa("role: the tester"), 3, `"the tester" is no word for role`, "1 to 64"},
		{"agent_roles:\n  qa:\n    role: x\n", 3, "its own name", "Leave it out"},
		{qa("description: [a]"), 3, "no text that fits", "in quotes"},
		{qa("description:"), 3, "no text that fits", "leave the line out"},
		{qa("description: " + strings.Repeat("x", 501)), 3, "no text that fits", "1 to 500"},
		{qa("max_session_minutes: 2h"), 3, "no such number", "of minutes from 1 to 10080"},
		{qa("max_session_duration: 0"), 3, "no such number", "of minutes from 1 to 10080"},
		{qa("max_open: 1001"), 3, "no such number", "from 1 to 1000"},
		{qa("max_open: 1.5"), 3, "no such number", "from 1 to 1000"},
		{qa("away: sometimes"), 3, "neither true nor false", "true or false"},
		{"agents:\n" + strings.Repeat("  a: {}\n", 2), 3, "also in line 2", "Keep one"},
		{"agents:\n" + manyAgents(501), 502, "more than 500", "Declare roles"},
	} {
		_, problems := agentsfile.Parse([]byte(c.text), true)
		require.NotEmpty(t, problems, c.text)
		_, windows := agentsfile.Parse([]byte(strings.ReplaceAll(c.text, "\n", "\r\n")), true)
		require.Equal(t, problems, windows, "its lines may end as on Windows")
		require.Equal(t, c.line, problems[0].Line, "%s: %v", schemas.Clip(c.text, 200), problems)
		require.Contains(t, problems[0].What, c.what)
		require.Contains(t, problems[0].Remedy, c.remedy)
	}
	_, problems := agentsfile.Parse([]byte(qa("away: x\n    max_open: y")+"agents: 1\nz: 1\n"), true)
	require.Len(t, problems, 4, "all are told")
}

func manyAgents(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "  a%d:\n", i)
	}
	return b.String()
}

// desk is a project whose files are told to a workspace.
type desk struct {
	*agentsfile.Declarer
	t    *testing.T
	file string
}

func newDesk(t *testing.T) desk {
	dir := t.TempDir()
	w := mailboxtest.New(t)
	files := []agentsfile.File{{Path: filepath.Join(dir, "user.yaml"), Name: "user.yaml"}, {Path: filepath.Join(dir, "agents.yaml"), Name: "agents.yaml"}}
	return desk{&agentsfile.Declarer{Invoker: tools.LocalInvoker{Mailbox: w.Service}, Files: func() []agentsfile.File { return files }}, t, files[1].Path}
}

func (d desk) write(text string) { require.NoError(d.t, os.WriteFile(d.file, []byte(text), 0o600)) }

// listed returns the names of all agents, and the warnings.
func (d desk) listed() (names string, warnings []string) {
	call := tools.Call{Caller: schemas.Caller{Agent: "dev", Via: schemas.ViaStdio}, Tool: "list_agents"}
	out, err := tools.InvokeTyped[schemas.AgentsOut](context.Background(), d, call, schemas.AgentsIn{})
	require.NoError(d.t, err)
	for _, c := range out.Agents {
		names += string(c.Name) + " "
	}
	return names, out.Warnings
}

func TestDeclarer_DeclaresChangesButNoBrokenFile(t *testing.T) {
	d := newDesk(t)
	names, warnings := d.listed()
	require.Empty(t, names+strings.Join(warnings, ""))
	d.write("agents:\n  qa:\n  ops:\n")
	names, _ = d.listed()
	require.Equal(t, "ops qa ", names)
	d.write("agents:\n  qa:\n    acepts: [code]\n")
	names, warnings = d.listed()
	require.Equal(t, "ops qa ", names)
	require.Equal(t, []string{`agents.yaml:3: "acepts" is no field. Write accepts.`}, warnings)
	d.write("routes:\n  - on: completed\n    when: handof.x\n    send: {to: qa, task: x}\n")
	names, warnings = d.listed()
	require.Equal(t, "ops qa ", names)
	require.Len(t, warnings, 2)
	require.Contains(t, warnings[1], "the rules of agents.yaml (1) send nothing")
	require.Contains(t, warnings[0], "agents.yaml:3: when: undeclared reference to 'handof'")
	d.write("agents:\n  qa:\n")
	names, warnings = d.listed()
	require.Equal(t, "qa ", names)
	require.Empty(t, warnings)
	require.NoError(t, os.Remove(d.file))
	names, _ = d.listed()
	require.Empty(t, names)
	require.NoError(t, os.Mkdir(d.file, 0o700))
	_, warnings = d.listed()
	require.Equal(t, []string{"agents.yaml:1: it cannot be read: it is no regular file. Make it a file that you may read, or remove it."}, warnings)
}

// another is a later process of the same project.
func (d desk) another() desk {
	return desk{&agentsfile.Declarer{Invoker: d.Invoker, Files: d.Files}, d.t, d.file}
}

// owner counts whole declarations. An older one does not know permissions, and a still older one no digest either.
type owner struct {
	tools.Invoker
	older, before bool
	whole         int
	last          string // that was declared
}

func (o *owner) Invoke(ctx context.Context, c tools.Call) (json.RawMessage, error) {
	switch {
	case o.older && c.Tool == "agents_declared":
		return nil, schemas.Errorf(schemas.NotFound, "no tool agents_declared")
	case o.older && strings.Contains(string(c.Args), `"digest"`):
		return nil, schemas.Invalidf("digest", "there is no such field")
	case (o.older || o.before) && strings.Contains(string(c.Args), `"leave"`):
		return nil, schemas.Invalidf("leave", "there is no such field")
	case c.Tool == "agents_declare":
		o.whole, o.last = o.whole+1, string(c.Args)
	}
	return o.Invoker.Invoke(ctx, c)
}

func TestDeclarer_SkipsSameDeclarations(t *testing.T) {
	d := newDesk(t)
	o := &owner{Invoker: d.Invoker}
	d.Invoker = o
	said := func(d desk, names string, whole int) {
		t.Helper()
		got, warnings := d.listed()
		require.Equal(t, names, got)
		require.Empty(t, warnings)
		require.Equal(t, whole, o.whole)
	}
	said(d, "", 1)
	d.write("agents:\n  qa:\n")
	said(d, "qa ", 2)
	said(d.another(), "qa ", 2)
	require.NoError(t, os.Remove(d.file))
	said(d.another(), "", 3)
	d.write("agents:\n  qa:\n")
	said(d.another(), "qa ", 4)

	elsewhere := d.another()
	elsewhere.Files = func() []agentsfile.File { return []agentsfile.File{{Path: d.file, Name: "other/agents.yaml"}} }
	said(elsewhere, "qa ", 5)
	said(d.another(), "qa ", 6)
	said(d.another(), "qa ", 6)
	updated := d.another()
	updated.Version = "v2"
	said(updated, "qa ", 7)

	o.older = true
	said(d.another(), "qa ", 8)
	said(d.another(), "qa ", 9)
	d.write("agents:\n  qa:\nroutes:\n  - {on: [sent], send: {to: qa, task: x}}\n")
	d.another().listed()
	require.Contains(t, o.last, `"qa"`)
	require.NotContains(t, o.last, "routes", "it would run rules without leave")
	o.older, o.before = false, true
	before := o.whole
	d.another().listed()
	d.another().listed()
	require.Equal(t, before+2, o.whole, "an owner that knows leave comes one day, and is told then")
	o.before = false
	for range 2 {
		d.write("agents:\n  qa:\n    acepts: [code]\n")
		_, warnings := d.another().listed()
		require.Len(t, warnings, 1)
	}
}

func TestDeclarer_MasksSecretsAndWarns(t *testing.T) {
	d := newDesk(t)
	token := "gh" + "p_" + "16C7e42F292c6912E7710c838347Ae178B4a"
	d.write("agents:\n  qa:\n    description: use " + token + "\n")
	for range 2 { // each process is warned
		d = d.another()
		names, warnings := d.listed()
		require.Equal(t, "qa ", names)
		require.Len(t, warnings, 1)
		require.Contains(t, warnings[0], "description held a secret (github-token)")
	}
	all, err := d.Invoker.Invoke(t.Context(), tools.Call{Caller: schemas.Caller{Agent: "dev", Via: schemas.ViaStdio}, Tool: "list_agents"})
	require.NoError(t, err)
	require.Contains(t, string(all), "use [secret: github-token]")
	require.NotContains(t, string(all), token)

	d = newDesk(t)
	refusing := d.Invoker.(tools.LocalInvoker)
	refusing.Secrets = tools.RefuseSecrets
	d.Invoker = refusing
	d.write("agents:\n  qa:\n    description: use " + token + "\n")
	names, warnings := d.listed()
	require.Empty(t, names)
	require.Contains(t, strings.Join(warnings, ""), "holds a secret")
}

func TestDeclarer_RegistersAgentFromFlags(t *testing.T) {
	d := newDesk(t)
	d.Own = schemas.RegisterIn{Role: "testing", Accepts: []string{"code"}}
	for range 2 {
		_, err := d.Invoke(context.Background(), tools.Call{
			Caller: schemas.Caller{Agent: "qa", Via: schemas.ViaStdio}, Tool: "send_handoff", Args: json.RawMessage(`{"to":"capability:code","task":"x"}`),
		})
		require.NoError(t, err)
	}
	call := tools.Call{Caller: schemas.Caller{Agent: "qa", Via: schemas.ViaStdio}, Tool: "list_agents"}
	out, err := tools.InvokeTyped[schemas.AgentsOut](context.Background(), d, call, schemas.AgentsIn{Capability: "code"})
	require.NoError(t, err)
	require.Equal(t, "testing", out.Agents[0].Role)
}

// A waiting call gets changes of a file: here of a pool with the waiting agent.
func TestDeclarer_DeclaresChangesDuringWait(t *testing.T) {
	d := newDesk(t)
	ask := func(agent schemas.Agent, tool string, args string) (string, error) {
		raw, err := d.Invoke(t.Context(), tools.Call{
			ID: tools.NewRequestID(time.Now(), rand.Reader), Caller: schemas.Caller{Agent: agent, Via: schemas.ViaStdio}, Tool: tool, Args: json.RawMessage(args),
		})
		return string(raw), err
	}
	_, err := ask("dev", "send_handoff", `{"to":"capability:code","task":"x"}`)
	require.NoError(t, err)
	done := make(chan string, 1)
	go func() {
		raw, _ := ask("qa", "claim_handoff", `{"wait_seconds":40}`)
		done <- raw
	}()
	require.Eventually(t, func() bool { // asked of the mailbox itself, so that nothing is declared by it
		raw, err := d.Invoker.Invoke(t.Context(), tools.Call{Caller: schemas.Caller{Agent: "dev", Via: schemas.ViaStdio}, Tool: "list_agents"})
		return err == nil && strings.Contains(string(raw), `"waiting":true`)
	}, time.Minute, time.Millisecond)
	d.write("agents:\n  qa:\n    accepts: [code]\n")
	require.Contains(t, <-done, `"ho_1"`)
}
