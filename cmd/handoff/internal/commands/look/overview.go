package look

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/terminal"
	"handoff/mailbox/draw"
	"handoff/schemas"
)

// printOverview draws what is going on: on a terminal in parts for people, elsewhere a line for each row.
func printOverview(p *cli.Page, a *cli.App, out schemas.OverviewOut) {
	if !p.Terminal {
		plainOverview(p, a, out)
		return
	}
	now := func(at time.Time) string { return terminal.Age(out.At.Sub(at)) }
	if out.NeedsYou.Total == 0 {
		p.Line("%s", p.Green("Nothing needs you."))
	}
	printPart(p, p.Red("Needs you"), out.NeedsYou, []string{"ID", "What", "From", "Age", "Title"}, a,
		func(c schemas.Concern) []string { return []string{words[c.Kind], string(c.From), now(c.Since)} })
	printPart(p, p.Bold("Running"), out.Running, []string{"ID", "Who", "For", "Last sign", "Title"}, nil,
		func(c schemas.Concern) []string {
			sign := ""
			if c.LastSign != nil {
				sign = now(*c.LastSign) + " ago"
			}
			return []string{string(c.Holder), now(c.Since), sign}
		})
	printPart(p, p.Yellow("Stuck"), out.Stuck, []string{"ID", "Why", "Who", "Age", "Title"}, a,
		func(c schemas.Concern) []string {
			return []string{words[c.Kind], cmp.Or(string(c.Holder), string(c.To)), now(c.Since)}
		})
	parted(p)
	for _, line := range p.Lines(counted(out.Counts), 0) {
		p.Line("%s", p.Faint(line))
	}
}

// words are the kinds of concerns for people.
var words = map[schemas.ConcernKind]string{
	schemas.ConcernQuestion: "question", schemas.ConcernApproval: "approval", schemas.ConcernFailure: "failed",
	schemas.ConcernEscalation: "to decide", schemas.ConcernWork: "work", schemas.ConcernYours: "yours",
	schemas.ConcernRunning: "runs", schemas.ConcernDead: "disconnected", schemas.ConcernBlocked: "blocked",
	schemas.ConcernUnanswered: "unanswered", schemas.ConcernLapsed: "lease ended", schemas.ConcernSilent: "silent",
	schemas.ConcernNoTakers: "no takers",
}

// printPart draws one part, if it has rows. With an app, each row has the command with which a person goes on.
func printPart(
	p *cli.Page, heading string, part schemas.Part, head []string, a *cli.App, cells func(schemas.Concern) []string,
) {
	const name = 24 // columns for an agent
	if part.Total == 0 {
		return
	}
	total := fmt.Sprint(part.Total)
	if part.AtLeast {
		total += " or more"
	}
	parted(p)
	p.Line("%s (%s)", heading, total)
	var rows [][]string
	for _, c := range part.Items {
		row := []string{c.HandoffID.String()}
		for _, cell := range cells(c) {
			row = append(row, draw.OneLine(cell, name))
		}
		title := draw.OneLine(titleOf(c), mostOfTitle)
		rows = append(rows, append(row, title))
	}
	p.WriteString(p.DrawTable(terminal.Table{
		Head: head, Rows: rows,
		Notes: func(n int) []string { return beneath(a, part.Items[n], p.Now) },
		Paint: func(n, column int, cell string) string {
			if column == 0 || part.Items[n].Priority == schemas.Critical && column == len(head)-1 {
				return p.Bold(cell)
			}
			return cell
		},
	}))
	if more := part.Total - len(part.Items); more > 0 {
		p.Line("%s", p.Faint(fmt.Sprintf("%d more: handoff status -n %d", more, min(part.Total, mostGlanced))))
	}
}

// parted leaves a line free behind what is there.
func parted(p *cli.Page) {
	if p.Len() > 0 {
		p.Line("")
	}
}

// titleOf is the title of a concern, with its priority where that is above normal.
func titleOf(c schemas.Concern) string {
	if c.Priority == schemas.High || c.Priority == schemas.Critical {
		return fmt.Sprintf("(%s) %s", c.Priority, heading(c.Title))
	}
	return heading(c.Title)
}

// beneath are the lines beneath a row: why it is there, the last report, and the command.
func beneath(a *cli.App, c schemas.Concern, now time.Time) (lines []string) {
	why := c.Reason
	switch {
	case c.Kind == schemas.ConcernNoTakers && c.Count > 1:
		why += fmt.Sprintf("; %d wait there", c.Count)
	case (c.Kind == schemas.ConcernDead || c.Kind == schemas.ConcernSilent) && c.LastSign != nil:
		why += ", last sign of life " + terminal.Age(now.Sub(*c.LastSign)) + " ago"
	}
	report := ""
	if c.Report != "" || c.Percent > 0 {
		report = strings.TrimSuffix(fmt.Sprintf("%d%%: %s", c.Percent, c.Report), ": ")
		report = "reported " + strings.TrimPrefix(report, "0%: ")
	}
	for _, line := range []string{why, report} {
		if line != "" {
			lines = append(lines, draw.OneLine(line, 160))
		}
	}
	if a != nil {
		lines = append(lines, "→ "+commandOf(a, c))
	}
	return lines
}

// commandOf is the command with which a person goes on with a concern.
func commandOf(a *cli.App, c schemas.Concern) string { return a.CommandLine(c.Next[0], a.PlaceAgain()) }

// counted says how much there is.
func counted(c schemas.Counts) string {
	if c.Sent == 0 {
		return "Nothing was handed off here yet."
	}
	held := fmt.Sprintf("%d held", c.Held)
	if c.Waiting > 0 {
		held += fmt.Sprintf(" (%d for an answer)", c.Waiting)
	}
	return fmt.Sprintf("%d can be claimed, %s, %d blocked. %s here, %s in all.",
		c.Claimable, held, c.Blocked, cli.Counted(c.Agents, "agent"), cli.Counted(c.Sent, "handoff"))
}

// plainOverview writes the rows of all parts.
func plainOverview(p *cli.Page, a *cli.App, out schemas.OverviewOut) {
	var rows [][]string
	for _, part := range []struct {
		name string
		schemas.Part
	}{{"needs_you", out.NeedsYou}, {"running", out.Running}, {"stuck", out.Stuck}} {
		for _, c := range part.Items {
			sign := ""
			if c.LastSign != nil {
				sign = c.LastSign.Format(time.RFC3339)
			}
			rows = append(rows, []string{
				part.name, string(c.Kind), c.HandoffID.String(), string(c.From), cmp.Or(string(c.Holder), string(c.To)),
				c.Since.Format(time.RFC3339), sign, commandOf(a, c), c.Title, c.Reason,
			})
		}
	}
	if len(rows) > 0 {
		head := []string{"PART", "KIND", "ID", "FROM", "WHO", "SINCE", "LAST_SIGN_OF_LIFE", "COMMAND", "TITLE", "REASON"}
		p.WriteString(p.Table(head, rows))
	}
	a.Remark(p, counted(out.Counts))
}
