package look

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/terminal"
	"handoff/mailbox/draw"
	"handoff/schemas"
)

// printItems draws a list. On a terminal it has statuses in words for people and in their colours, what pending ones
// wait for, and what is new or urgent; elsewhere a line for each row, as the tool has it.
func printItems(p *cli.Page, out gathered) {
	switch {
	case len(out.Items) == 0:
		p.Line("nothing")
	case p.Terminal:
		head := []string{"ID", "From", "To", "Status", "Age", "Title"}
		p.WriteString(p.PaintedTable(head, wordedRows(p, out), func(n, column int, cell string) string {
			const status = 3
			if i := out.Items[n]; column == status && i.NoticeID == 0 {
				return p.OfStatus(i.Status, cell)
			}
			return cell
		}))
	default:
		p.WriteString(p.Table([]string{"ID", "FROM", "TO", "STATUS", "AGE", "TITLE"}, plainRows(p, out)))
	}
	if out.More {
		p.Line("%s", p.Faint("There is more: --limit shows it."))
	}
}

func plainRows(p *cli.Page, out gathered) (rows [][]string) {
	for _, i := range out.Items {
		id, standing, title := i.HandoffID.String(), string(i.Status), i.Title
		if i.NoticeID != 0 {
			id, standing, title = i.NoticeID.String(), i.Kind, i.Title+": "+i.Text
		}
		rows = append(rows, []string{id, string(i.From), recipient(i), standing, terminal.Age(p.Now.Sub(i.At)), title})
	}
	return rows
}

func wordedRows(p *cli.Page, out gathered) (rows [][]string) {
	const name = 24 // columns for an agent
	for _, i := range out.Items {
		id, standing, title := i.HandoffID.String(), draw.Word(i.Status), i.Title
		if blocked := out.blocked[i.HandoffID]; i.Status == schemas.Pending && len(blocked) > 0 {
			standing = "Blocked (" + strings.Join(blocked, ", ") + ")"
		}
		if i.NoticeID != 0 {
			id, standing, title = i.NoticeID.String(), i.Kind, i.Title+" "+i.Text
		}
		switch {
		case i.Unread:
			title = "(new) " + title
		case i.Priority == schemas.High, i.Priority == schemas.Critical:
			title = fmt.Sprintf("(%s) %s", i.Priority, title)
		}
		from, to := draw.OneLine(string(i.From), name), draw.OneLine(recipient(i), name)
		rows = append(rows, []string{id, from, to, draw.OneLine(standing, name), terminal.Age(p.Now.Sub(i.At)), title})
	}
	return rows
}

// recipient names who has it: the holder, else to whom it was sent.
func recipient(i schemas.Item) string { return cmp.Or(string(i.Holder), string(i.To)) }

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
