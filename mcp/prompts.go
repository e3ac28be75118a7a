package mcp

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"strings"

	sdk "github.com/mark3labs/mcp-go/mcp"

	"handoff/schemas"
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

// promptTable lists the prompts. It explains itself.
//
//go:embed prompts.txt
var promptTable string

func readPrompts() (all []prompt) {
	for _, row := range schemas.TableRows(promptTable, 3) {
		p := prompt{name: row[0], title: row[1], about: row[2]}
		for _, argument := range row[3:] {
			name, about, _ := strings.Cut(argument, ": ")
			name, required := strings.CutSuffix(name, "!")
			p.arguments = append(p.arguments, sdk.PromptArgument{Name: name, Description: about, Required: required})
		}
		all = append(all, p)
	}
	return all
}

func (s *Server) addPrompts() {
	for _, p := range readPrompts() {
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
