package mcp

import (
	"encoding/json"

	sdk "github.com/mark3labs/mcp-go/mcp"

	"handoff/mcp/jsonrpc"
	"handoff/tools"
)

const (
	claimTool = "claim_handoff"
	getTool   = "get_handoff"
)

// callArguments are the arguments of a call of claim_handoff or get_handoff that this package has to know.
type callArguments struct {
	Agent       string `json:"agent"`
	HandoffID   string `json:"handoff_id"`
	WaitSeconds int    `json:"wait_seconds"`
}

// readCall reads arguments as the tool does: in any spelling of their names, and with numbers in quotes. Ok is false
// for arguments that the tool refuses.
func readCall(tool string, args json.RawMessage) (a callArguments, ok bool) {
	row, err := tools.Find(tool)
	if err != nil {
		return a, false
	}
	canonical, err := row.Canonical(args)
	if err != nil {
		return a, false
	}
	a.Agent = agentIn(args)
	return a, json.Unmarshal(canonical, &a) == nil
}

// agentIn returns the agent that arguments name, which their canonical form leaves out. Some clients send the arguments
// as text.
func agentIn(args json.RawMessage) string {
	var text string
	if json.Unmarshal(args, &text) == nil {
		args = json.RawMessage(text)
	}
	var a struct {
		Agent string `json:"agent"`
	}
	if json.Unmarshal(args, &a) != nil {
		return ""
	}
	return a.Agent
}

// waits reports whether a message is a call that asks to wait.
func waits(m jsonrpc.Message) bool {
	if m.Method != string(sdk.MethodToolsCall) {
		return false
	}
	var p struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if json.Unmarshal(m.Params, &p) != nil || p.Name != claimTool && p.Name != getTool {
		return false
	}
	call, ok := readCall(p.Name, p.Arguments)
	return ok && call.WaitSeconds > 0
}
