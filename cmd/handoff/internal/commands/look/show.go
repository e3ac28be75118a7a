package look

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/identity"
	"handoff/cmd/handoff/internal/project"
	"handoff/cmd/handoff/internal/render"
	"handoff/schemas"
	"handoff/schemas/display"
)

// showFields returns the flags of show: a level of detail of get_handoff, or one part of a handoff.
func showFields() []cli.Field { return cli.ReadFields(helpTexts, "show") }

func showCommand(a *cli.App) *cobra.Command {
	cmd, fields := &cobra.Command{Use: "show ID...", Args: cobra.MinimumNArgs(1)}, showFields()
	cli.DefineFlags(cmd, fields)
	cmd.MarkFlagsMutuallyExclusive(schemas.Map(fields, func(f cli.Field) string { return f.Flag })...)
	a.DefineReadFlag(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, given []string) error {
		args := cli.Arguments{"view": "full"}
		if err := args.SetFields(cmd, fields); err != nil {
			return err
		}
		for _, id := range given {
			if err := showOne(cmd.Context(), a, id, args["view"].(string), args["reference"], cmd.Flags().Changed("full")); err != nil {
				return err
			}
		}
		return nil
	}
	return cmd
}

// showOne shows a handoff, a part of it, a notice or the handoffs of a workflow.
func showOne(ctx context.Context, a *cli.App, id, view string, part any, everything bool) error {
	plain := view == "full" && part == nil
	switch {
	case cli.IsNoticeID(id) && part != nil:
		return cli.NewNoticeIDError(id, "has no parts")
	case cli.IsNoticeID(id) && !plain:
		return cli.NewNoticeIDError(id, "has no "+view)
	case cli.IsNoticeID(id):
		return showNotice(ctx, a, id)
	case strings.HasPrefix(id, "wf_") && plain:
		return showHistory(ctx, a, cli.Arguments{"workflow": id, "format": "rows"}, false)
	case strings.HasPrefix(id, "wf_"):
		return workflowIDError(id)
	case part != nil:
		return printPart(ctx, a, cli.Arguments{"handoff_id": id, "reference": part})
	}
	return showHandoff(ctx, a, id, view, everything)
}

// workflowIDError returns the error for a workflow in a place where only the id of a handoff is allowed.
func workflowIDError(id string) error {
	id = schemas.EscapeHidden(schemas.Clip(id, 80))
	return schemas.Invalidf("ID", "%s is a workflow, and this is about one handoff", id).
		WithNext(schemas.AdviseCall(schemas.HistoryIn{Workflow: id}, "shows its handoffs"))
}

// printPart prints the text of one part of a handoff, unchanged unless it goes to a terminal. A part that the handoff
// only names by its path is read from the project.
func printPart(ctx context.Context, a *cli.App, args cli.Arguments) error {
	args["max_tokens"] = 100_000
	var whole schemas.GetOut
	for {
		page, _, err := cli.Call[schemas.GetOut](ctx, a, "get_handoff", args)
		if err != nil {
			if whole.Content, err = readNamedFile(ctx, a, args, err); err != nil {
				return err
			}
			break
		}
		page.Content = whole.Content + page.Content
		if whole, args["offset"] = page, page.NextOffset; page.NextOffset == 0 {
			break
		}
	}
	return a.PrintValue(whole, func(p *cli.Page) {
		if p.Terminal {
			whole.Content = schemas.EscapeHidden(whole.Content)
		}
		p.WriteString(whole.Content)
		if p.Terminal && !strings.HasSuffix(whole.Content, "\n") {
			p.WriteString("\n")
		}
	})
}

// readNamedFile reads a file of the project that a handoff names as its context or as an artifact, but does not
// contain. For other parts it returns the error unknown.
func readNamedFile(ctx context.Context, a *cli.App, args cli.Arguments, unknown error) (string, error) {
	got, _, err := cli.Call[schemas.GetOut](ctx, a, "get_handoff", cli.Arguments{"handoff_id": args["handoff_id"], "view": "full"})
	dir, outside := a.WorkspaceConfig().FilesDir()
	if err != nil || outside != nil || dir == "" || schemas.ValueOrZero(got.Handoff).Context == nil {
		return "", unknown
	}
	paths := schemas.Map(got.Handoff.Context.Files, func(f schemas.File) string { return f.Path })
	paths = append(paths, schemas.Map(got.Handoff.Context.Artifacts, func(a schemas.Artifact) string { return a.Path })...)
	path, _ := args["reference"].(string)
	if !slices.Contains(paths, path) {
		return "", unknown
	}
	text, err := project.ReadTextFile(dir, path)
	if err != nil {
		err = schemas.Errorf(schemas.NotFound, "%s: %w", schemas.EscapeHidden(path), err).WithField("part").
			WithHint("The handoff only names this file. It is read in the project %s, as it is now.", dir)
	}
	return text, err
}

func showHandoff(ctx context.Context, a *cli.App, id, view string, everything bool) error {
	out, raw, err := cli.Call[schemas.GetOut](ctx, a, "get_handoff", cli.Arguments{"handoff_id": id, "view": view})
	if err != nil {
		return err
	}
	end, err := render.EndingEvent(ctx, a, out)
	stuck, unread := stuckAdvice(ctx, a, out)
	if err = cmp.Or(err, unread); err != nil {
		return err
	}
	return a.Print(raw, func(p *cli.Page) {
		printShown(p, out, end, view, everything)
		if view == "full" || view == "outcome" && out.Standing != nil {
			printNext(a, p, out, stuck)
		}
		for _, rest := range cli.AdviceOf(raw) {
			if out.NextOffset > 0 {
				p.AddLine("%s", p.Faint("There is more: "+a.FormatAdvice(rest)))
			}
		}
	})
}

// printShown draws one handoff at the given depth.
func printShown(p *cli.Page, out schemas.GetOut, end *schemas.Event, view string, everything bool) {
	switch view {
	case "brief":
		p.AddLine("%s", out.Brief) // the renderer made it safe to show
	case "events":
		printEvents(p, out.Events)
	case "audit":
		for _, e := range out.Audit {
			p.AddJSON(e)
		}
	case "checkpoint":
		p.AddJSON(out.Checkpoint)
	default:
		printHandoff(p, out, end, everything)
	}
}

// stuckAdvice returns the calls that handoff status advises for a handoff if it is stuck.
func stuckAdvice(ctx context.Context, a *cli.App, out schemas.GetOut) ([]schemas.Advice, error) {
	if a.JSON || out.Standing == nil || out.Standing.Status.HasEnded() {
		return nil, nil
	}
	all, _, err := cli.Call[schemas.OverviewOut](ctx, a, "workspace_overview", cli.Arguments{"limit": maxNeeds})
	for _, c := range all.Stuck.Items {
		if c.HandoffID == out.HandoffID {
			return c.Next, err
		}
	}
	return nil, err
}

// printNext shows the commands that fit the state of a handoff: first the one that handoff status advises.
func printNext(a *cli.App, p *cli.Page, out schemas.GetOut, stuck []schemas.Advice) {
	steps := render.NextSteps(out)
	for _, advised := range stuck[:min(len(stuck), 1)] {
		first := render.Step{Line: strings.TrimPrefix(a.CommandLine(advised, ""), "handoff "), Does: advised.Say}
		steps = slices.DeleteFunc(steps, func(s render.Step) bool { return s.Line == first.Line })
		steps = slices.Insert(steps, 0, first)
	}
	for i, step := range steps {
		if i == 0 {
			p.AddLine("\n%s", p.Bold("Next"))
		}
		flags := a.CallerFlags()
		if step.Human {
			flags = a.HumanFlags()
		}
		line, gap := "  handoff "+step.Line+flags, "  "
		if p.Width > 0 && display.CountColumns(line+gap+step.Does) > p.Width {
			gap = "\n      " // a command is never broken
		}
		p.AddLine("%s%s%s", line, gap, p.Faint(step.Does))
	}
}

func printHandoff(p *cli.Page, out schemas.GetOut, end *schemas.Event, everything bool) {
	render.DrawHandoff(p, out, end)
	if len(out.Children) > 0 {
		p.AddLine("\n%s\n- %s", p.Bold("Children"), cli.JoinAll(out.Children))
	}
	if everything {
		p.AddJSON(out)
	}
}

// printEvents prints one row for each event, with the beginning of its text.
func printEvents(p *cli.Page, events []schemas.HistoryEvent) {
	rows := schemas.Map(events, func(e schemas.HistoryEvent) []string {
		at := e.At.Format(time.RFC3339)
		if p.Terminal {
			at = formatClockTime(p, e.At)
		}
		return []string{
			strconv.FormatUint(e.N, 10), at, string(e.Agent), e.Action, string(e.To),
			e.Other.String(), e.Text,
		}
	})
	p.WriteString(p.FormatTable([]string{"EVENT", "AT", "AGENT", "ACTION", "TO", "OTHER", "TEXT"}, rows))
}

// showNotice reads a notice of the calling agent.
func showNotice(ctx context.Context, a *cli.App, id string) error {
	by, err := a.ReadingCaller(false)
	if err != nil {
		return err
	}
	if by.Agent == "" {
		return schemas.Invalidf("agent", "is needed to know whose notice %s is", schemas.EscapeHidden(schemas.Clip(id, 80))).
			WithHint("%s", identity.NoNameError().Hint)
	}
	out, raw, err := cli.Call[schemas.GetOut](ctx, a, "get_handoff", cli.Arguments{"handoff_id": id})
	if err != nil {
		return err
	}
	return a.Print(raw, func(p *cli.Page) {
		printNotice(p, out.Notice, out.Read)
		said := cli.AdviceOf(raw)
		switch {
		case len(said) > 0 && said[0].Tool == "": // it stays unread
			a.Remark(p, said[0].Say)
		case by.Scope != schemas.ScopeRead && out.Read == nil:
			a.Remark(p, "It counts as read now.")
		}
	})
}

// printNotice prints a notice. It prints the text of a message in full. For the sender, it also says whether the
// recipient has read the message.
func printNotice(p *cli.Page, n *schemas.Notice, read *bool) {
	p.AddLine("%s %s", p.Bold(n.ID.String()), p.Quote(strings.Join(strings.Fields(n.Title), " "), len(n.ID.String())+1))
	p.AddField("from", schemas.SenderLine(n.Rule, n.From))
	p.AddField("to", string(n.To))
	p.AddField("kind", n.Kind)
	p.AddField("about", n.About.String())
	p.AddField("at", n.At.In(p.Now.Location()).Format(time.RFC3339))
	if read != nil {
		p.AddField("read", map[bool]string{true: "yes", false: "no"}[*read])
	}
	if n.Text != "" {
		p.AddLine("\n  %s", strings.Join(p.SplitLines(n.Text, 2), "\n  "))
	}
	if len(n.Body) > 0 {
		p.AddJSON(n.Body)
	}
}
