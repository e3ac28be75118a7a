package mcp

import (
	"context"
	"slices"
	"strings"

	sdk "github.com/mark3labs/mcp-go/mcp"

	"handoff/schemas"
)

// maxCompletions is the number of values that the protocol allows in one response.
const maxCompletions = 100

// completer completes the arguments of prompts and of addresses of resources from current values. If it cannot read the
// values, it returns none and no error, because the person goes on typing.
type completer struct{ server *Server }

// CompletePromptArgument completes the value of an argument. Only the name of the argument decides the possible values,
// except in the prompt history, whose argument may name a workflow as well as a handoff.
func (c completer) CompletePromptArgument(
	ctx context.Context, prompt string, a sdk.CompleteArgument, _ sdk.CompleteContext,
) (*sdk.Completion, error) {
	var known []string
	switch {
	case a.Name == actAs, a.Name == toArgument.Name:
		known = c.agents(ctx)
	case a.Name == idArgument.Name && prompt == "history":
		known = slices.Concat(c.handoffs(ctx), c.workflows(ctx))
	case a.Name == idArgument.Name:
		known = c.handoffs(ctx)
	}
	return complete(a.Value, known), nil
}

// CompleteResourceArgument completes the name at the end of an address.
func (c completer) CompleteResourceArgument(
	ctx context.Context, uri string, a sdk.CompleteArgument, _ sdk.CompleteContext,
) (*sdk.Completion, error) {
	if i := slices.IndexFunc(kinds, func(k *kind) bool { return strings.HasPrefix(uri, k.prefix) }); i >= 0 {
		return complete(a.Value, kinds[i].known(c, ctx)), nil
	}
	return complete(a.Value, nil), nil
}

func (c completer) agents(ctx context.Context) []string {
	seen, _ := ask[schemas.AgentsOut](ctx, c.server, c.server.caller(ctx, nil), "list_agents", arguments{"limit": 10_000})
	return schemas.Map(seen.Agents, func(card schemas.Card) string { return string(card.Name) })
}

func (c completer) handoffs(ctx context.Context) (ids []string) {
	for _, item := range c.recent(ctx) {
		if item.HandoffID != 0 {
			ids = append(ids, item.HandoffID.String())
		}
	}
	return ids
}

func (c completer) workflows(ctx context.Context) (names []string) {
	for _, item := range c.recent(ctx) {
		if name := string(item.Workflow); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func (c completer) recent(ctx context.Context) []schemas.Item {
	by, newest := c.server.caller(ctx, nil), arguments{"box": "all", "limit": 50}
	list, _ := ask[schemas.ListOut](ctx, c.server, by, "list_handoffs", newest)
	return list.Items
}

// complete returns the known values that begin with value, also without their prefix ("1" finds ho_12), and then those
// that contain it.
func complete(value string, known []string) *sdk.Completion {
	var begin, contain []string
	value = strings.ToLower(value)
	for _, k := range known {
		_, bare, _ := strings.Cut(k, "_")
		switch lower := strings.ToLower(k); {
		case strings.HasPrefix(lower, value), bare != "" && strings.HasPrefix(strings.ToLower(bare), value):
			begin = append(begin, k)
		case strings.Contains(lower, value):
			contain = append(contain, k)
		}
	}
	found := slices.Concat(begin, contain)
	out := &sdk.Completion{Values: found, Total: len(found)}
	if len(found) > maxCompletions {
		out.Values, out.HasMore = found[:maxCompletions], true
	}
	return out
}
