package look

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/mailbox/roster"
	"handoff/schemas"
)

// uselessFlags has flags that would have no effect, by the command or the kind of its list.
var uselessFlags = map[string]string{
	"list": "read", "search": "read query stuck due", "inbox": "read box by all stuck due",
	"box":      "all read",
	"notices":  "status workflow tag tags role agent-role ready all until",
	"overview": "box workflow tag tags type query since role agent-role for by all ready read until",
}

// uselessFor returns the flags that would have no effect on the list.
func (l listOptions) uselessFor(command string, args cli.Arguments) string {
	switch {
	case command == "list" && (l.stuck || l.due):
		return uselessFlags["overview"]
	case args["box"] == "notices":
		return uselessFlags["notices"]
	case command == "list" && (args["box"] == "claimed" || args["box"] == "inbox" || args["box"] == "sent" && l.forAgent != ""):
		return uselessFlags["box"] // sent has ended handoffs, too
	}
	return uselessFlags[command]
}

// refuseUselessFlags returns an error if a flag, or a workflow without a flag, would have no effect beside the others.
func refuseUselessFlags(cmd *cobra.Command, given []string, args cli.Arguments, l listOptions) error {
	useless, named := l.uselessFor(cmd.Name(), args), len(given) > 0 && args["workflow"] == any(given[0])
	if named {
		useless += " workflow" // beside the flag
	}
	for flag := range strings.FieldsSeq(useless) {
		if cmd.Flags().Changed(flag) || named && flag == "workflow" && (l.stuck || l.due) {
			return schemas.Invalidf("--"+flag, "it has no effect on this list").WithHint("Leave it out.")
		}
	}
	return nil
}

// parseAddresses reads the addresses of --for, --by and --role. It makes a pool of --for, such as role:review, the
// pool of the list.
func (l *listOptions) parseAddresses(cmd *cobra.Command) error {
	for flag, to := range map[string]*string{"for": &l.forAgent, "by": &l.by, "role": &l.pool, "agent-role": &l.pool} {
		if cmd.Flags().Changed(flag) {
			kind := map[bool]string{to == &l.pool: "role:"}[true]
			read, err := schemas.ParseAddress("--"+flag, kind+*to)
			if err != nil {
				return err
			}
			*to = string(read)
		}
	}
	if _, isAgent := schemas.Address(l.forAgent).SingleAgent(); !isAgent {
		l.pool, l.forAgent = l.forAgent, ""
	}
	return nil
}

// newRowFilter returns a function that accepts rows by conditions that the tool does not have: handoffs that are ready,
// that are for a pool or its agents, that are older than a time, and all that concern one agent. It returns nil if the
// user set none of these conditions.
func (l listOptions) newRowFilter(ctx context.Context, conn *cli.Connection, args cli.Arguments) (func(schemas.ListItem) bool, error) {
	now := conn.App.Now()
	until, err := schemas.ParsePastTime("--until", l.until, now)
	if err != nil {
		return nil, err
	}
	var conditions []func(schemas.ListItem) bool
	if l.pool != "" {
		kind, name := schemas.Address(l.pool).Split()
		var players schemas.AgentsOut
		if _, err := conn.Call(ctx, "list_agents", cli.Arguments{kind: name, "limit": cli.AllAgents}, &players); err != nil {
			return nil, err
		}
		may := schemas.Map(players.Agents, func(c schemas.Card) schemas.Address { return schemas.Address(c.Name) })
		same := func(pool schemas.Address) bool { return roster.IsSamePool(pool, schemas.Address(l.pool)) }
		conditions = append(conditions, func(i schemas.ListItem) bool {
			return same(i.To) || same(schemas.Address("role:"+i.Role)) || slices.Contains(may, i.To)
		})
	}
	if of := l.forAgent; of != "" && (args["box"] == "all" || l.all) { // the tool knows the boxes of an agent
		conditions = append(conditions, func(i schemas.ListItem) bool { return string(i.Holder) == of || string(i.To) == of })
	}
	if l.ready {
		conditions = append(conditions, func(i schemas.ListItem) bool {
			return len(i.BlockedBy) == 0 && (i.NotBefore == nil || !i.NotBefore.After(now))
		})
	}
	if l.until != "" {
		conditions = append(conditions, func(i schemas.ListItem) bool { return i.At.Before(until) })
	}
	if len(conditions) == 0 {
		return nil, nil
	}
	return func(i schemas.ListItem) bool {
		return !slices.ContainsFunc(conditions, func(holds func(schemas.ListItem) bool) bool { return !holds(i) })
	}, nil
}
