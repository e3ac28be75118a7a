package agentsfile_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/agentsfile"
	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
	"handoff/schemas/sandbox"
	"handoff/tools"
)

func TestMain(m *testing.M) { os.Exit(sandbox.New(m).Run()) }

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

// A brokenFile is a file with a problem. What and remedy are parts of the words of the problem.
type brokenFile struct {
	text   string
	line   int
	what   string
	remedy string
}

// brokenFiles returns the files of testdata/problems.txt.
func brokenFiles(t *testing.T) (all []brokenFile) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", "problems.txt"))
	require.NoError(t, err)
	for _, part := range strings.Split(string(content), "\n== ")[1:] {
		head, text, _ := strings.Cut(part, "\n")
		said := strings.Split(head, " | ")
		line, err := strconv.Atoi(said[0])
		require.NoError(t, err, head)
		all = append(all, brokenFile{strings.TrimSuffix(text, "\n") + "\n", line, said[1], said[2]})
	}
	return all
}

func TestParse_NamesLineAndRemedyOfEachProblem(t *testing.T) {
	qa := func(says string) string { return "agents:\n  qa:\n    " + says + "\n" }
	long, rule := strings.Repeat("x", 1<<19), "  - {on: completed, send: {to: qa, task: x}}\n"
	named := "  - &a {on: completed, send: {to: qa, task: " + long + "}}\n"
	for _, c := range append(
		brokenFiles(t),
		brokenFile{"\xff\xfe", 1, "no text", "shorter file"},
		brokenFile{"# " + long + long, 1, "1 MiB", "shorter file"},
		brokenFile{qa("description: " + long[:501]), 3, "no text that fits", "1 to 500"},
		brokenFile{"agents:\n" + manyAgents(501), 502, "more than 500", "Declare roles"},
		brokenFile{"routes:\n" + strings.Replace(rule, "on", "when: '"+long[:2001]+"', on", 1), 2, "when: 2001", ""},
		brokenFile{"routes:\n" + strings.Replace(rule, "x", "'"+strings.Repeat("{{1}}", 1001)+"'", 1), 2, "more than 1000 expressions", "--help"},
		brokenFile{"routes:\n" + strings.Repeat(rule, 201), 202, "more than 200 rules", "Leave"},
		brokenFile{"workflows:\n" + strings.Repeat("  w: []\n", 51), 52, "more than 50 workflows", "Leave"},
		brokenFile{"routes:\n" + named + strings.Repeat("  - *a\n", 8), 9, "with their aliases written out", "Say less"},
	) {
		_, problems := agentsfile.Parse([]byte(c.text), true)
		require.NotEmpty(t, problems, c.text)
		_, windows := agentsfile.Parse([]byte(strings.ReplaceAll(c.text, "\n", "\r\n")), true)
		require.Equal(t, problems, windows, "its lines may end as on Windows")
		require.Equal(t, c.line, problems[0].Line, "%s: %v", schemas.Clip(c.text, 200), problems)
		require.Contains(t, problems[0].What, c.what)
		require.Contains(t, problems[0].Remedy, c.remedy)
		require.NotEmpty(t, problems[0].Remedy)
	}
	_, problems := agentsfile.Parse([]byte(qa("away: x\n    max_open: y")+"agents: 1\nz: 1\n"), true)
	require.Len(t, problems, 4, "all are told")
	wrong := strings.Replace(rule, "on", "when: 1, on", 1) + "workflows:\n  w:\n    - {step: b, to: qa}\n"
	_, problems = agentsfile.Parse([]byte("routes:\n"+wrong), true)
	require.Len(t, problems, 2, "all are told, of rules too")
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

// owner counts whole declarations.
type owner struct {
	tools.Invoker
	whole int
}

func (o *owner) Invoke(ctx context.Context, c tools.Call) (json.RawMessage, error) {
	if c.Tool == "agents_declare" {
		o.whole++
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
