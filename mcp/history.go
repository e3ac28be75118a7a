package mcp

import (
	"context"
	"fmt"
	"strings"

	"handoff/schemas"
)

// history finds a workflow by its own name or by one of its handoffs.
func (u promptUse) history(ctx context.Context, id string) (schemas.HistoryOut, *schemas.Error) {
	if _, ok := schemas.ParseID(id); ok {
		return ask[schemas.HistoryOut](ctx, u.server, u.by, "handoff_history", arguments{"handoff_id": id})
	}
	return ask[schemas.HistoryOut](ctx, u.server, u.by, "handoff_history", arguments{"workflow": id})
}

// historyText is a history as Markdown. Words of ours come first, and each line that agents wrote is marked, so that
// none of them passes for ours.
func historyText(h schemas.HistoryOut) string {
	verified := "Verified against the registry."
	if !h.Verified {
		verified = "NOT verified: it disagrees with the registry."
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s %s\n\n%s", h.Workflow, verified, dataNotice, indentLines(h.Tree))
	if h.More > 0 {
		fmt.Fprintf(&b, "\n%d more are not shown.\n", h.More)
	}
	if h.Output != "" {
		fmt.Fprintf(&b, "\nThe final output, in the words of %s:\n\n%s", h.FinalAgent, quoteLines(h.Output))
	}
	return b.String()
}
