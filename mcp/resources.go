package mcp

import (
	"context"
	"encoding/json"
	"strings"

	sdk "github.com/mark3labs/mcp-go/mcp"

	"handoff/schemas"
)

const (
	jsonText = "application/json"
	markdown = "text/markdown"
	anyText  = "text/plain"
)

func (s *Server) addResources() {
	s.sdk.AddResource(sdk.NewResource(ownInbox, "inbox", sdk.WithResourceTitle("Your inbox"),
		sdk.WithResourceDescription("What waits for you, the next one first"), sdk.WithMIMEType(jsonText)), s.readResource)
	for _, k := range kinds {
		s.sdk.AddResourceTemplate(sdk.NewResourceTemplate(k.prefix+k.argument, k.name, sdk.WithTemplateTitle(k.title),
			sdk.WithTemplateDescription(k.about), sdk.WithTemplateMIMEType(k.mime)), s.readResource)
	}
}

func (s *Server) readResource(ctx context.Context, r sdk.ReadResourceRequest) ([]sdk.ResourceContents, error) {
	by, a := s.caller(ctx, r.Params.Meta), addressOf(r.Params.URI)
	if a.kind == nil {
		return nil, failRequest(ctx, schemas.Errorf(schemas.NotFound, "there is no such resource").Advised(""))
	}
	text, refused := a.kind.read(s, ctx, by, a.name)
	if refused != nil {
		return nil, failRequest(ctx, refused)
	}
	return []sdk.ResourceContents{sdk.TextResourceContents{URI: r.Params.URI, MIMEType: a.kind.mime, Text: text}}, nil
}

func (s *Server) handoff(ctx context.Context, by schemas.Caller, id string) (string, *schemas.Error) {
	return s.raw(ctx, by, "get_handoff", arguments{"handoff_id": id, "view": "full", "max_tokens": 100_000})
}

func (s *Server) workflow(ctx context.Context, by schemas.Caller, name string) (string, *schemas.Error) {
	h, refused := ask[schemas.HistoryOut](ctx, s, by, "handoff_history", arguments{"workflow": name, "limit": 500})
	return historyText(h), refused
}

// inbox lists the mail of an agent, "" for the caller.
func (s *Server) inbox(ctx context.Context, by schemas.Caller, agent string) (string, *schemas.Error) {
	list := arguments{"box": "inbox", "limit": 50}
	switch {
	case agent != "":
		list["agent"] = agent
	case by.Agent == "":
		return "", schemas.Invalidf("uri", "nobody knows who you are").
			WithHint("Read %sNAME, the inbox of an agent.", inboxURI)
	}
	return s.raw(ctx, by, "list_handoffs", list)
}

// raw returns the JSON of a result.
func (s *Server) raw(ctx context.Context, by schemas.Caller, tool string, a arguments) (string, *schemas.Error) {
	out, refused := ask[json.RawMessage](ctx, s, by, tool, a)
	return string(out), refused
}

// reference reads the content that a handoff refers to, piece by piece.
func (s *Server) reference(ctx context.Context, by schemas.Caller, id string) (string, *schemas.Error) {
	var b strings.Builder
	for offset := 0; ; {
		piece, refused := ask[schemas.GetOut](ctx, s, by, "get_handoff", arguments{
			"handoff_id": id, "view": "reference", "reference": contextURI + id, "offset": offset,
		})
		if refused != nil {
			return "", refused
		}
		b.WriteString(piece.Content)
		if piece.NextOffset <= offset {
			return b.String(), nil
		}
		offset = piece.NextOffset
	}
}
