package mcp

import (
	"context"
	"slices"
	"strings"

	sdk "github.com/mark3labs/mcp-go/mcp"

	"handoff/schemas"
)

// maxCompletions is the largest number of values that the protocol allows in one response.
const maxCompletions = 100

// completer completes the arguments of prompts and of addresses of resources. If it cannot read the possible values, it
// returns no values and no error.
type completer struct{ server *Server }

// CompletePromptArgument completes the value of an argument. The name of the argument decides the possible values. In
// the prompt history, the argument id may name a handoff or a workflow; in other prompts it may name only a handoff.
func (c completer) CompletePromptArgument(
	ctx context.Context, prompt string, a sdk.CompleteArgument, _ sdk.CompleteContext,
) (*sdk.Completion, error) {
	var known []string
	switch {
	case a.Name == actAs, a.Name == toArgument.Name:
		known = c.agentNames(ctx)
	case a.Name == idArgument.Name && prompt == "history":
		known = slices.Concat(c.handoffIDs(ctx), c.workflowNames(ctx))
	case a.Name == idArgument.Name:
		known = c.handoffIDs(ctx)
	}
	return completeValue(a.Value, known), nil
}

// CompleteResourceArgument completes the name at the end of an address.
func (c completer) CompleteResourceArgument(
	ctx context.Context, uri string, a sdk.CompleteArgument, _ sdk.CompleteContext,
) (*sdk.Completion, error) {
	if i := slices.IndexFunc(resourceKinds, func(k *resourceKind) bool { return strings.HasPrefix(uri, k.prefix) }); i >= 0 {
		return completeValue(a.Value, resourceKinds[i].known(c, ctx)), nil
	}
	return completeValue(a.Value, nil), nil
}

func (c completer) agentNames(ctx context.Context) []string {
	seen, _ := callAndDecode[schemas.AgentsOut](ctx, c.server, c.server.callerOf(ctx, nil), "list_agents", callArguments{"limit": 10_000})
	return schemas.Map(seen.Agents, func(card schemas.Card) string { return string(card.Name) })
}

func (c completer) handoffIDs(ctx context.Context) []string {
	return c.ofNewestHandoffs(ctx, func(item schemas.ListItem) string { return item.HandoffID.String() })
}

func (c completer) workflowNames(ctx context.Context) []string {
	return c.ofNewestHandoffs(ctx, func(item schemas.ListItem) string { return string(item.Workflow) })
}

// ofNewestHandoffs returns a text of each of the newest handoffs, every text once.
func (c completer) ofNewestHandoffs(ctx context.Context, text func(schemas.ListItem) string) []string {
	by, newest := c.server.callerOf(ctx, nil), callArguments{"box": "all", "limit": 50}
	list, _ := callAndDecode[schemas.ListOut](ctx, c.server, by, "list_handoffs", newest)
	return slices.DeleteFunc(schemas.Unique(schemas.Map(list.Items, text)), func(s string) bool { return s == "" })
}

// completeValue returns the known values that begin with value, and then the values that contain it. The prefix of an
// id may be missing: "1" finds ho_12.
func completeValue(value string, known []string) *sdk.Completion {
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
