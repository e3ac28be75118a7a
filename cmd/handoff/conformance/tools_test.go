package conformance_test

import (
	"context"
	"encoding/json"
	"fmt"

	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"handoff/mcp"
)

// An image of one pixel, and a sound of no length.
const (
	png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
	wav = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA=="
)

type (
	handler = server.ToolHandlerFunc
	call    = sdk.CallToolRequest
	result  = sdk.CallToolResult
)

// extend adds everything that the suite calls.
func extend(s *server.MCPServer) {
	add := func(name, schema string, h handler) {
		s.AddTool(sdk.NewToolWithRawSchema(name, "A tool of the suite", json.RawMessage(schema)), h)
	}
	for _, tools := range []map[string]handler{simpleTools, inputTools, taskTools} {
		for name, h := range tools {
			add(name, `{"type": "object"}`, h)
		}
	}
	add("json_schema_2020_12_tool", richSchema, returns(sdk.NewTextContent("ok")))
	add("test_x_mcp_header", headerSchema, returns(sdk.NewTextContent("ok")))
	addResources(s)
	addPrompts(s)
}

func returns(content ...sdk.Content) handler {
	return func(context.Context, call) (*result, error) { return &result{Content: content}, nil }
}

func says(format string, a ...any) *result { return sdk.NewToolResultText(fmt.Sprintf(format, a...)) }

func textResource(uri, mime, text string) sdk.TextResourceContents {
	return sdk.TextResourceContents{URI: uri, MIMEType: mime, Text: text}
}

var simpleTools = map[string]handler{
	"test_simple_text":   returns(sdk.NewTextContent("This is a simple text response for testing.")),
	"test_image_content": returns(sdk.NewImageContent(png, "image/png")),
	"test_audio_content": returns(sdk.NewAudioContent(wav, "audio/wav")),
	"test_embedded_resource": returns(sdk.NewEmbeddedResource(
		textResource("test://embedded-resource", "text/plain", "This is an embedded resource content."))),
	"test_multiple_content_types": returns(
		sdk.NewTextContent("Multiple content types test:"), sdk.NewImageContent(png, "image/png"),
		sdk.NewEmbeddedResource(textResource("test://mixed-content-resource", "application/json", `{"test":"data","value":123}`))),
	"test_error_handling": func(context.Context, call) (*result, error) {
		return sdk.NewToolResultError("This tool intentionally returns an error for testing"), nil
	},
	"test_missing_capability": func(ctx context.Context, _ call) (*result, error) {
		if capabilities(ctx).Sampling == nil {
			return nil, mcp.FailRequest(ctx, missing("sampling", struct{}{}))
		}
		return says("ok"), nil
	},
	"greet": func(_ context.Context, r call) (*result, error) {
		return says("Hello, %s!", r.GetString("name", "")), nil
	},
}

func capabilities(ctx context.Context) sdk.ClientCapabilities {
	if info := server.RequestProtocolInfoFromContext(ctx); info != nil && info.ClientCapabilities != nil {
		return *info.ClientCapabilities
	}
	return sdk.ClientCapabilities{}
}

// missing is the error for a client that does not declare a capability.
func missing(capability string, value any) sdk.JSONRPCErrorDetails {
	return sdk.JSONRPCErrorDetails{
		Code: sdk.MISSING_REQUIRED_CLIENT_CAPABILITY, Message: "the client does not declare " + capability,
		Data: map[string]any{"requiredCapabilities": map[string]any{capability: value}},
	}
}

const richSchema = `{
	"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
	"$defs": {"address": {"$anchor": "addressDef", "type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
	"properties": {
		"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}, "contactMethod": {"type": "string", "enum": ["phone", "email"]},
		"phone": {"type": "string"}, "email": {"type": "string"}
	},
	"allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
	"if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
	"then": {"required": ["phone"]}, "else": {"required": ["email"]},
	"additionalProperties": false
}`

const headerSchema = `{"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}}`
