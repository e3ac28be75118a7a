package tools_test

import (
	"context"
	"encoding/json"
	"fmt"

	"handoff/schemas"
	"handoff/tools"
)

// A refusal tells a model how to do better.
func ExampleLocalInvoker_Invoke() {
	var invoker tools.Invoker = tools.LocalInvoker{}
	_, err := invoker.Invoke(context.Background(), tools.Call{
		Caller: schemas.Caller{Agent: "architect"},
		Tool:   "send_handoff",
		Args:   json.RawMessage(`{"to": "auto-code", "tsk": "Fix the login"}`),
	})
	e := schemas.AsError(err)
	fmt.Println(e.Code, e)
	fmt.Println(e.Hint)
	// Output:
	// invalid tsk: there is no such field (Closest: task); task: required (task: What to do (≤4 KiB))
	// Nothing was sent.
}

// Arguments with slips are coerced.
func ExampleTool_CanonicalArgs() {
	send, _ := tools.FindTool("send_handoff")
	args, _ := send.CanonicalArgs(json.RawMessage(`{"to": "auto-code", "message": "Fix the login", "tags": "go", "priority": "HIGH"}`))
	fmt.Println(string(args))
	// Output: {"priority":"high","tags":["go"],"task":"Fix the login","to":"auto-code"}
}
