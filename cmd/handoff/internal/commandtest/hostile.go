package commandtest

import (
	"testing"
)

// Repaint is text that would move the cursor, recolour, turn around or hide what a terminal shows.
const Repaint = "\x1b[2J\x1b]0;owned\x07\u009b31mred\u202egnp\u200b\r\x7f\U000e0041 wäre 東京 🎉"

// Hostile is a workspace in which everything that can be said was said to repaint the reader's terminal.
func Hostile(t *testing.T) Desk {
	d := NewDesk(t)
	d.Must("dev", "send", "qa", Repaint, "--title", Repaint, "--summary", Repaint, "--detail", Repaint, "--data", "x="+Repaint,
		"--criteria", Repaint, "--constraint", Repaint, "--if-stuck", Repaint, "--tags", "a", "--reason", Repaint, "--phase", Repaint,
		"--context", AsJSON(t, map[string]any{"decisions": []any{map[string]any{"decision": Repaint, "rationale": Repaint}}, "state": map[string]any{Repaint: Repaint}}))
	d.Must("dev", "send", "qa", Repaint, "--type", "message", "--title", Repaint)
	d.Must("qa", "agents", "register", "qa", "--description", Repaint)
	d.Must("qa", "claim", "1")
	d.Must("qa", "update", "1", "--note", Repaint, "--percent", "10")
	d.Must("qa", "update", "1", "--ask", Repaint, "--needs-context", Repaint)
	d.Must("dev", "update", "1", "--answer", Repaint)
	d.Must("qa", "claim", "1")
	d.Must("qa", "fail", "1", Repaint, "--blocker", Repaint, "--question", Repaint, "--note", Repaint, "--state", AsJSON(t, map[string]any{Repaint: Repaint}))
	d.Must("dev", "claim", "2")
	d.Must("dev", "complete", "2", "--summary", Repaint, "--met", "1="+Repaint, "--note", Repaint, "--result", "branch="+Repaint, "--next", "qa", "--next-task", Repaint)
	return d
}
