package mcp

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"strings"

	sdk "github.com/mark3labs/mcp-go/mcp"
)

// prompt is a command that a person types in a client, such as /handoff next. The client sends its text to the model as
// a message of the person. The text names the tool to call.
type prompt struct {
	name, title, about string
	arguments          []sdk.PromptArgument
}

// promptTexts has the text of each prompt. The commands of the plugins have the same texts.
//
//go:embed prompts/*.txt
var promptTexts embed.FS

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
	{"next", "Take the next handoff", "Claim the next handoff and work on it", nil},
	{"inbox", "Show the inbox", "Handoffs that wait for you", nil},
	{"list", "List what is open", "All open handoffs of all agents", nil},
	{"send", "Send a handoff", "Hand a task to another agent", []sdk.PromptArgument{toArgument, taskArgument}},
	{"show", "Show a handoff", "Task and state of a handoff", []sdk.PromptArgument{idArgument}},
	{"history", "Show a history", "The chain of handoffs of a workflow", []sdk.PromptArgument{chainArgument}},
	{
		"retry", "Retry a handoff", "Run a failed, rejected or timed-out handoff again",
		[]sdk.PromptArgument{idArgument, noteArgument},
	},
}

func (s *Server) addPrompts() {
	for _, p := range prompts {
		s.sdk.AddPrompt(
			sdk.Prompt{Name: p.name, Title: p.title, Description: p.about, Arguments: p.arguments},
			func(_ context.Context, r sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
				text := sdk.NewTextContent(p.textWith(r.Params.Arguments))
				return sdk.NewGetPromptResult(p.about, []sdk.PromptMessage{sdk.NewPromptMessage(sdk.RoleUser, text)}), nil
			})
	}
}

// textWith returns the text of a prompt with the arguments that the person gave. Undeclared arguments are part of it,
// so that next, inbox and list take the argument agent.
func (p prompt) textWith(given map[string]string) string {
	file, _ := promptTexts.ReadFile("prompts/" + p.name + ".txt") // a test gets each prompt
	text := bytes.NewBuffer(file)
	if len(given) > 0 {
		fmt.Fprintf(text, "\nI gave with this command: %s\n", encodeForModel(given))
	}
	for _, a := range p.arguments {
		if a.Required && given[a.Name] == "" {
			fmt.Fprintf(text, "\nFirst ask me for %s: %s.\n", a.Name, a.Description)
		}
	}
	return strings.TrimSpace(text.String())
}
