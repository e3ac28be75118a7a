package look

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
	"handoff/schemas/closest"
)

// oneAgent is an agent and its work, and the result of agents NAME with --json.
type oneAgent struct {
	Agent schemas.Card   `json:"agent"`
	Held  []schemas.Item `json:"held"`
	Inbox []schemas.Item `json:"inbox"` // in the order of claiming, as many as one list has
}

func showAgent(ctx context.Context, a *cli.App, name schemas.Agent) error {
	by, err := a.Caller(false)
	if err != nil {
		return err
	}
	return a.Connect(ctx, by, func(conn *cli.Connection) error {
		one, err := agentNamed(ctx, conn, name)
		if err != nil {
			return err
		}
		for box, rows := range map[string]*[]schemas.Item{"claimed": &one.Held, "inbox": &one.Inbox} {
			var out schemas.ListOut
			if _, err := conn.Call(ctx, "list_handoffs", cli.Arguments{"box": box, "agent": name, "limit": cli.PageLimit}, &out); err != nil {
				return err
			}
			*rows = out.Items
		}
		return a.PrintValue(one, func(p *cli.Page) { printAgent(p, one) })
	})
}

// agentNamed finds an agent, or says who may be meant.
func agentNamed(ctx context.Context, conn *cli.Connection, name schemas.Agent) (one oneAgent, err error) {
	var all schemas.AgentsOut
	if _, err := conn.Call(ctx, "list_agents", cli.Arguments{"limit": cli.Everybody}, &all); err != nil {
		return one, err
	}
	i := slices.IndexFunc(all.Agents, func(c schemas.Card) bool { return c.Name == name })
	if i >= 0 {
		one.Agent = all.Agents[i]
		return one, nil
	}
	names := make([]string, len(all.Agents))
	for i, c := range all.Agents {
		names[i] = string(c.Name)
	}
	e := schemas.Errorf(schemas.NotFound, "there is no agent %q", schemas.Visible(schemas.Clip(string(name), 80)))
	if meant := closest.Meant(string(name), names); len(meant) > 0 {
		return one, e.WithHint("Did you mean %s?", meant[0])
	}
	return one, e.WithNext(schemas.Call(schemas.AgentsIn{}, "shows who is here"))
}

func printAgent(p *cli.Page, one oneAgent) {
	c := one.Agent
	p.Line("%s", p.Bold(string(c.Name)))
	p.Field("seen", cli.Presence(c, p.Now))
	p.Field("role", c.Role)
	p.Field("about", c.Description)
	p.Field("accepts", strings.Join(c.Accepts, ", "))
	p.Field("produces", strings.Join(c.Produces, ", "))
	p.Field("skills", strings.Join(c.Skills, ", "))
	if c.Notices > 0 {
		p.Field("unread notices", strconv.Itoa(c.Notices))
	}
	for _, part := range []struct {
		name  string
		items []schemas.Item
	}{{"holds", one.Held}, {"waits for it", one.Inbox}} {
		if len(part.items) > 0 {
			p.Line("\n%s", p.Bold(part.name))
			printItems(p, gathered{Items: part.items})
		}
	}
}
