package look

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/terminal"
	"handoff/schemas"
	"handoff/schemas/display"
)

// printItems prints a list of items. On a terminal, each row shows its state in words and colours, a mark if it is new
// or urgent, and the reasons below it. In other output, each row is one line with the same facts.
func printItems(p *cli.Page, out listResult) {
	switch {
	case len(out.Items) == 0:
	case !p.Terminal:
		p.WriteString(p.FormatTable(plainRows(p, out.Items)))
	default:
		p.WriteString(p.DrawTable(terminal.Table{
			Head: []string{"ID", "From", "To", "Status", "Age", "Title"}, Rows: terminalRows(p, out),
			Paint: func(n, column int, cell string) string { return paintCell(p, out.Items[n], column, cell) },
			Notes: func(n int) []string { return itemNotes(p, out.Items[n]) },
		}))
	}
}

// omittedText says how many rows the limit left out, with the command that shows them. It returns "nothing" for an
// empty list, and "" if all rows are shown.
func (out listResult) omittedText(a *cli.App) string {
	shown := len(out.Items)
	switch {
	case len(out.Items) == 0:
		return "nothing"
	case !out.More:
		return ""
	case out.left == 0 || out.atLeast:
		return "and more: " + commandWithLimit(a, 10*(shown+out.left))
	}
	return fmt.Sprintf("and %d more: %s", out.left, commandWithLimit(a, shown+out.left))
}

// commandWithLimit returns the command line of this run with another limit of rows.
func commandWithLimit(a *cli.App, limit int) string {
	args := slices.Clone(a.Args)
	if i := slices.IndexFunc(args, func(word string) bool { return word == "--limit" || word == "-n" }); i >= 0 {
		args = slices.Delete(args, i, min(i+2, len(args)))
	}
	return fmt.Sprintf("handoff %s --limit %d", strings.Join(schemas.Map(args, cli.ShellWord), " "), limit)
}

// unreadCount returns the number of unread notices in the list.
func (out listResult) unreadCount() (n int) {
	for _, i := range out.Items {
		if i.Unread {
			n++
		}
	}
	return n
}

func paintCell(p *cli.Page, i schemas.ListItem, column int, cell string) string {
	const status, title = 3, 5
	switch {
	case i.NoticeID == 0 && column == status:
		return p.ColourByState(displayState(i), cell)
	case i.NoticeID == 0 && column == title && i.Priority == schemas.Critical:
		return p.Bold(cell)
	}
	return cell
}

func displayState(i schemas.ListItem) display.StateFacts {
	return display.StateFacts{Status: i.Status, BlockedBy: i.BlockedBy, Reason: i.Reason}
}

// itemNotes returns the lines below an item: its dependencies, and the reason for its state.
func itemNotes(p *cli.Page, i schemas.ListItem) (lines []string) {
	if len(i.BlockedBy) > 0 {
		lines = append(lines, "waits for "+strings.Join(i.BlockedBy, ", "))
	}
	if i.Reason != "" {
		lines = append(lines, display.FitOneLine(i.Reason, 160))
	}
	if i.LastSign != nil && i.Reason != "" {
		lines[len(lines)-1] += ", last sign of life " + terminal.FormatAge(p.Now.Sub(*i.LastSign)) + " ago"
	}
	return lines
}

// plainRows returns the table for output that is no terminal. The columns that notices have come first, then the
// columns that only handoffs have.
func plainRows(p *cli.Page, items []schemas.ListItem) (head []string, rows [][]string) {
	head = []string{"ID", "FROM", "TO", "STATUS", "AGE", "TITLE"}
	rows = schemas.Map(items, func(i schemas.ListItem) []string {
		row := []string{
			i.HandoffID.String(), schemas.SenderLine(i.Rule, i.From), string(i.To), rowStatus(i.Status, i.BlockedBy),
			terminal.FormatAge(p.Now.Sub(i.At)), i.Title,
		}
		if i.NoticeID != 0 {
			row[0], row[3], row[5] = i.NoticeID.String(), i.Kind, i.Title+": "+i.Text
			return row
		}
		priority, blocked := cmp.Or(i.Priority, schemas.Normal), strings.Join(i.BlockedBy, ",")
		return append(row, string(shownHolder(i)), string(priority), cli.FormatTime(i.LastSign), blocked, i.Reason)
	})
	if len(rows[0]) > len(head) {
		head = append(head, "HOLDER", "PRIORITY", "LAST_SIGN_OF_LIFE", "BLOCKED_BY", "REASON")
	}
	return head, rows
}

// rowStatus returns the status of a handoff for a row. It returns "blocked" for a pending handoff with open
// dependencies.
func rowStatus(status schemas.Status, blockedBy []string) string {
	if status == schemas.Pending && len(blockedBy) > 0 {
		return string(schemas.Blocked)
	}
	return string(status)
}

// shownHolder returns the holder of a handoff. Items omit a holder that is also the recipient. For a held handoff
// without a holder in its item, shownHolder returns the recipient.
func shownHolder(i schemas.ListItem) schemas.Agent {
	agent, directed := i.To.SingleAgent()
	if i.Holder == "" && directed && i.Status.IsHeld() {
		return agent
	}
	return i.Holder
}

func terminalRows(p *cli.Page, out listResult) [][]string {
	const name = 24 // columns for an agent
	return schemas.Map(out.Items, func(i schemas.ListItem) []string {
		id, standing, title := i.HandoffID.String(), display.StateWord(displayState(i)), stripHeading(i.Title)
		if i.NoticeID != 0 {
			id, standing, title = i.NoticeID.String(), i.Kind, stripHeading(i.Title)+" "+i.Text
		}
		switch {
		case i.Unread:
			title = "(new) " + title
		case i.Priority == schemas.High, i.Priority == schemas.Critical:
			title = fmt.Sprintf("(%s) %s", i.Priority, title)
		}
		from := display.FitOneLine(schemas.SenderLine(i.Rule, i.From), name)
		to := display.FitOneLine(cmp.Or(string(i.Holder), string(i.To)), name)
		title = display.FitOneLine(title, maxTitle)
		return []string{id, from, to, display.FitOneLine(standing, name), terminal.FormatAge(p.Now.Sub(i.At)), title}
	})
}

// maxTitle is the largest width of a title in a list, in columns.
const maxTitle = 120

// stripHeading removes the leading # of a Markdown heading from a title. A title may be the first line of a Markdown
// text.
func stripHeading(title string) string { return strings.TrimSpace(strings.TrimLeft(title, "#")) }

// unreadText returns the last line of a list: the number of the reader's unread notices, and the command that lists
// them. It returns "" if there are none, and for a list of notices. The parameter again holds the flags that name the
// reader.
func (out listResult) unreadText(args cli.Arguments, again string) string {
	if out.Inbox == nil || out.Inbox.Notices == 0 || args["box"] == "notices" {
		return ""
	}
	return fmt.Sprintf("%s unread: handoff list --box notices%s", schemas.CountNoun(out.Inbox.Notices, "notice"), again)
}
