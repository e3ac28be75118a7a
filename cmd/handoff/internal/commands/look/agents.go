package look

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
	"handoff/schemas/closest"
)

func agentsFields() []cli.Field { return cli.ReadFields(helpTexts, "agents") }

func agentsCommand(a *cli.App) *cobra.Command {
	cmd := newAgentsCommand(a, printAgents).Configure(a, &cobra.Command{
		Use: "agents [NAME]",
		Args: func(cmd *cobra.Command, given []string) error {
			filters := func(f cli.Field) bool { return cmd.Flags().Changed(f.Flag) }
			switch {
			case len(given) > 1:
				return cli.RequireSubcommand(cmd, given)
			case len(given) == 1 && slices.ContainsFunc(agentsFields(), filters):
				return schemas.Invalidf("NAME", "is one agent, and the flags select others").WithHint("Leave the flags or the name out.")
			}
			return nil
		},
	})
	all := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, given []string) error {
		if len(given) == 0 {
			return all(cmd, nil)
		}
		return showAgent(cmd.Context(), a, schemas.Agent(given[0]))
	}
	cmd.AddCommand(registerCommand(a), agentsListCommand(a), agentsInitCommand(a), agentsImportCommand(a), agentsCheckCommand(a))
	return cmd
}

// agentsResult is the result of list_agents with its advice.
type agentsResult struct {
	schemas.AgentsOut

	Next []schemas.Advice `json:"next"`
}

// newAgentsCommand returns a command that lists agents and prints them with the function printed. It remarks which
// workflows, pools and checks the project has for senders.
func newAgentsCommand(a *cli.App, printed func(*cli.Page, []schemas.Card)) cli.ToolCommand[agentsResult] {
	return cli.ToolCommand[agentsResult]{
		Tool: "list_agents", Fields: agentsFields(),
		Arguments: func(_ *cobra.Command, _ []string, args cli.Arguments) error {
			return args.SetPath("limit", cli.AllAgents)
		},
		Print: func(p *cli.Page, out agentsResult) {
			printed(p, out.Agents)
			p.AddWarnings(out.Warnings)
			a.Remark(p, strings.Join(schemas.Map(out.Next, a.FormatAdvice), "\n"))
		},
	}
}

func printAgents(p *cli.Page, cards []schemas.Card) {
	rows := schemas.Map(cards, func(c schemas.Card) []string {
		return []string{
			string(c.Name), cli.Presence(c, p.Now), strconv.Itoa(c.Pending), strconv.Itoa(c.Held), strings.Join(c.AllRoles(), ", "),
			strings.Join(c.Accepts, ", "),
		}
	})
	p.AddTable("no agent yet", []string{"AGENT", "SEEN", "PENDING", "HELD", "ROLE", "ACCEPTS"}, rows)
}

func registerFields() []cli.Field { return cli.ReadFields(helpTexts, "agents_register") }

func registerCommand(a *cli.App) *cobra.Command {
	return cli.ToolCommand[schemas.RegisterOut]{
		Tool: "register_agent", Place: "name", Fields: registerFields(),
		Print: func(p *cli.Page, out schemas.RegisterOut) {
			printAgents(p, []schemas.Card{out.Agent})
			p.AddNext("To act as it in a terminal: export HANDOFF_AGENT="+string(out.Agent.Name)+". To see its work", "agents "+string(out.Agent.Name))
		},
	}.Configure(a, &cobra.Command{Use: "register NAME", Args: cobra.ExactArgs(1)})
}

// agentDetails holds an agent with its handoffs. It is the result of the command agents NAME with --json.
type agentDetails struct {
	Agent schemas.Card       `json:"agent"`
	Held  []schemas.ListItem `json:"held"`
	Inbox []schemas.ListItem `json:"inbox"` // in the order of claims, up to the limit of a list
	Ended []schemas.ListItem `json:"ended"` // completed last

	Overview schemas.OverviewOut `json:"-"` // with the stuck ones of all these only
}

func showAgent(ctx context.Context, a *cli.App, name schemas.Agent) error {
	by, err := a.Caller(false)
	if err != nil {
		return err
	}
	return a.Connect(ctx, by, func(conn *cli.Connection) error {
		one, unknown := findAgent(ctx, conn, name)
		for rows, args := range map[*[]schemas.ListItem]cli.Arguments{
			&one.Held: {"box": "claimed", "limit": cli.PageLimit}, &one.Inbox: {"box": "inbox", "limit": cli.PageLimit},
			&one.Ended: {"box": "claimed", "status": schemas.Completed, "limit": maxEnded},
		} {
			var out schemas.ListOut
			args["agent"] = name
			if _, err := conn.Call(ctx, "list_handoffs", args, &out); err != nil {
				return err
			}
			*rows = out.Items
		}
		if unknown != nil && len(one.Inbox) == 0 {
			return unknown
		}
		_, err = conn.Call(ctx, "workspace_overview", schemas.OverviewIn{Limit: maxNeeds}, &one.Overview)
		one.Overview.Stuck.Items = slices.DeleteFunc(one.Overview.Stuck.Items, func(c schemas.OverviewEntry) bool {
			claimable := func(i schemas.ListItem) bool { return i.HandoffID == c.HandoffID }
			return c.Holder != name && c.To != schemas.Address(name) && !slices.ContainsFunc(one.Inbox, claimable)
		})
		one.Overview.Stuck.Total, one.Overview.NeedsYou.Total = len(one.Overview.Stuck.Items), 0
		return cmp.Or(err, a.PrintValue(one, func(p *cli.Page) { printAgent(p, a, one) }))
	})
}

// findAgent finds an agent, or suggests similar names.
func findAgent(ctx context.Context, conn *cli.Connection, name schemas.Agent) (one agentDetails, err error) {
	var all schemas.AgentsOut
	one.Agent.Name = name // work may wait for a name that nobody has used
	if _, err := conn.Call(ctx, "list_agents", cli.Arguments{"limit": cli.AllAgents}, &all); err != nil {
		return one, err
	}
	if i := slices.IndexFunc(all.Agents, func(c schemas.Card) bool { return c.Name == name }); i >= 0 {
		return agentDetails{Agent: all.Agents[i]}, nil
	}
	names := schemas.Map(all.Agents, func(c schemas.Card) string { return string(c.Name) })
	e := schemas.Errorf(schemas.NotFound, "no agent has used the name %q", schemas.EscapeHidden(schemas.Clip(string(name), 80)))
	if meant := closest.LikelyNames(string(name), names); len(meant) > 0 {
		return one, e.WithHint("Did you mean %s?", meant[0])
	}
	return one, e.WithNext(schemas.AdviseCall(schemas.AgentsIn{}, "shows who is here"))
}

// printAgent prints an agent and its handoffs. In output that is no terminal it has only the rows of the handoffs, and
// the facts about the agent are a remark.
func printAgent(p *cli.Page, a *cli.App, one agentDetails) {
	c, facts := one.Agent, p
	if !p.Terminal {
		facts = &cli.Page{Style: p.Style}
		defer func() { a.Remark(p, strings.TrimSpace(facts.String())) }()
	}
	facts.AddLine("%s", p.Bold(string(c.Name)))
	facts.AddField("seen", cli.Presence(c, p.Now))
	facts.AddField("role", strings.Join(c.AllRoles(), ", "))
	facts.AddField("about", c.Description)
	facts.AddField("accepts", strings.Join(c.Accepts, ", "))
	facts.AddField("produces", strings.Join(c.Produces, ", "))
	facts.AddField("skills", strings.Join(c.Skills, ", "))
	facts.AddField("unread notices", strings.TrimPrefix(strconv.Itoa(c.Notices), "0"))
	var head []string
	var rows [][]string
	stuck := schemas.Map(one.Overview.Stuck.Items, func(c schemas.OverviewEntry) schemas.ListItem {
		return schemas.ListItem{
			HandoffID: c.HandoffID, From: c.From, Rule: c.Rule, To: c.To, Status: c.Status, Title: c.Title, At: c.Since,
			Holder: c.Holder, Priority: c.Priority, LastSign: c.LastSign, Reason: c.Reason,
		}
	})
	for _, part := range []struct {
		name  string
		items []schemas.ListItem
	}{{"holds", one.Held}, {"waits for it", one.Inbox}, {"completed last", one.Ended}, {"stuck", stuck}} {
		switch {
		case len(part.items) == 0 || p.Terminal && part.name == "stuck":
		case p.Terminal:
			p.AddLine("\n%s", p.Bold(part.name))
			printItems(p, listResult{Items: part.items})
		default:
			columns, items := plainRows(p, part.items)
			head = append([]string{"PART"}, columns...)
			for _, row := range items {
				rows = append(rows, append([]string{strings.ReplaceAll(part.name, " ", "_")}, row...))
			}
		}
	}
	switch {
	case len(rows) > 0:
		p.WriteString(p.FormatTable(head, rows))
	case p.Terminal && one.Overview.Stuck.Total > 0:
		printOverview(p, a, one.Overview, "stuck")
	}
	all := "What it completed: handoff list --by %[1]s%[2]s\nAll that it has and had: handoff list --for %[1]s --all%[2]s"
	addRemark(p, a, fmt.Sprintf(all, c.Name, a.WorkspaceFlags()))
}

// maxEnded is the number of completed handoffs that agents NAME shows.
const maxEnded = 5
