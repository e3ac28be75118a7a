package doctor_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/clients/doctor"
	"handoff/schemas"
)

// The script doctor.txtar shows findings and their remedies.
func TestExamineHandoffs_ReportsAtMostTenFindings(t *testing.T) {
	b := newBox(t)
	for n := range 14 {
		b.do("dev", "send_handoff", fmt.Sprintf(`{"to": "nobody-%d", "task": "Test it"}`, n))
	}
	b.Pass(time.Hour)
	sh := doctor.CommandBuilder{Program: doctor.InstalledProgram{Path: "/bin/other"}, WorkspaceFlags: " --workspace w"}
	spell := func(next schemas.Advice) string { return "handoff " + next.Tool + " " + string(next.Args) }
	all := doctor.ExamineHandoffs(t.Context(), b.boxes, nil, sh, spell)
	require.Len(t, all, 11)
	requireFinding(t, all[10:], doctor.Warning, "and 4 more", "/bin/other status --workspace w")
}
