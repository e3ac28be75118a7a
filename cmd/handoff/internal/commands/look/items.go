package look

import (
	"slices"
	"strconv"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/terminal"
	"handoff/mailbox/draw"
	"handoff/schemas"
)

// printItems draws a list: a table on a terminal, else a line for each row.
func printItems(p *cli.Page, out gathered) {
	switch {
	case len(out.Items) == 0:
		p.Line("nothing")
	case p.Terminal:
		p.WriteString(draw.List(out.Items, out.blocked, p.Drawing()))
	default:
		p.WriteString(p.Table([]string{"ID", "FROM", "TO", "STATUS", "AGE", "TITLE"}, itemRows(p, out.Items)))
	}
	if out.More {
		p.Line("%s", p.Faint("There is more: --limit shows it."))
	}
}

func itemRows(p *cli.Page, items []schemas.Item) [][]string {
	var rows [][]string
	for _, i := range items {
		id, standing, title := i.HandoffID.String(), string(i.Status), i.Title
		if i.NoticeID != 0 {
			id, standing, title = i.NoticeID.String(), i.Kind, i.Title+": "+i.Text
		}
		rows = append(rows, []string{id, string(i.From), recipient(i), standing, terminal.Age(p.Now.Sub(i.At)), title})
	}
	return rows
}

// recipient names who has it: the holder, else to whom it was sent.
func recipient(i schemas.Item) string {
	if i.Holder != "" {
		return string(i.Holder)
	}
	return string(i.To)
}

// printWaiting ends a list on a terminal with what waits for its reader. Again are the flags that a command line
// for that reader repeats.
func printWaiting(p *cli.Page, out gathered, by schemas.Caller, again string) {
	if !p.Terminal {
		return
	}
	if out.Inbox != nil && out.Inbox.Notices > 0 {
		unread := strconv.Itoa(out.Inbox.Notices) + " notices"
		if out.Inbox.Notices == 1 {
			unread = "1 notice"
		}
		p.Line("%s unread: handoff list --box notices%s", unread, again)
	}
	for _, item := range out.Items {
		if by.Agent == schemas.Human && slices.Contains(out.blocked[item.HandoffID], approval) {
			p.Line("%s waits for your approval: handoff approve %s%s", item.HandoffID, item.HandoffID, again)
		}
	}
}
