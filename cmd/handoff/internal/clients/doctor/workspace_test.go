package doctor_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/clients/doctor"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
	"handoff/tools"
)

func TestExamineStore_SkipsVerificationOfLargeStore(t *testing.T) {
	all := doctor.ExamineStore(t.Context(), newBox(t).boxes, workspace.File{Bytes: 1 << 30}, doctor.CommandBuilder{WorkspaceFlags: " --workspace w"})
	requireFinding(t, all, doctor.Skipped, "it is large", "handoff audit verify --workspace w")
}

func TestClosed_IsAnError(t *testing.T) {
	f := doctor.StoreNotOpened(schemas.Errorf(schemas.Unavailable, "process 7 does not answer").WithHint("It may be stopped."), doctor.CommandBuilder{WorkspaceFlags: " --workspace w"})
	requireFinding(t, []doctor.Finding{f}, doctor.Error, "process 7 does not answer. It may be stopped.", "handoff logs --workspace w")
}

func TestExamineIdentity_ReportsNameOfCommands(t *testing.T) {
	b := newBox(t)
	for name, tt := range map[string]struct {
		agent    string
		vars     map[string]string
		terminal bool
		boxes    tools.Invoker
		state    doctor.Severity
		says     string
		remedy   string
	}{
		"named":       {agent: "qa", state: doctor.OK, says: "act as qa: --agent or HANDOFF_AGENT"},
		"a person":    {terminal: true, state: doctor.OK, says: "act as human"},
		"nobody":      {state: doctor.Skipped, says: "nothing says under which name to act, so that commands only read: HANDOFF_AGENT or --agent does"},
		"a client":    {vars: map[string]string{"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "s"}, boxes: b.boxes, state: doctor.OK, says: "act as claude-code: this is its shell"},
		"no way in":   {vars: map[string]string{"CLAUDECODE": "1"}, state: doctor.OK, says: "or a numbered name of it"},
		"its session": {vars: map[string]string{"CODEX_THREAD_ID": "t2"}, boxes: b.boxes, state: doctor.OK, says: "act as codex: this is its shell"},
	} {
		t.Run(name, func(t *testing.T) {
			self, err := doctor.FindCaller(tt.agent, func(name string) string { return tt.vars[name] }, tt.terminal)
			require.NoError(t, err)
			requireFinding(t, []doctor.Finding{doctor.ExamineIdentity(t.Context(), self, tt.boxes)}, tt.state, tt.says, tt.remedy)
		})
	}
}

func TestExamineIdentity_OfSeveralSessionsNeedsProcess(t *testing.T) {
	b := newBox(t)
	for _, conn := range []string{"1", "2"} {
		b.do("", "connection_open", `{"conn": "c`+conn+`", "client": "codex", "process": "`+conn+`"}`)
	}
	self, err := doctor.FindCaller("", func(name string) string { return map[string]string{"CODEX_THREAD_ID": "other"}[name] }, false)
	require.NoError(t, err)
	requireFinding(t, []doctor.Finding{doctor.ExamineIdentity(t.Context(), self, b.boxes)}, doctor.Warning, "nothing tells which session of codex this is", "")
	self.Shell.Process = "2"
	requireFinding(t, []doctor.Finding{doctor.ExamineIdentity(t.Context(), self, b.boxes)}, doctor.OK, "act as codex-2: this is the shell of one of several", "")
}
