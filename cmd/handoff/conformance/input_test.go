package conformance_test

import (
	"context"
	"fmt"

	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"handoff/mcp"
)

// inputTools ask their client for input before they answer (MCP specification, multi round-trip requests).
var inputTools = map[string]handler{
	"test_input_required_result_elicitation": func(_ context.Context, r call) (*result, error) {
		if name, ok := answer(r, "user_name")["name"].(string); ok {
			return says("Hello, %s!", name), nil
		}
		return ask().Elicit("user_name", form("What is your name?", "name", "string")).ToolResult(), nil
	},
	"test_input_required_result_sampling": func(_ context.Context, r call) (*result, error) {
		if given := server.SamplingResponse(r.Params.InputResponses, "capital_question"); given != nil {
			return says("%v", given.Content), nil
		}
		return ask().Sample("capital_question", question("What is the capital of France?", 100)).ToolResult(), nil
	},
	"test_input_required_result_list_roots": func(_ context.Context, r call) (*result, error) {
		if given := server.RootsResponse(r.Params.InputResponses, "client_roots"); given != nil {
			return says("%v", given.Roots), nil
		}
		return ask().Roots("client_roots").ToolResult(), nil
	},
	"test_input_required_result_request_state": func(_ context.Context, r call) (*result, error) {
		if r.Params.RequestState == "state" && answer(r, "confirm") != nil {
			return says("state-ok"), nil
		}
		return ask().Elicit("confirm", form("Please confirm", "ok", "boolean")).RequestState("state").ToolResult(), nil
	},
	"test_input_required_result_tampered_state": func(ctx context.Context, r call) (*result, error) {
		switch {
		case r.Params.RequestState == "sealed" && answer(r, "confirm") != nil:
			return says("state-ok"), nil
		case r.Params.RequestState != "" && r.Params.RequestState != "sealed":
			return nil, mcp.FailRequest(ctx, sdk.JSONRPCErrorDetails{Code: sdk.INVALID_PARAMS, Message: "the requestState was changed"})
		}
		return ask().Elicit("confirm", form("Please confirm", "ok", "boolean")).RequestState("sealed").ToolResult(), nil
	},
	"test_input_required_result_multiple_inputs": func(_ context.Context, r call) (*result, error) {
		in := r.Params.InputResponses
		if answer(r, "user_name") != nil && server.SamplingResponse(in, "greeting") != nil && server.RootsResponse(in, "client_roots") != nil {
			return says("all three"), nil
		}
		return ask().Elicit("user_name", form("What is your name?", "name", "string")).Sample("greeting", question("Generate a greeting", 50)).
			Roots("client_roots").RequestState("state").ToolResult(), nil
	},
	"test_input_required_result_multi_round": func(_ context.Context, r call) (*result, error) {
		switch {
		case r.Params.RequestState == "2" && answer(r, "step2") != nil:
			return says("after two rounds"), nil
		case r.Params.RequestState == "1" && answer(r, "step1") != nil:
			return ask().Elicit("step2", form("Step 2: What is your favorite color?", "color", "string")).RequestState("2").ToolResult(), nil
		}
		return ask().Elicit("step1", form("Step 1: What is your name?", "name", "string")).RequestState("1").ToolResult(), nil
	},
	"test_input_required_result_capabilities": func(ctx context.Context, r call) (*result, error) {
		asked, can := ask(), capabilities(ctx)
		if can.Elicitation != nil {
			asked.Elicit("user_name", form("What is your name?", "name", "string"))
		}
		if can.Sampling != nil {
			asked.Sample("greeting", question("Generate a greeting", 50))
		}
		if len(r.Params.InputResponses) > 0 {
			return says("done"), nil
		}
		return asked.ToolResult(), nil
	},
}

func ask() *server.InputRequestBuilder { return server.NewInputRequestBuilder("") }

func form(message, field, kind string) sdk.ElicitationParams {
	return sdk.ElicitationParams{Message: message, RequestedSchema: map[string]any{
		"type": "object", "properties": map[string]any{field: map[string]any{"type": kind}}, "required": []string{field},
	}}
}

func question(text string, tokens int) sdk.CreateMessageParams {
	return sdk.CreateMessageParams{MaxTokens: tokens, Messages: []sdk.SamplingMessage{{Role: sdk.RoleUser, Content: sdk.NewTextContent(text)}}}
}

// answer returns what a person wrote into a form, nil if there is no valid answer.
func answer(r call, key string) map[string]any {
	given := server.ElicitationResponse(r.Params.InputResponses, key)
	if given == nil || given.Action != sdk.ElicitationResponseActionAccept {
		return nil
	}
	content, _ := given.Content.(map[string]any)
	return content
}

// taskTools answer with a task.
var taskTools = map[string]handler{
	"slow_compute": func(ctx context.Context, r call) (*result, error) {
		return jobs.run(ctx, &job{seconds: r.GetFloat("seconds", 0), result: says("computed %s", r.GetString("label", ""))}), nil
	},
	"failing_job": func(ctx context.Context, _ call) (*result, error) {
		if !takesTasks(ctx) {
			return nil, mcp.FailRequest(ctx, missing("extensions", map[string]any{"io.modelcontextprotocol/tasks": struct{}{}}))
		}
		return jobs.run(ctx, &job{seconds: 1, result: sdk.NewToolResultError("the job failed")}), nil
	},
	"protocol_error_job": func(ctx context.Context, _ call) (*result, error) {
		return jobs.run(ctx, &job{failure: &sdk.JSONRPCErrorDetails{Code: sdk.INTERNAL_ERROR, Message: "the job broke"}}), nil
	},
	"confirm_delete": func(ctx context.Context, _ call) (*result, error) {
		return jobs.run(ctx, &job{result: says("deleted"), questions: questions("confirm")}), nil
	},
	"multi_input": func(ctx context.Context, _ call) (*result, error) {
		return jobs.run(ctx, &job{result: says("both"), questions: questions("first", "second")}), nil
	},
	"test_tool_with_task": func(ctx context.Context, r call) (*result, error) {
		name, ok := answer(r, "user_name")["name"].(string)
		if !ok {
			return ask().Elicit("user_name", form("What is your name?", "name", "string")).RequestState("state").ToolResult(), nil
		}
		return jobs.run(ctx, &job{seconds: 1, result: says("for %s", name)}), nil
	},
}

func questions(keys ...string) sdk.InputRequests {
	all := sdk.InputRequests{}
	for _, key := range keys {
		all[key] = sdk.NewElicitationInputRequest(form(fmt.Sprintf("%s?", key), key, "string"))
	}
	return all
}

func takesTasks(ctx context.Context) bool {
	_, declared := capabilities(ctx).Extensions["io.modelcontextprotocol/tasks"]
	return declared
}
