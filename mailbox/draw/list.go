package draw

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"handoff/schemas"
)

// List draws handoffs and notices as a table: id, from, to, status, age, title. The title has what is left
// of the width.
func List(items []schemas.Item, style Style) string {
	rows := [][]string{{"ID", "From", "To", "Status", "Age", "Title"}}
	for _, i := range items {
		rows = append(rows, style.row(i))
	}
	widths := make([]int, len(rows[0])-1)
	for _, row := range rows {
		for c := range widths {
			widths[c] = max(widths[c], columns(row[c]))
		}
	}
	var b strings.Builder
	for n, row := range rows {
		line := ""
		for c, w := range widths {
			line += pad(row[c], w) + "  "
		}
		line += style.clip(row[len(widths)], max(style.width()-columns(line), 20))
		if line = strings.TrimRight(line, " "); n == 0 {
			line = style.paint(bold, line)
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

func (s Style) row(i schemas.Item) []string {
	const name = 24 // columns for an agent
	id, standing, title := i.HandoffID.String(), words(i.Status, "").word, i.Title
	if i.NoticeID != 0 {
		id, standing = i.NoticeID.String(), i.Kind
		title = strings.Join(strings.Fields(i.Title+" "+i.Text), " ")
	}
	switch {
	case i.Unread:
		title = "(new) " + title
	case i.Priority == schemas.High, i.Priority == schemas.Critical:
		title = fmt.Sprintf("(%s) %s", i.Priority, title)
	}
	to := cmp.Or(string(i.Holder), string(i.To))
	return []string{id, s.text(string(i.From), name), s.text(to, name), s.text(standing, name), s.age(i.At), s.text(title, 400)}
}

// age is short, for a column: "<1m", "5m", "2h", "3d".
func (s Style) age(at time.Time) string {
	if s.Now.IsZero() || at.IsZero() {
		return ""
	}
	switch d := max(s.Now.Sub(at), 0); {
	case d < time.Minute:
		return "<1m"
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	default:
		return fmt.Sprintf("%dd", int(d.Hours()/24))
	}
}
