package mcp

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"

	"handoff/schemas"
)

// sealWait returns the id of the task of a wait, "" if the secret of the workspace cannot be read now.
func (s *Server) sealWait(ctx context.Context, w wait) string {
	secret, refused := s.seal(ctx)
	text, err := json.Marshal(w)
	if refused != nil || err != nil {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(append(sign(secret, text), text...))
}

// openWait returns the wait of a task. The error is not_found if the workspace did not make the id.
func (s *Server) openWait(ctx context.Context, id string) (w wait, refused *schemas.Error) {
	sealed, err := base64.RawURLEncoding.DecodeString(id)
	oneSpelling := base64.RawURLEncoding.EncodeToString(sealed) == id
	if err != nil || !oneSpelling || len(id) > maxTaskID || len(sealed) < sha256.Size {
		return w, errNoTask
	}
	secret, refused := s.seal(ctx)
	if refused != nil {
		return w, refused
	}
	text := sealed[sha256.Size:]
	if !hmac.Equal(sealed[:sha256.Size], sign(secret, text)) || json.Unmarshal(text, &w) != nil {
		return w, errNoTask
	}
	return w, nil
}

var errNoTask = schemas.Errorf(schemas.NotFound, "you have no task with this id: begin the wait again")

// sign returns the signature of a text (HMAC-SHA-256).
func sign(secret string, text []byte) []byte {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(text)
	return mac.Sum(nil)
}

// seal returns the secret of the workspace. The error means that it cannot be read now.
func (s *Server) seal(ctx context.Context) (string, *schemas.Error) {
	if known := s.sealing.Load(); known != nil {
		return *known, nil
	}
	nobody := schemas.Caller{} // the call is ours
	got, refused := callAndDecode[schemas.SealOut](ctx, s, nobody, "workspace_seal", schemas.SealIn{})
	if refused == nil {
		s.sealing.Store(&got.Secret)
	}
	return got.Secret, refused
}
