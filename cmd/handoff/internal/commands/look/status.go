package look

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
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
	only    string // the one part to print; "" for all but due
}

func statusCommand(a *cli.App) *cobra.Command {
	var g statusOptions
	cmd := &cobra.Command{
		Use: "status",
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch given := cmd.Flags().Changed; {
			case g.limit < 0 || g.limit > maxNeeds || g.limit == 0 && given("limit"):
				return schemas.Invalidf("--limit", "%d is not from 1 to %d", g.limit, maxNeeds)
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
	flags.IntVarP(&g.limit, "limit", "n", 0, "rows of each part (default: a few on a terminal, else all)")
	flags.StringVar(&g.command, "exec", "", "run this `command` of the shell for each thing that begins to need you, until Ctrl-C")
	cmd.MarkFlagsMutuallyExclusive("quiet", "exec")
	return cmd
}

// screenRows is the number of rows of a part on a terminal, so that all parts fit one screen.
const screenRows = 6

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
	if g.limit == 0 {
		g.limit = map[bool]int{true: screenRows, false: maxNeeds}[g.only == "" && (a.Style().Terminal && !a.JSON || g.quiet)]
	}
	var out schemas.OverviewOut
	var raw json.RawMessage
	err := a.ConnectToRead(ctx, schemas.Caller{Via: schemas.ViaCLI}, func(conn *cli.Connection) (err error) {
		raw, err = conn.Call(ctx, "workspace_overview", schemas.OverviewIn{Limit: g.limit}, &out)
		return err
	})
	if g.only != "" && err == nil {
		raw, err = json.Marshal(map[string]schemas.OverviewPart{"stuck": out.Stuck, "due": out.Due}[g.only])
	}
	if err == nil && !g.quiet {
		err = a.Print(raw, func(p *cli.Page) { printOverview(p, a, out, g.only) })
	}
	if err == nil && out.NeedsYou.Total > 0 && g.only == "" {
		err = cli.ExitStatus(NeedsYou)
	}
	return err
}

// printOverview prints one part of the overview, or all parts but the part due if the parameter only is "". On a
// terminal it has parts with headings. In other output it has one line for each row.
func printOverview(p *cli.Page, a *cli.App, out schemas.OverviewOut, only string) {
	defer func() { a.Remark(p, strings.Join(out.Warnings, "\n")) }()
	parts := []overviewPart{
		{out.NeedsYou, "needs_you", p.Red("Needs you"), []string{"ID", "What", "From", "Age", "Title"}},
		{out.Running, "running", p.Bold("Running"), []string{"ID", "Who", "For", "Last sign", "Title"}},
		{out.Stuck, "stuck", p.Yellow("Stuck"), []string{"ID", "Why", "Who", "Age", "Title"}},
		{out.Due, "due", p.Bold("Due"), []string{"ID", "In", "Who", "Age", "Title"}},
	}
	parts = slices.DeleteFunc(parts, func(part overviewPart) bool { return part.name != only && (only != "" || part.name == "due") })
	if !p.Terminal {
		printPlainOverview(p, a, parts, map[bool][]schemas.HandoffCount{only == "": out.Mailboxes}[true])
	} else if out.NeedsYou.Total == 0 && only == "" {
		p.AddLine("%s", p.Green("Nothing needs you."))
	}
	for _, part := range parts {
		printOverviewPart(p, a, part)
		a.Remark(p, part.omittedText(p, a, only))
	}
	if only != "" {
		addAfterPart(p, a, parts[0], out.NeedsYou.Total)
		return
	}
	if counts := (&cli.Page{Style: p.Style}); !p.Terminal {
		printCounts(counts, out)
		a.Remark(p, strings.TrimSpace(counts.String()))
	} else {
		printCounts(p, out)
	}
	if due := out.Due.Items; len(due) > 0 && due[0].Due.Sub(out.At) <= time.Hour {
		in := terminal.FormatAge(due[0].Due.Sub(out.At))
		addRemark(p, a, fmt.Sprintf("Next: %s in %s: %s. All: handoff list --due", due[0].HandoffID, in, due[0].Reason))
	}
	addTotals(p, a, out)
}

// addTotals adds the totals, and the command that shows what has ended if nothing else is there.
func addTotals(p *cli.Page, a *cli.App, out schemas.OverviewOut) {
	addRemark(p, a, totalsLine(a, out.Counts))
	if out.Counts.Sent > 0 && out.Counts.Claimable+out.Counts.Held+out.Counts.Blocked+out.NeedsYou.Total == 0 {
		p.AddNext("What has ended", "list --all")
	}
}

// addRemark adds a remark in lines that fit the terminal.
func addRemark(p *cli.Page, a *cli.App, text string) {
	a.Remark(p, strings.Join(p.SplitAdvice(text), "\n"))
}

// overviewPart is one part of the overview for people: its name in plain output, and its heading and the names of its
// columns on a terminal.
type overviewPart struct {
	schemas.OverviewPart

	name, heading string
	head          []string
}

// printCounts prints the agents that are here and the mailboxes with claimable work. What does not fit is counted, with
// the command that shows it.
func printCounts(p *cli.Page, out schemas.OverviewOut) {
	left, notes := out.Counts.Claimable, []string{}
	here := schemas.Map(out.Here, func(l schemas.HandoffCount) string {
		return strings.TrimSuffix(fmt.Sprintf("%s (holds %d)", l.Name, l.Count), " (holds 0)")
	})
	boxes := schemas.Map(out.Mailboxes, func(l schemas.HandoffCount) string {
		left, notes = left-l.Count, append(append(notes, l.Critical...), l.Note)
		return fmt.Sprintf("%d for %s", l.Count, l.Name)
	})
	if more := out.Counts.Agents - len(here); more > 0 {
		here = append(here, fmt.Sprintf("and %d more: handoff agents", more))
	}
	if more := out.Counts.Mailboxes - len(boxes); more > 0 {
		boxes = append(boxes, fmt.Sprintf("and %d for %s: handoff list --ready", left, schemas.CountNoun(more, "other")))
	}
	addBlankLine(p)
	printNames(p, "Here", here)
	printNames(p, "To claim", boxes)
	for _, note := range notes {
		if note != "" {
			p.AddLine("  %s", p.Quote(note, 2))
		}
	}
}

// concernFrom returns the agent that asks a question, or else the sender.
func concernFrom(c schemas.OverviewEntry) string {
	if c.Kind == schemas.ConcernQuestion {
		return string(c.Holder)
	}
	return schemas.SenderLine(c.Rule, c.From)
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

// omittedText says how many rows of the part were left out, with the command that shows them, or "".
func (part overviewPart) omittedText(p *cli.Page, a *cli.App, only string) string {
	name := map[bool]string{true: "", false: part.name + ": "}[p.Terminal]
	switch more, all := part.Total-len(part.Items), commandWithLimit(a, part.Total); {
	case more > 0 && only == "":
		all = fmt.Sprintf("handoff status -n %d", min(part.Total, maxNeeds))
		fallthrough
	case more > 0:
		return fmt.Sprintf("%sand %d more: %s", name, more, all)
	case part.AtLeast && !p.Terminal:
		return fmt.Sprintf("%s%d or more", name, part.Total)
	}
	return ""
}

// addAfterPart says that a part printed alone is empty, and how many rows of the overview need the person.
func addAfterPart(p *cli.Page, a *cli.App, part overviewPart, needs int) {
	if part.Total == 0 {
		a.Remark(p, "nothing")
	}
	if part.name != "needs_you" && needs > 0 {
		p.AddNext(fmt.Sprintf("Needs you (%d)", needs), "status")
	}
}

// printOverviewPart prints one part of the overview on a terminal, if the part has rows.
func printOverviewPart(p *cli.Page, a *cli.App, part overviewPart) {
	const name = 24 // columns for an agent
	if part.Total == 0 || !p.Terminal {
		return
	}
	total := fmt.Sprint(part.Total)
	if part.AtLeast {
		total += " or more"
	}
	addBlankLine(p)
	p.AddLine("%s (%s)", part.heading, total)
	rows := schemas.Map(part.Items, func(c schemas.OverviewEntry) []string {
		age, who := terminal.FormatAge(p.Now.Sub(c.Since)), display.FitOneLine(cmp.Or(string(c.Holder), string(c.To)), name)
		row := []string{concernID(c), concernWords[c.Kind], who, age, display.FitOneLine(concernTitle(c), maxTitle)}
		switch part.name {
		case "needs_you":
			row[2] = display.FitOneLine(concernFrom(c), name)
		case "running":
			row[1], row[2], row[3] = who, age, terminal.FormatAge(p.Now.Sub(schemas.ValueOrZero(c.LastSign)))+" ago"
		case "due":
			row[1] = terminal.FormatAge(c.Due.Sub(p.Now))
		}
		return row
	})
	p.WriteString(p.DrawTable(terminal.Table{
		Head: part.head, Rows: rows,
		Notes: func(n int) []string {
			return concernNotes(a, part.Items[n], part.name == "needs_you" || part.name == "stuck", p.Now)
		},
		Paint: func(n, column int, cell string) string {
			if column == 0 || part.Items[n].Priority == schemas.Critical && column == len(part.head)-1 {
				return p.Bold(cell)
			}
			return cell
		},
	}))
}

// printNames prints a heading and the names of agents or recipients on one line.
func printNames(p *cli.Page, heading string, names []string) {
	if len(names) > 0 {
		p.AddLine("%s: %s", p.Bold(heading), p.Quote(strings.Join(names, ", "), len(heading)+2))
	}
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
func concernNotes(a *cli.App, c schemas.OverviewEntry, advised bool, now time.Time) (lines []string) {
	why := c.Reason
	if c.Kind == schemas.ConcernDead && c.LastSign != nil {
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
			advised = advised || strings.HasSuffix(lines[len(lines)-1], "…") // the command prints all of it
		}
	}
	if advised {
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

// printPlainOverview writes the rows of parts, and a row for each critical handoff that an agent can claim.
func printPlainOverview(p *cli.Page, a *cli.App, parts []overviewPart, boxes []schemas.HandoffCount) {
	var rows [][]string
	for _, part := range parts {
		for _, c := range part.Items {
			rows = append(rows, []string{
				part.name, string(c.Kind), concernID(c), concernFrom(c), cmp.Or(string(c.Holder), string(c.To)), cmp.Or(c.Due, c.Since).Format(time.RFC3339),
				cli.FormatTime(c.LastSign), concernCommand(a, c), c.Title, c.Reason,
			})
		}
	}
	for _, box := range boxes {
		for _, text := range box.Critical {
			id, title, _ := strings.Cut(text, " (critical) ")
			rows = append(rows, []string{"to_claim", "critical", id, "", string(box.Name), box.Since.Format(time.RFC3339), "", "handoff show " + id + a.WorkspaceFlags(), title, box.Note})
		}
	}
	if len(rows) > 0 {
		head := []string{"PART", "KIND", "ID", "FROM", "WHO", "SINCE", "LAST_SIGN_OF_LIFE", "COMMAND", "TITLE", "REASON"}
		if parts[0].name == "due" {
			head[5] = "DUE"
		}
		p.WriteString(p.FormatTable(head, rows))
	}
}
