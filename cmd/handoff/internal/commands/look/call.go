package look

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
	"handoff/tools"
)

func callCommand(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:  "call TOOL [JSON | @FILE | -]",
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, given []string) error {
			t, _ := tools.FindTool(given[0]) // the call refuses an unknown one
			if t.Admin && !t.ReadOnly {      // other programs must not speak for ours
				return schemas.Errorf(schemas.NotFound, "%s is not offered here", t.Name).WithHint("It belongs to another command.")
			}
			args, err := callArguments(cmd.Context(), a, given)
			if err != nil {
				return err
			}
			by, err := a.Caller(false) // the tool decides whether it needs a name: the arguments may have one
			if err != nil {
				return err
			}
			var as struct{ Agent schemas.Agent }
			if _ = json.Unmarshal(args, &as); t.ReadOnly && cmp.Or(as.Agent, by.Agent) == schemas.Human { // else the tool refuses the caller
				by = a.LeaveHumanMailUnread(by)
			}
			var raw json.RawMessage
			err = a.ConnectForTool(cmd.Context(), by, given[0], func(conn *cli.Connection) error {
				raw, err = conn.Call(cmd.Context(), given[0], args, nil)
				return err
			})
			if err != nil {
				return err
			}
			return a.Print(raw, func(p *cli.Page) { printResult(p, raw) })
		},
	}
	a.Limits.DefineHiddenFlags(cmd)
	return cmd
}

func callArguments(ctx context.Context, a *cli.App, given []string) (json.RawMessage, error) {
	if len(given) < 2 {
		return json.RawMessage(`{}`), nil
	}
	said, err := a.ReadText(ctx, "JSON", given[1])
	if err != nil {
		return nil, err
	}
	text := json.RawMessage(said)
	if !json.Valid(text) {
		return nil, schemas.Invalidf("JSON", "the arguments of a tool are a JSON object").
			WithHint(`Write '{"name": "value"}', - for standard input or @FILE.`)
	}
	return text, nil
}

func printResult(p *cli.Page, raw json.RawMessage) {
	if p.Terminal {
		var b bytes.Buffer
		if json.Indent(&b, raw, "", "  ") == nil {
			raw = b.Bytes()
		}
	}
	p.AddLine("%s", cli.EscapedJSON(raw))
}

func toolsCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use: "tools",
		RunE: func(*cobra.Command, []string) error {
			return a.Print(tools.ToolListing(), printTools)
		},
	}
}

func printTools(p *cli.Page) {
	rows := schemas.Map(tools.Table(), func(t tools.Tool) []string {
		effect := "writes"
		if t.ReadOnly {
			effect = "reads"
		}
		return []string{t.Name, effect, t.Description}
	})
	p.WriteString(p.FormatTable([]string{"TOOL", "EFFECT", "DOES"}, rows))
}
