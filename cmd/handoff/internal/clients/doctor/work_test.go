package doctor_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/clients/doctor"
	"handoff/schemas"
)

// after examines the work after some time.
func (b *box) after(d time.Duration) []doctor.Finding {
	b.t.Helper()
	b.Pass(d)
	sh := doctor.CommandBuilder{Program: doctor.InstalledProgram{Path: "/bin/other"}, WorkspaceFlags: " --workspace w"}
	spell := func(next schemas.Advice) string { return "handoff " + next.Tool + " " + string(next.Args) }
	return doctor.ExamineHandoffs(b.t.Context(), b.boxes, nil, sh, spell)
}

func TestExamineHandoffs_WithoutConcernsIsOK(t *testing.T) {
	b := newBox(t)
	b.do("dev", "send_handoff", `{"to": "qa", "task": "Test it"}`)
	b.do("qa", "claim_handoff", `{}`)
	b.do("dev", "send_handoff", `{"to": "nobody", "task": "Test that"}`)
	b.do("dev", "send_handoff", `{"to": "human", "task": "Decide", "options": {"needs_approval": true}}`)
	requireFinding(t, b.after(time.Minute), doctor.OK, "2 handoffs under way", "")
}

// The overview decides which handoffs are stuck, and doctor repeats its reasons. Young concerns are no findings.
func TestExamineHandoffs_ReportsStuckHandoffsWithRemedy(t *testing.T) {
	type call struct {
		agent      schemas.Agent
		tool, args string
	}
	send, claim := call{"dev", "send_handoff", `{"to": "qa", "task": "Test it"}`}, call{"qa", "claim_handoff", `{}`}
	for name, tt := range map[string]struct {
		calls         []call
		before, after time.Duration // there is no finding before
		says, remedy  string
	}{
		"mail for a name that nobody has": {
			[]call{send},
			4 * time.Minute, time.Minute,
			"ho_1 is stuck for 5m: nobody has used the name qa yet", `update_handoff {"handoff_id":"ho_1"`,
		},
		"a question": {
			[]call{send, claim, {"qa", "update_handoff", `{"handoff_id": "ho_1", "action": "ask", "questions": ["Which one?"]}`}},
			4 * time.Minute, time.Minute,
			"ho_1 is stuck for 5m: dev is not here. qa asked dev: Which one?", `"action":"answer"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBox(t)
			for _, c := range tt.calls {
				b.do(c.agent, c.tool, c.args)
			}
			if tt.before > 0 {
				requireNone(t, b.after(tt.before), "ho_")
			}
			requireFinding(t, b.after(tt.after), doctor.Warning, tt.says, tt.remedy)
		})
	}
}

func TestExamineHandoffs_ReportsAtMostTenFindings(t *testing.T) {
	b := newBox(t)
	for n := range 14 {
		b.do("dev", "send_handoff", fmt.Sprintf(`{"to": "nobody-%d", "task": "Test it"}`, n))
	}
	all := b.after(time.Hour)
	require.Len(t, all, 11)
	requireFinding(t, all[10:], doctor.Warning, "and 4 more", "/bin/other status --workspace w")
}
