package draw

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"handoff/schemas"
	"handoff/schemas/display"
)

// Mermaid draws the handoffs of a workflow as a Mermaid flow chart. Each handoff is a box with its holder, id, title,
// status, important events and result. An arrow leads to each child, and a dashed arrow leads from a dependency to the
// waiting handoff. Text of agents is escaped, so that it cannot add boxes or arrows.
func Mermaid(steps []schemas.HistoryStep) string {
	var b strings.Builder
	b.WriteString("flowchart TD\n")
	byID := map[schemas.ID]schemas.HistoryStep{}
	for _, s := range steps {
		byID[s.HandoffID] = s
	}
	for _, id := range slices.Sorted(maps.Keys(byID)) {
		s := byID[id]
		fmt.Fprintf(&b, "    %s[\"%s<br/>%s: %s<br/>%s", id, escapeMermaid(holderOrAddress(s)),
			id, escapeMermaid(s.Title), escapeMermaid(display.StateWord(displayState(s))))
		for _, m := range s.Story {
			b.WriteString("<br/>" + escapeMermaid(momentText(m)))
		}
		if text := cmp.Or(s.Reason, s.Summary); text != "" {
			b.WriteString("<br/>" + escapeMermaid(text))
		}
		b.WriteString("\"]\n")
		for _, before := range s.After {
			fmt.Fprintf(&b, "    %s -.-> %s\n", before, id)
		}
		above := byID[s.Parent]
		switch _, retried := byID[s.RetryOf]; {
		case retried:
			fmt.Fprintf(&b, "    %s -. retry .-> %s\n", s.RetryOf, id)
		case above.HandoffID == 0:
		case above.RollbackTo != "" && above.RollbackTo == s.To:
			fmt.Fprintf(&b, "    %s -- rollback --> %s\n", above.HandoffID, id)
		default:
			fmt.Fprintf(&b, "    %s --> %s\n", above.HandoffID, id)
		}
	}
	return b.String()
}

// escapeMermaid replaces all characters except letters, digits and a few marks by numbered entities, so that Mermaid
// finds no syntax in the text. It first cuts the text to about 150 bytes, because a box has little room.
func escapeMermaid(written string) string {
	var b strings.Builder
	for _, r := range display.FitOneLine(schemas.Shorten(written, 150), 160) {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(" .,:_-/…", r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "#%d;", r)
		}
	}
	return b.String()
}
