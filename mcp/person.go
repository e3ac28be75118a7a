package mcp

import (
	"context"
	"log/slog"
	"strings"

	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"handoff/schemas"
)

// A wait may be for a handoff that needs a person: an approval, or the answer to a question. If the person allowed it,
// the task asks the person in the session by a form (MCP specification, elicitation).

// formProof is the proof that the event of such an answer names, see [schemas.Caller].
const formProof = "form"

// addPersonRequest makes a task ask the person at the client. It does nothing if nothing is needed of a person, if the
// person allowed no forms, if the client has none, or if the person declined or closed this form in this session.
func (s *Server) addPersonRequest(ctx context.Context, t *Task, needed *schemas.PersonRequest) {
	caps := server.RequestProtocolInfoFromContext(ctx).ClientCapabilities
	if needed == nil || s.config.MayAskPerson == nil || !s.config.MayAskPerson() || caps.Elicitation == nil {
		return
	}
	if _, declined := sessionOf(ctx).declined.Load(needed.Key); declined {
		return
	}
	field := map[string]any{"type": "string", "title": "Answer"}
	if needed.Action == schemas.ActApprove {
		field = map[string]any{"type": "string", "title": "Decision", "enum": []schemas.Action{schemas.ActApprove, schemas.ActRefuse}}
	}
	form := map[string]any{"type": "object", "properties": map[string]any{"answer": field}, "required": []string{"answer"}}
	t.Status, t.Message, t.person = TaskInputRequired, needed.Text, needed
	t.Inputs = sdk.InputRequests{needed.Key: sdk.NewElicitationInputRequest(sdk.ElicitationParams{
		Mode: sdk.ElicitationModeForm, Message: needed.Text, RequestedSchema: form,
	})}
}

// Update does what a person answered, see [TaskKeeper]. An answer that the mailbox refuses leaves the question open.
func (k waits) Update(ctx context.Context, id string, answers sdk.InputResponses) bool {
	by, w, refused := k.open(ctx, id)
	if refused != nil {
		return refused.Code != schemas.NotFound
	}
	t := k.look(ctx, by, id, w)
	if t.person == nil || answers.DecodeFor(t.Inputs) != nil || answers[t.person.Key].Elicitation == nil {
		return true
	}
	given := answers[t.person.Key].Elicitation
	if given.Action != sdk.ElicitationResponseActionAccept {
		sessionOf(ctx).declined.Store(t.person.Key, true)
		return true
	}
	in := decisionOf(t.person, given.Content)
	if in.Action == "" {
		return true
	}
	person := schemas.Caller{Agent: schemas.Human, Via: by.Via, Proof: formProof}
	if _, refused := callAndDecode[schemas.UpdateOut](ctx, k.Server, person, "update_handoff", in); refused != nil {
		k.config.Logger.WarnContext(ctx, "the answer of a form was refused", slog.Any("error", refused))
	}
	return true
}

// decisionOf returns the call for what a person answered. It has no action if the answer is empty, or is no decision.
func decisionOf(asked *schemas.PersonRequest, content any) schemas.UpdateIn {
	in := schemas.UpdateIn{HandoffID: asked.Handoff.String()}
	fields, _ := content.(map[string]any)
	switch answer, _ := fields["answer"].(string); {
	case asked.Action == schemas.ActAnswer && strings.TrimSpace(answer) != "":
		in.Action, in.Note = schemas.ActAnswer, answer
	case asked.Action == schemas.ActApprove && answer == string(schemas.ActApprove), asked.Action == schemas.ActApprove && answer == string(schemas.ActRefuse):
		in.Action = schemas.Action(answer)
	}
	return in
}
