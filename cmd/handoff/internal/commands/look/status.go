package look

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/terminal"
	"handoff/schemas"
	"handoff/schemas/display"
)

// NeedsYou is the exit status for concerns of a person.
const NeedsYou = 8

// statusOptions are the flags of status.
type statusOptions struct {
	limit   int
	quiet   bool
	command string // for each concern of the person
}

func statusCommand(a *cli.App) *cobra.Command {
	var g statusOptions
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show handoffs that need you, run or are stuck",
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch given := cmd.Flags().Changed; {
			case g.limit < 0 || g.limit > maxRows:
				return schemas.Invalidf("--limit", "%d is not from 1 to %d", g.limit, maxRows)
			case given("exec") && g.command == "":
				return schemas.Invalidf("--exec", "no command was given")
			case given("exec"):
				return notifyOfNeeds(cmd.Context(), a, g.command)
			}
			return g.showOverview(cmd.Context(), a)
		},
	}
	flags := cmd.Flags()
	flags.BoolVarP(&g.quiet, "quiet", "q", false, "print nothing: the exit status tells whether something needs you")
	flags.IntVarP(&g.limit, "limit", "n", 0, "rows of each part (default: a few on a terminal, else 20)")
	flags.StringVar(&g.command, "exec", "", "run this `command` of the shell for each thing that begins to need you, until Ctrl-C")
	cmd.MarkFlagsMutuallyExclusive("quiet", "exec")
	return cmd
}

const (
	maxRows    = 200 // rows of a part that may be asked for
	screenRows = 6   // rows of a part, so that all parts fit one screen
)

// Status prints the state of the workspace once. A handoff or question that needs a person is no error.
func Status(ctx context.Context, a *cli.App) error {
	err := statusOptions{}.showOverview(ctx, a)
	if err == cli.ExitStatus(NeedsYou) { //nolint:errorlint // it is ours, and never wrapped
		return nil
	}
	return err
}

// showOverview reads and prints the overview once.
func (g statusOptions) showOverview(ctx context.Context, a *cli.App) error {
	if g.limit == 0 && a.Style().Terminal && !a.JSON {
		g.limit = screenRows
	}
	var out schemas.OverviewOut
	var raw json.RawMessage
	err := a.ConnectToRead(ctx, schemas.Caller{Via: schemas.ViaCLI}, func(conn *cli.Connection) (err error) {
		raw, err = conn.Call(ctx, "workspace_overview", schemas.OverviewIn{Limit: g.limit}, &out)
		return err
	})
	if err == nil && !g.quiet {
		err = a.Print(raw, func(p *cli.Page) { printOverview(p, a, out) })
	}
	if err == nil && out.NeedsYou.Total > 0 {
		err = cli.ExitStatus(NeedsYou)
	}
	return err
}

// printOverview prints the overview. On a terminal it has parts with headings. In other output it has one line for each
// row.
func printOverview(p *cli.Page, a *cli.App, out schemas.OverviewOut) {
	defer func() { a.Remark(p, strings.Join(out.Warnings, "\n")) }()
	if !p.Terminal {
		printPlainOverview(p, a, out)
		return
	}
	now := func(at time.Time) string { return terminal.FormatAge(out.At.Sub(at)) }
	if out.NeedsYou.Total == 0 {
		p.AddLine("%s", p.Green("Nothing needs you."))
	}
	printOverviewPart(p, p.Red("Needs you"), out.NeedsYou, []string{"ID", "What", "From", "Age", "Title"}, a,
		func(c schemas.OverviewEntry) []string {
			return []string{concernWords[c.Kind], schemas.SenderLine(c.Rule, c.From), now(c.Since)}
		})
	printOverviewPart(p, p.Bold("Running"), out.Running, []string{"ID", "Who", "For", "Last sign", "Title"}, nil,
		func(c schemas.OverviewEntry) []string {
			sign := ""
			if c.LastSign != nil {
				sign = now(*c.LastSign) + " ago"
			}
			return []string{string(c.Holder), now(c.Since), sign}
		})
	printOverviewPart(p, p.Yellow("Stuck"), out.Stuck, []string{"ID", "Why", "Who", "Age", "Title"}, a,
		func(c schemas.OverviewEntry) []string {
			return []string{concernWords[c.Kind], cmp.Or(string(c.Holder), string(c.To)), now(c.Since)}
		})
	addBlankLine(p)
	printLoads(p, "Here", out.Here, func(l schemas.HandoffCount) string {
		if l.Count > 0 {
			return fmt.Sprintf("%s (holds %d)", l.Name, l.Count)
		}
		return string(l.Name)
	})
	printLoads(p, "To claim", out.Mailboxes, func(l schemas.HandoffCount) string { return fmt.Sprintf("%d for %s", l.Count, l.Name) })
	for _, line := range p.SplitLines(totalsLine(a, out.Counts), 0) {
		p.AddLine("%s", p.Faint(line))
	}
}

// concernWords are the kinds of concerns for people.
var concernWords = map[schemas.OverviewEntryKind]string{
	schemas.ConcernQuestion: "question", schemas.ConcernApproval: "approval", schemas.ConcernLeave: "leave", schemas.ConcernFailure: "failed",
	schemas.ConcernEscalation: "to decide", schemas.ConcernWork: "work", schemas.ConcernMessage: "message",
	schemas.ConcernYours:   "yours",
	schemas.ConcernRunning: "runs", schemas.ConcernDead: "disconnected", schemas.ConcernBlocked: "blocked",
	schemas.ConcernUnanswered: "unanswered", schemas.ConcernLapsed: "lease ended", schemas.ConcernSilent: "silent",
	schemas.ConcernNoTakers: "no takers",
}

// printOverviewPart prints one part of the overview, if the part has rows. If the app is not nil, each row has the
// command for the person's next step.
func printOverviewPart(
	p *cli.Page, heading string, part schemas.OverviewPart, head []string, a *cli.App, cells func(schemas.OverviewEntry) []string,
) {
	const name = 24 // columns for an agent
	if part.Total == 0 {
		return
	}
	total := fmt.Sprint(part.Total)
	if part.AtLeast {
		total += " or more"
	}
	addBlankLine(p)
	p.AddLine("%s (%s)", heading, total)
	rows := schemas.Map(part.Items, func(c schemas.OverviewEntry) []string {
		row := []string{concernID(c)}
		for _, cell := range cells(c) {
			row = append(row, display.FitOneLine(cell, name))
		}
		return append(row, display.FitOneLine(concernTitle(c), maxTitle))
	})
	p.WriteString(p.DrawTable(terminal.Table{
		Head: head, Rows: rows,
		Notes: func(n int) []string { return concernNotes(a, part.Items[n], p.Now) },
		Paint: func(n, column int, cell string) string {
			if column == 0 || part.Items[n].Priority == schemas.Critical && column == len(head)-1 {
				return p.Bold(cell)
			}
			return cell
		},
	}))
	if more := part.Total - len(part.Items); more > 0 {
		p.AddLine("%s", p.Faint(fmt.Sprintf("%d more: handoff status -n %d", more, min(part.Total, maxRows))))
	}
}

// printLoads prints a heading and a list of agents or recipients on one line. The function said returns the text for
// each of them.
func printLoads(p *cli.Page, heading string, loads []schemas.HandoffCount, said func(schemas.HandoffCount) string) {
	if len(loads) == 0 {
		return
	}
	p.AddLine("%s: %s", p.Bold(heading), p.Quote(strings.Join(schemas.Map(loads, said), ", "), len(heading)+2))
}

// addBlankLine adds an empty line below earlier text.
func addBlankLine(p *cli.Page) {
	if p.Len() > 0 {
		p.AddLine("")
	}
}

// concernID returns the id of the message or handoff of a concern.
func concernID(c schemas.OverviewEntry) string {
	return cmp.Or(c.NoticeID.String(), c.HandoffID.String())
}

// concernTitle returns the title of a concern, with its priority if that is above normal.
func concernTitle(c schemas.OverviewEntry) string {
	if c.Priority == schemas.High || c.Priority == schemas.Critical {
		return fmt.Sprintf("(%s) %s", c.Priority, stripHeading(c.Title))
	}
	return stripHeading(c.Title)
}

// concernNotes returns the lines below a concern: the reason, the last report, and the command for the next step.
func concernNotes(a *cli.App, c schemas.OverviewEntry, now time.Time) (lines []string) {
	why := c.Reason
	switch {
	case c.Kind == schemas.ConcernNoTakers && c.Count > 1:
		why += fmt.Sprintf("; %d wait there", c.Count)
	case (c.Kind == schemas.ConcernDead || c.Kind == schemas.ConcernSilent) && c.LastSign != nil:
		why += ", last sign of life " + terminal.FormatAge(now.Sub(*c.LastSign)) + " ago"
	}
	report := ""
	if c.Report != "" || c.Percent > 0 {
		report = strings.TrimSuffix(fmt.Sprintf("%d%%: %s", c.Percent, c.Report), ": ")
		report = "reported " + strings.TrimPrefix(report, "0%: ")
	}
	for _, line := range []string{why, report} {
		if line != "" {
			lines = append(lines, display.FitOneLine(line, 160))
		}
	}
	if a != nil {
		lines = append(lines, "→ "+concernCommand(a, c))
	}
	return lines
}

// concernCommand returns the command for the next step of a person.
func concernCommand(a *cli.App, c schemas.OverviewEntry) string {
	return a.CommandLine(c.Next[0], a.WorkspaceFlags())
}

// totalsLine describes the counts in words.
func totalsLine(a *cli.App, c schemas.WorkspaceTotals) string {
	if c.Sent == 0 {
		return strings.TrimSuffix("Nothing was handed off here yet.\n"+a.MovedWorkspaces(), "\n")
	}
	held := fmt.Sprintf("%d held", c.Held)
	if c.Waiting > 0 {
		held += fmt.Sprintf(" (%d for an answer)", c.Waiting)
	}
	return fmt.Sprintf("%d can be claimed, %s, %d blocked. %s here, %s in all.",
		c.Claimable, held, c.Blocked, schemas.CountNoun(c.Agents, "agent"), schemas.CountNoun(c.Sent, "handoff"))
}

// printPlainOverview writes the rows of all parts.
func printPlainOverview(p *cli.Page, a *cli.App, out schemas.OverviewOut) {
	var rows [][]string
	for _, part := range []struct {
		name string
		schemas.OverviewPart
	}{{"needs_you", out.NeedsYou}, {"running", out.Running}, {"stuck", out.Stuck}} {
		for _, c := range part.Items {
			rows = append(rows, []string{
				part.name, string(c.Kind), concernID(c), schemas.SenderLine(c.Rule, c.From), cmp.Or(string(c.Holder), string(c.To)),
				c.Since.Format(time.RFC3339), cli.FormatTime(c.LastSign), concernCommand(a, c), c.Title, c.Reason,
			})
		}
	}
	if len(rows) > 0 {
		head := []string{"PART", "KIND", "ID", "FROM", "WHO", "SINCE", "LAST_SIGN_OF_LIFE", "COMMAND", "TITLE", "REASON"}
		p.WriteString(p.FormatTable(head, rows))
	}
	a.Remark(p, totalsLine(a, out.Counts))
}
