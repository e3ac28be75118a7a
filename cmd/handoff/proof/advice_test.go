package proof_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/commandtest"
	"handoff/cmd/handoff/internal/root"
	"handoff/cmd/handoff/internal/shell"
	"handoff/schemas"
	"handoff/tools"
)

func TestAdvice_IsShownAsCommands(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has other quotes")
	}
	const id = "ho_7"
	blank := []string{schemas.Blank}
	for want, call := range map[string]schemas.Input{
		"handoff claim":                             schemas.ClaimIn{},
		"handoff claim ho_7 --full":                 schemas.ClaimIn{HandoffID: id, View: "full"},
		"handoff claim --tags go,sql":               schemas.ClaimIn{Tags: []string{"go", "sql"}},
		"handoff show ho_7":                         schemas.GetIn{HandoffID: id},
		"handoff show ho_7 --full":                  schemas.GetIn{HandoffID: id, View: "full"},
		"handoff wait ho_7":                         schemas.GetIn{HandoffID: id, View: "outcome", WaitSeconds: 50},
		"handoff list --all":                        schemas.ListIn{Box: "all"},
		"handoff list --box notices":                schemas.ListIn{Box: "notices"},
		"handoff agents":                            schemas.AgentsIn{},
		"handoff agents register qa":                schemas.RegisterIn{Name: "qa"},
		"handoff token list":                        schemas.TokenListIn{},
		"handoff history wf_1 --limit 91":           schemas.HistoryIn{Workflow: "wf_1", Limit: 91},
		"handoff update ho_7 --ask '…'":             schemas.UpdateIn{HandoffID: id, Action: schemas.ActAsk, Questions: blank},
		"handoff approve ho_7":                      schemas.UpdateIn{HandoffID: id, Action: schemas.ActApprove},
		"handoff accept ho_7":                       schemas.UpdateIn{HandoffID: id, Action: schemas.ActAccept},
		"handoff update ho_7 --return --reason '…'": schemas.UpdateIn{HandoffID: id, Action: schemas.ActReturn, Note: schemas.Blank},
		"handoff update ho_7 --release":             schemas.UpdateIn{HandoffID: id, Action: schemas.ActRelease},
		"handoff send qa 'it'\\''s' --key k":        schemas.SendIn{To: "qa", Task: "it's", Key: "k"},
		"handoff send qa x --criteria 'a b'":        schemas.SendIn{To: "qa", Task: "x", Expectations: &schemas.Expectations{SuccessCriteria: []string{"a b"}}},
		"handoff complete ho_7 --summary '…'":       schemas.CompleteIn{HandoffID: id, Result: schemas.Result{Summary: schemas.Blank}},
		"handoff fail ho_7 '…'":                     schemas.FailIn{HandoffID: id, FailureDetail: schemas.FailureDetail{Description: schemas.Blank}},

		// Calls that no command expresses.
		`handoff call get_handoff '{"handoff_id":"ho_7","wait_seconds":50}'`: schemas.GetIn{HandoffID: id, WaitSeconds: 50},
		`handoff call list_handoffs '{"limit":10,"cursor":"ho_3"}'`:          schemas.ListIn{Limit: 10, Cursor: "ho_3"},
	} {
		a := root.NewApp(cli.Env{Getenv: func(string) string { return "" }, IsTerminal: func(any) bool { return true }}, "")
		require.Equal(t, want, a.CommandLine(schemas.AdviseCall(call, ""), ""))
		requireCommand(t, want)
	}
}

func TestSpellings_MatchCommandsAndFlags(t *testing.T) {
	for _, s := range root.NewApp(cli.Env{}, "").Spellings() {
		cmd, rest, err := commandtest.Root().Find(strings.Fields(s.Command))
		require.NoError(t, err)
		require.Empty(t, rest, s.Command)
		for _, f := range s.Fields {
			require.NotNil(t, cmd.Flag(f.Flag), "%s --%s", s.Command, f.Flag)
		}
		_, err = tools.FindTool(s.Tool)
		require.NoError(t, err, s.Command)
	}
}

func TestAdvice_RepeatsAgentAndWorkspace(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has other quotes")
	}
	a := root.NewApp(cli.Env{Getenv: func(string) string { return "" }}, "")
	a.Agent, a.Dir = "qa", "/a b"
	require.Equal(t, "handoff fail ho_7 --agent qa --dir '/a b' '…' gives it up.",
		a.FormatAdvice(schemas.AdviseCall(schemas.FailIn{HandoffID: "ho_7", FailureDetail: schemas.FailureDetail{Description: schemas.Blank}}, "gives it up")))
	require.Equal(t, "handoff claim --agent qa --dir '/a b' takes the next one.", a.FormatAdvice(schemas.AdviseCall(schemas.ClaimIn{}, "takes the next one")))
	require.Equal(t, "To send it all the same, force it.", a.FormatAdvice(schemas.Advice{Say: "To send it all the same, force it."}))
}

// The advice of refused calls exists on the command line.
func TestAdvice_OfRefusalsNamesExistingCommands(t *testing.T) {
	parts := readBadCalls(t)
	o := newOffice(t)
	given := o.prepare(parts["before"])
	a, advised := root.NewApp(cli.Env{}, ""), 0
	for _, c := range parts["bad"] {
		_, err := o.call(c.agent, c.tool, given.fill(c.args))
		require.NotNil(t, err, "%s", c)
		for _, next := range err.Next {
			if next.Tool == "" {
				continue
			}
			advised++
			requireCommand(t, a.CommandLine(next, ""))
		}
	}
	require.Greater(t, advised, 40)
}

// requireCommand requires a command with these flags and arguments.
func requireCommand(t *testing.T, line string) {
	t.Helper()
	words, ok := shell.SplitWords(line)
	require.True(t, ok, "%s", line)
	cmd, given, err := commandtest.Root().Find(words[1:])
	require.NoError(t, err, "%s", line)
	require.True(t, cmd.HasParent(), "%s", line)
	require.NoError(t, cmd.ParseFlags(given), "%s", line)
	if cmd.Args != nil {
		require.NoError(t, cmd.Args(cmd, cmd.Flags().Args()), "%s", line)
	}
}
