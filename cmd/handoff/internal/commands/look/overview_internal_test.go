package look

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/terminal"
	"handoff/schemas"
	"handoff/schemas/display"
	"handoff/schemas/golden"
)

func TestOverview_FitsTerminal(t *testing.T) {
	at := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	sign := at.Add(-26 * time.Minute)
	concern := func(id schemas.ID, kind schemas.OverviewEntryKind, title, reason string) schemas.OverviewEntry {
		return schemas.OverviewEntry{
			Kind: kind, HandoffID: id, Title: title, From: "dev", To: "qa", Holder: "qa", Since: at.Add(-90 * time.Minute),
			LastSign: &sign, Reason: reason, Next: []schemas.Advice{schemas.AdviseCall(schemas.GetIn{HandoffID: id.String()}, "shows it")},
		}
	}
	part := func(rows ...schemas.OverviewEntry) schemas.OverviewPart {
		return schemas.OverviewPart{Items: rows, Total: len(rows)}
	}
	out := schemas.OverviewOut{
		At: at,
		NeedsYou: part(concern(12, schemas.ConcernQuestion, "# Migrate the accounts of the shop to the new database server",
			"qa asked human: Which of the two databases is meant, and may the old one be read while the accounts are moved?")),
		Running: part(concern(13, schemas.ConcernRunning, "在登录页面上添加测试，并检查所有的错误信息是否正确", "")),
		Stuck: schemas.OverviewPart{Items: []schemas.OverviewEntry{
			concern(14, schemas.ConcernSilent, "Review the login", "qa said nothing of it for 26 min"),
		}, Total: 8, AtLeast: true},
		Counts: schemas.WorkspaceTotals{Claimable: 120, Held: 12, Waiting: 3, Blocked: 4, Sent: 2400, Agents: 6},
	}
	out.Running.Items[0].Percent, out.Running.Items[0].Report = 40, "Half of the tests run; \x1b[31mtwo of them fail"
	out.NeedsYou.Items[0].Priority = schemas.Critical
	for _, width := range []int{60, 80} {
		p := &cli.Page{Style: terminal.Style{Terminal: true, Style: display.Style{Width: width, Now: at}}}
		printOverview(p, &cli.App{Spellings: Spellings, Env: cli.Env{Getenv: func(string) string { return "" }}}, out, "")
		for line := range strings.Lines(p.String()) {
			require.LessOrEqual(t, display.CountColumns(strings.TrimSuffix(line, "\n")), width, "%q", line)
		}
		if width == 80 {
			golden.RequireEqual(t, "overview-80.txt", p.String())
		}
	}
}
