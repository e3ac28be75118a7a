package conformance_test

import (
	"context"
	"fmt"
	"strings"

	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// addResources adds the resources that the suite reads.
func addResources(s *server.MCPServer) {
	add := func(content sdk.ResourceContents, uri, mime string) {
		s.AddResource(sdk.NewResource(uri, uri, sdk.WithMIMEType(mime)),
			func(context.Context, sdk.ReadResourceRequest) ([]sdk.ResourceContents, error) {
				return []sdk.ResourceContents{content}, nil
			})
	}
	add(textResource("test://static-text", "text/plain", "This is the content of the static text resource."), "test://static-text", "text/plain")
	add(sdk.BlobResourceContents{URI: "test://static-binary", MIMEType: "image/png", Blob: png}, "test://static-binary", "image/png")
	s.AddResourceTemplate(sdk.NewResourceTemplate("test://template/{id}/data", "template"),
		func(_ context.Context, r sdk.ReadResourceRequest) ([]sdk.ResourceContents, error) {
			id := strings.Split(r.Params.URI, "/")[3]
			text := fmt.Sprintf(`{"id":%q,"templateTest":true,"data":"Data for ID: %s"}`, id, id)
			return []sdk.ResourceContents{textResource(r.Params.URI, "application/json", text)}, nil
		})
}

// addPrompts adds the prompts that the suite gets.
func addPrompts(s *server.MCPServer) {
	add := func(name string, messages func(args map[string]string) []sdk.Content, args ...string) {
		options := []sdk.PromptOption{sdk.WithPromptDescription("A prompt of the suite")}
		for _, arg := range args {
			options = append(options, sdk.WithArgument(arg, sdk.RequiredArgument()))
		}
		s.AddPrompt(sdk.NewPrompt(name, options...), func(_ context.Context, r sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			got := &sdk.GetPromptResult{}
			for _, content := range messages(r.Params.Arguments) {
				got.Messages = append(got.Messages, sdk.NewPromptMessage(sdk.RoleUser, content))
			}
			return got, nil
		})
	}
	add("test_simple_prompt", func(map[string]string) []sdk.Content {
		return []sdk.Content{sdk.NewTextContent("This is a simple prompt for testing.")}
	})
	add("test_prompt_with_arguments", func(args map[string]string) []sdk.Content {
		return []sdk.Content{sdk.NewTextContent(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", args["arg1"], args["arg2"]))}
	}, "arg1", "arg2")
	add("test_prompt_with_embedded_resource", func(args map[string]string) []sdk.Content {
		return []sdk.Content{
			sdk.NewEmbeddedResource(textResource(args["resourceUri"], "text/plain", "Embedded resource content for testing.")),
			sdk.NewTextContent("Please process the embedded resource above."),
		}
	}, "resourceUri")
	add("test_prompt_with_image", func(map[string]string) []sdk.Content {
		return []sdk.Content{sdk.NewImageContent(png, "image/png"), sdk.NewTextContent("Please analyze the image above.")}
	})
	s.AddPrompt(sdk.NewPrompt("test_input_required_result_prompt", sdk.WithPromptDescription("A prompt of the suite")), func(_ context.Context, r sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		if given := server.ElicitationResponse(r.Params.InputResponses, "user_context"); given == nil {
			return ask().Elicit("user_context", form("What context should the prompt use?", "context", "string")).PromptResult(), nil
		}
		return sdk.NewGetPromptResult("", []sdk.PromptMessage{sdk.NewPromptMessage(sdk.RoleUser, sdk.NewTextContent("with context"))}), nil
	})
}
