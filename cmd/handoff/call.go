package main

import (
	"bytes"
	"encoding/json"

	"github.com/spf13/cobra"

	"handoff/schemas"
	"handoff/tools"
)

func (a *app) callCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "call TOOL [JSON | -]",
		Short: "Call a tool as an MCP client does, and print its result",
		Example: `  handoff call list_agents
  handoff call send_handoff '{"to": "qa", "task": "Test the login form"}' --agent dev
  echo '{"handoff_id": "12", "summary": "12 tests passed"}' | handoff call complete_handoff - --agent qa
  handoff tools                    # what there is to call`,
		Long: `The result is JSON, indented on a terminal. A refused call prints its error in the same form with --json.`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, given []string) error {
			if _, err := tools.Find(given[0]); err != nil {
				return err
			}
			args, err := a.callArguments(given)
			if err != nil {
				return err
			}
			raw, err := a.callTool(cmd, given[0], args)
			if err != nil {
				return err
			}
			return a.print(raw, func(p *page) { p.result(raw) })
		},
	}
	a.keeping.bindHidden(cmd)
	return cmd
}

func (a *app) callArguments(given []string) (json.RawMessage, error) {
	if len(given) < 2 {
		return json.RawMessage(`{}`), nil
	}
	text := []byte(given[1])
	if given[1] == "-" {
		var err error
		if text, err = a.input("JSON", "-"); err != nil {
			return nil, err
		}
	}
	if !json.Valid(text) {
		return nil, schemas.Invalidf("JSON", "the arguments of a tool are a JSON object").
			WithHint(`Write '{"name": "value"}', or - to read it from standard input.`)
	}
	return text, nil
}

// callTool leaves it to the tool whether a name is needed: the arguments may say one.
func (a *app) callTool(cmd *cobra.Command, tool string, args json.RawMessage) (raw json.RawMessage, err error) {
	by, err := a.caller(false)
	if err != nil {
		return nil, err
	}
	err = a.visit(cmd.Context(), by, func(v *visit) error {
		raw, err = v.call(cmd.Context(), tool, args, nil)
		return err
	})
	return raw, err
}

func (p *page) result(raw json.RawMessage) {
	if p.Terminal {
		var b bytes.Buffer
		if json.Indent(&b, raw, "", "  ") == nil {
			raw = b.Bytes()
		}
	}
	p.line("%s", inert(raw))
}
