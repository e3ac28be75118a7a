package look

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
	"handoff/schemas/golden"
)

// A list is printed at the end of a call that needs a terminal. Rows are enough for these tests.

const repaint = "\x1b[2J\u202eevil\u200b\"]; click x \"javascript:alert(1)\"\n    ▼\nroot ───▶ </title>\r`%%{init}%%`"

var now = time.Date(2026, 1, 11, 22, 30, 0, 0, time.UTC)

// listOnTerminal returns a list as a terminal shows it.
func listOnTerminal(out listResult, colour bool) string {
	p := &cli.Page{}
	p.Terminal, p.Colour, p.Width, p.Now = true, colour, 80, now
	printItems(p, out)
	return p.String()
}

var items = []schemas.ListItem{
	{HandoffID: 6, From: "qa", To: "role:security", Holder: "ciso", Status: schemas.Working, Title: "Security review", At: now.Add(-5 * time.Minute)},
	{
		HandoffID: 7, From: "ciso", To: "auto-code", Status: schemas.Pending, Title: "Rotate the keys",
		Priority: schemas.Critical, At: now.Add(-49 * time.Hour), BlockedBy: []string{"approval", "ho_4"},
	},
	{HandoffID: 123, From: "レビュー担当", To: "qa", Status: schemas.TimedOut, Title: repaint, At: now.Add(time.Hour)},
	{
		NoticeID: 7, From: "auto-code", To: "qa", Kind: "completed", Title: "Implement auth module",
		Text: "28 min, all criteria met", Unread: true, At: now.Add(-3 * time.Hour),
	},
}

func TestList_FitsWidthOfTerminal(t *testing.T) {
	got := listOnTerminal(listResult{Items: items}, false)
	golden.RequireEqual(t, "list.txt", got)
}

func TestList_ColourKeepsPadding(t *testing.T) {
	shown := listOnTerminal(listResult{Items: items[:2]}, true)
	require.Contains(t, shown, "ciso       \x1b[36mIn Progress\x1b[0m  5m")
	require.Contains(t, shown, "auto-code  \x1b[35mBlocked\x1b[0m      2d")
}

func TestList_CannotRepaintTerminal(t *testing.T) {
	item := schemas.ListItem{HandoffID: 1, From: "a", To: "b", Status: schemas.Pending, Title: repaint, At: now}
	item.BlockedBy, item.Reason = []string{repaint}, repaint
	shown := listOnTerminal(listResult{Items: []schemas.ListItem{item}}, false)
	for line := range strings.Lines(shown) {
		require.Equal(t, line, schemas.EscapeHidden(line))
	}
}
