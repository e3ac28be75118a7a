package main

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
)

// repaint is text that would move the cursor, recolour, turn around or hide what a terminal shows.
const repaint = "\x1b[2J\x1b]0;owned\x07\u009b31mred\u202egnp\u200b\r\x7f\U000e0041 wäre 東京 🎉"

func TestInertJSONMeansTheSame(t *testing.T) {
	raw, err := json.Marshal(map[string]string{"title": repaint})
	require.NoError(t, err)
	shown := cli.Inert(raw)
	require.Equal(t, shown, schemas.Visible(shown))
	require.JSONEq(t, string(raw), shown)
	require.Contains(t, shown, "wäre 東京 🎉")
	require.Equal(t, "\"\ufffd\"", cli.Inert(json.RawMessage("\"\x9b\"")))
}

// hostile is a workspace in which everything that can be said was said to repaint the reader's terminal.
func hostile(t *testing.T) desk {
	d := newDesk(t)
	d.must("dev", "send", "qa", repaint, "--title", repaint, "--summary", repaint, "--detail", repaint, "--data", "x="+repaint,
		"--criteria", repaint, "--constraint", repaint, "--if-stuck", repaint, "--tags", "a", "--reason", repaint, "--phase", repaint,
		"--context", asJSON(t, map[string]any{"decisions": []any{map[string]any{"decision": repaint, "rationale": repaint}}, "state": map[string]any{repaint: repaint}}))
	d.must("dev", "send", "qa", repaint, "--type", "message", "--title", repaint)
	d.must("qa", "agents", "register", "qa", "--description", repaint)
	d.must("qa", "claim", "1")
	d.must("qa", "update", "1", "--note", repaint, "--percent", "10")
	d.must("qa", "update", "1", "--ask", repaint, "--needs-context", repaint)
	d.must("dev", "update", "1", "--answer", repaint)
	d.must("qa", "claim", "1")
	d.must("qa", "fail", "1", repaint, "--blocker", repaint, "--question", repaint, "--note", repaint, "--state", asJSON(t, map[string]any{repaint: repaint}))
	d.must("dev", "claim", "2")
	d.must("dev", "complete", "2", "--summary", repaint, "--met", "1="+repaint, "--note", repaint, "--result", "branch="+repaint, "--next", "qa", "--next-task", repaint)
	return d
}

// Nothing that agents wrote, and nothing that an error repeats, reaches the terminal as more than text.
func TestNoTextOfAgentsRepaintsTheTerminal(t *testing.T) {
	d := hostile(t)
	for _, args := range [][]string{
		{"list"},
		{"list", "--all"},
		{"list", "--all", "--json"},
		{"list", "--box", "notices"},
		{"show", "1"},
		{"show", "1", "--full"},
		{"show", "1", "--brief"},
		{"show", "1", "--events"},
		{"show", "1", "--outcome"},
		{"show", "1", "--checkpoint"},
		{"show", "1", "--json"},
		{"show", "2", "--full"},
		{"show", "no_1"},
		{"show", "no_1", "--json"},
		{"history"},
		{"history", "--rows"},
		{"history", "--mermaid"},
		{"history", "--json"},
		{"wait", "1"},
		{"wait", "2"},
		{"agents"},
		{"agents", "--json"},
		{"audit", "verify"},
		{"claim", "3", "--full"},
		{"call", "get_handoff", `{"handoff_id": 1}`},
		{repaint},
		{"show", repaint},
		{"show", "no_" + repaint},
		{"wait", "no_" + repaint},
		{"send", repaint, "x"},
		{"send", "--" + repaint},
		{"send", "qa", "x", "--data", repaint},
		{"send", "qa", "x", "--file", repaint},
		{"send", "qa", "x", "--priority", repaint},
		{"list", "--limit", repaint},
		{"list", "--status", repaint},
		{"list", "--dir", repaint},
		{"list", "--workspace", repaint},
		{"list", "--json", "--status", repaint},
		{"claim", "--wait", repaint},
		{"call", repaint},
		{"call", "get_handoff", repaint},
		{"call", "get_handoff", asJSON(t, map[string]string{"view": repaint, repaint: repaint})},
		{"complete", "3", "--unmet", repaint},
		{"show", "\x9b31m"},
		{"history", repaint},
		{"agents", "register", repaint},
		{"update", "1", "--cancel", "--to", repaint},
		{"retry", repaint},
	} {
		for _, terminal := range []bool{false, true} {
			t.Run(fmt.Sprintf("%.60q", args), func(t *testing.T) {
				out, errs := d.plain(terminal, args...)
				require.NotEmpty(t, out+errs)
				require.Equal(t, schemas.Visible(out), out)
				require.Equal(t, schemas.Visible(errs), errs)
			})
		}
	}
}

// plain is what qa is shown without colour, on a terminal or elsewhere.
func (d desk) plain(terminal bool, args ...string) (out, errs string) {
	e := d.env()
	e.IsTerminal = func(any) bool { return terminal }
	_, out, errs = execute(d.Context(), e, d.vars("qa", "NO_COLOR"), args...)
	return out, errs
}
