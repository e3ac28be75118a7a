package tools

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"handoff/schemas"
	"handoff/schemas/respell"
)

// adviseMeant adds to the error of a call the calls that do what the caller seems to want, and that it may make now.
// For a tool, an action or a status that does not exist these do what its name says. For an action that the caller may
// not take, they stand in its place. The parameter args has the arguments of the call, as far as they could be read.
func (l LocalInvoker) adviseMeant(ctx context.Context, c Call, agent string, args map[string]any, refused error) error {
	e := *schemas.AsError(refused)
	action, _ := args["action"].(string)
	status, _ := args["status"].(string)
	word, id, meant := cmp.Or(status, action), handoffIn(args), respell.MeantCalls
	known := func(a schemas.Action) bool { return respell.IsTypingError(word, string(a)) }
	switch {
	case e.Field == "tool" && e.Hint == "":
		if word = c.Tool; strings.Contains(word, "status") { // as set_status
			word = cmp.Or(status, word)
		}
	case e.Handoff != 0 && (e.Code == schemas.Conflict || e.Code == schemas.Denied):
		verb, _, _ := strings.Cut(c.Tool, "_")
		word, id, meant = cmp.Or(action, verb), e.Handoff.String(), respell.CallsInstead
	case c.Tool != (schemas.UpdateIn{}).Tool() || word == "" || slices.ContainsFunc(schemas.Actions, known):
		return refused
	}
	by, _ := c.Caller.WithName(agent) // else the connection's own name
	about := respell.Standing{ID: id}
	if id != schemas.Blank {
		about.May, about.Other = l.Mailbox.ActionsNow(ctx, by, id)
	}
	e.Next = schemas.AdviceWithAgent(schemas.Agent(agent), meant(word, about, e.Next))
	return &e
}

// handoffIn returns the id of the handoff or the notice that arguments name, or [schemas.Blank].
func handoffIn(args map[string]any) string {
	id, _ := args["handoff_id"].(string)
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if text, _ := args[name].(string); id == "" && namesHandoff(text) {
			id = text
		}
	}
	return cmp.Or(id, schemas.Blank)
}

// namesHandoff reports whether a text looks like the id of a handoff or a notice.
func namesHandoff(text string) bool {
	return len(text) < 24 && (strings.HasPrefix(text, "ho_") || strings.HasPrefix(text, "no_"))
}
