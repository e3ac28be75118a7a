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

// completer completes the arguments of prompts and of addresses of resources, by names of agents, workflows and the
// newest handoffs. If it cannot read them, it returns no values and no error.
type completer struct{ server *Server }

// CompletePromptArgument completes an agent, or the id of a handoff or a workflow, by the name of the argument.
func (c completer) CompletePromptArgument(
	ctx context.Context, _ string, a sdk.CompleteArgument, _ sdk.CompleteContext,
) (*sdk.Completion, error) {
	var known []string
	switch by := c.server.callerOf(ctx, nil); a.Name {
	case "to", "agent":
		seen, _ := callAndDecode[schemas.AgentsOut](ctx, c.server, by, "list_agents", callArguments{"limit": 10_000})
		known = schemas.Map(seen.Agents, func(card schemas.Card) string { return string(card.Name) })
	case "id":
		list, _ := callAndDecode[schemas.ListOut](ctx, c.server, by, "list_handoffs", callArguments{"box": "all", "limit": maxCompletions / 2})
		for _, i := range list.Items {
			known = append(known, i.HandoffID.String(), string(i.Workflow))
		}
	}
	found := slices.DeleteFunc(schemas.Unique(known), func(name string) bool {
		return name == "" || !strings.Contains(strings.ToLower(name), strings.ToLower(a.Value))
	})
	return &sdk.Completion{Values: found[:min(len(found), maxCompletions)], Total: len(found), HasMore: len(found) > maxCompletions}, nil
}

// CompleteResourceArgument completes the name at the end of an address.
func (c completer) CompleteResourceArgument(
	ctx context.Context, uri string, a sdk.CompleteArgument, given sdk.CompleteContext,
) (*sdk.Completion, error) {
	return c.CompletePromptArgument(ctx, uri, a, given)
}
