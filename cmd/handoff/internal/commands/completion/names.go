package completion

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
	"handoff/tools"
)

// agents completes with the names of agents, the last seen first.
var agents = ofAgents(func(conn *cli.Connection, cards []schemas.Card) (found []cobra.Completion) {
	for _, c := range cards {
		found = append(found, described(string(c.Name), aboutAgent(c, conn)))
	}
	return found
})

// recipients completes with all to whom something can be sent.
var recipients = ofAgents(func(conn *cli.Connection, cards []schemas.Card) (found []cobra.Completion) {
	for _, c := range cards {
		if c.Name != schemas.Human {
			found = append(found, described(string(c.Name), aboutAgent(c, conn)))
		}
	}
	found = append(found, described(string(schemas.Human), "a person"))
	for _, role := range said(cards, roleOf) {
		found = append(found, described("role:"+role, "who of this role is free"))
	}
	for _, accepted := range said(cards, capabilitiesOf) {
		found = append(found, described("capability:"+accepted, "who accepts this"))
	}
	return found
})

// roles, capabilities and workTypes complete with what agents said of themselves when they registered.
var (
	roles = ofAgents(func(_ *cli.Connection, cards []schemas.Card) []cobra.Completion {
		return said(cards, roleOf)
	})
	capabilities = ofAgents(func(_ *cli.Connection, cards []schemas.Card) []cobra.Completion {
		return said(cards, capabilitiesOf)
	})
	workTypes = ofAgents(func(_ *cli.Connection, cards []schemas.Card) []cobra.Completion {
		return append(said(cards, capabilitiesOf), described(schemas.TypeMessage, "mail that is only read"))
	})
)

func ofAgents(words func(*cli.Connection, []schemas.Card) []cobra.Completion) completer {
	return stored(func(ctx context.Context, conn *cli.Connection, _ string) ([]cobra.Completion, error) {
		var out schemas.AgentsOut
		_, err := conn.Call(ctx, "list_agents", cli.Arguments{"limit": cli.Everybody}, &out)
		return words(conn, out.Agents), err
	})
}

func aboutAgent(c schemas.Card, conn *cli.Connection) string {
	about := append([]string{cli.Presence(c, conn.App.Now())}, roleOf(c)...)
	if len(c.Accepts) > 0 {
		about = append(about, "accepts "+strings.Join(c.Accepts, " "))
	}
	return strings.Join(about, ", ")
}

// said gives what cards say, sorted, each once.
func said(cards []schemas.Card, of func(schemas.Card) []string) (all []string) {
	for _, c := range cards {
		all = append(all, of(c)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func roleOf(c schemas.Card) []string {
	if c.Role == "" {
		return nil
	}
	return []string{c.Role}
}

// capabilitiesOf leaves out "*", which is no name of one.
func capabilitiesOf(c schemas.Card) []string {
	return slices.DeleteFunc(slices.Clone(c.Accepts), func(accepted string) bool { return accepted == "*" })
}

// tokenNames completes with the names of tokens that are good.
var tokenNames = stored(func(ctx context.Context, conn *cli.Connection, _ string) (found []cobra.Completion, err error) {
	var out schemas.TokenListOut
	_, err = conn.Call(ctx, "token_list", cli.Arguments{}, &out)
	for _, t := range out.Tokens {
		if cli.TokenState(t, conn.App.Now()) == cli.TokenLive {
			found = append(found, described(t.Name, "acts as "+cli.TokenAgents(t)))
		}
	}
	return found, err
})

// workspaceNames completes with those on this machine.
func workspaceNames(_ context.Context, a *cli.App, _ string) (found []cobra.Completion) {
	all, _ := workspace.All(a.Getenv) // none where they cannot be listed
	for _, w := range all {
		found = append(found, described(w.Name, w.Project))
	}
	return found
}

// toolNames completes with the tools that agents are offered.
func toolNames(context.Context, *cli.App, string) (found []cobra.Completion) {
	for _, t := range tools.Table {
		found = append(found, described(t.Name, t.Description))
	}
	return found
}
