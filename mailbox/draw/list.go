package draw

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"handoff/schemas"
)

// List draws handoffs and notices as a table: id, from, to, status, age, title. The title has what is left
// of the width. What a pending handoff waits for, as [schemas.Standing] names it, is told with its status
// where blocked has it.
func List(items []schemas.Item, blocked map[schemas.ID][]string, style Style) string {
	rows := [][]string{{"ID", "From", "To", "Status", "Age", "Title"}}
	for _, i := range items {
		rows = append(rows, style.row(i, blocked[i.HandoffID]))
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
		} else if i := items[n-1]; i.NoticeID == 0 {
			line = style.paintStatus(line, row, widths, words(i.Status, "").colour)
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// paintStatus colours the fourth cell of a line whose columns are aligned already.
func (s Style) paintStatus(line string, row []string, widths []int, c colour) string {
	const status = 3
	at := 0
	for n, w := range widths[:status] {
		at += len(pad(row[n], w) + "  ")
	}
	end := at + len(row[status])
	if row[status] == "" || end > len(line) {
		return line
	}
	return line[:at] + s.paint(c, line[at:end]) + line[end:]
}

func (s Style) row(i schemas.Item, blocked []string) []string {
	const name = 24 // columns for an agent
	id, standing, title := i.HandoffID.String(), words(i.Status, "").word, i.Title
	if i.Status == schemas.Pending && len(blocked) > 0 {
		standing = "Blocked (" + strings.Join(blocked, ", ") + ")"
	}
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
