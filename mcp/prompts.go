package mcp

import (
	"context"
	"fmt"

	sdk "github.com/mark3labs/mcp-go/mcp"

	"handoff/schemas"
)

// prompt is a command that a person types in a client, such as /handoff next. The client sends its text to the model as
// a message of the person. The text names the tool to call.
type prompt struct {
	name, title, about string
	arguments          []sdk.PromptArgument
	render             func(context.Context, promptUse) string
}

// promptUse is one use of a prompt.
type promptUse struct {
	server *Server
	by     schemas.Caller
	given  map[string]string
}

var (
	idArgument    = sdk.PromptArgument{Name: "id", Description: "Handoff, as ho_12 or 12", Required: true}
	toArgument    = sdk.PromptArgument{Name: "to", Description: "Agent, capability:NAME, role:NAME or human", Required: true}
	taskArgument  = sdk.PromptArgument{Name: "task", Description: "The task", Required: true}
	chainArgument = sdk.PromptArgument{Name: "id", Description: "Any handoff of the chain, or the workflow; default: the newest"}
	noteArgument  = sdk.PromptArgument{Name: "note", Description: "Changes for the next attempt"}
)

// The prompts next, inbox and list declare no argument. If a person chooses a prompt without arguments, Claude Code
// sends it at once. If a prompt has arguments, even optional ones, Claude Code only inserts it into the line.
var prompts = []prompt{
	{"next", "Take the next handoff", "Claim the next handoff and work on it", nil, nextText},
	{"inbox", "Show the inbox", "Handoffs that wait for you", nil, inboxText},
	{"list", "List what is open", "All open handoffs of all agents", nil, openListText},
	{"send", "Send a handoff", "Hand a task to another agent", []sdk.PromptArgument{toArgument, taskArgument}, sendText},
	{"show", "Show a handoff", "Task and state of a handoff", []sdk.PromptArgument{idArgument}, showText},
	{"history", "Show a history", "The chain of handoffs of a workflow", []sdk.PromptArgument{chainArgument}, promptedHistoryText},
	{
		"retry", "Retry a handoff", "Run a failed, rejected or timed-out handoff again",
		[]sdk.PromptArgument{idArgument, noteArgument},
		retryText,
	},
}

func (s *Server) addPrompts() {
	for _, p := range prompts {
		s.sdk.AddPrompt(
			sdk.Prompt{Name: p.name, Title: p.title, Description: p.about, Arguments: p.arguments},
			func(ctx context.Context, r sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
				return s.renderPrompt(ctx, p, r), nil
			})
	}
}

func (s *Server) renderPrompt(ctx context.Context, p prompt, r sdk.GetPromptRequest) *sdk.GetPromptResult {
	use := promptUse{server: s, by: s.callerOf(ctx, r.Params.Meta), given: r.Params.Arguments}
	text := use.missingArgument(p)
	if text == "" {
		text = p.render(ctx, use)
	}
	return &sdk.GetPromptResult{
		Description: p.about,
		Messages:    []sdk.PromptMessage{sdk.NewPromptMessage(sdk.RoleUser, sdk.NewTextContent(text))},
	}
}

// missingArgument returns a text that asks the person for a missing required argument, or "" if none is missing. The
// text is part of the message, because clients do not show protocol errors to a person.
func (u promptUse) missingArgument(p prompt) string {
	for _, a := range p.arguments {
		if a.Required && u.given[a.Name] == "" {
			return fmt.Sprintf("The command %s needs %s (%s). Ask me for it.", p.name, a.Name, a.Description)
		}
	}
	return ""
}

// actAs is the name of an argument that the prompts next, inbox and list accept without declaring it, see [prompts].
const actAs = "agent"

// agentArgument returns the value of the argument [actAs], empty for none.
func (u promptUse) agentArgument() schemas.Agent { return schemas.Agent(u.given[actAs]) }

// failedCallText returns a text that tells the model that a call failed, and what to do next.
func failedCallText(e *schemas.Error) string {
	text := "This did not work: " + e.Error() + "."
	if e.Hint != "" {
		text += " " + e.Hint
	}
	if calls := schemas.RenderAdvice(e.Next); calls != "" {
		text += " " + calls
	}
	return text
}
