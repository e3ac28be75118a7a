package keeping_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
	"handoff/store"
)

// spacesContaining returns the spaces of the store that contain a text.
func spacesContaining(t *testing.T, b store.Backend, text string) (spaces []store.Space) {
	t.Helper()
	require.NoError(t, b.View(t.Context(), func(r store.Reader) error {
		for s := range store.Spaces {
			for row, err := range r.Scan(store.Range{Space: s}) {
				require.NoError(t, err)
				if strings.Contains(string(row.Value), text) {
					spaces = append(spaces, s)
					break
				}
			}
		}
		return nil
	}))
	return spaces
}

// The text is in every field in which a handoff stores text. After the redaction it is nowhere in the store, and the
// registry verifies.
func TestRedact_RemovesTextsAndKeepsRegistry(t *testing.T) {
	for name, backend := range mailboxtest.Backends {
		t.Run(name, func(t *testing.T) {
			b := backend(t)
			w := mailboxtest.New(t, mailboxtest.InBackend(b))
			a, qa := w.Stdio("a"), w.Stdio("qa")
			qa.Request = "00000018000000000000000000000001"
			sent := w.Sends(a, "qa", "canary", func(in *schemas.SendIn) {
				in.Title, in.Tags, in.Detail, in.Data = "canary", []string{"canary"}, "canary", map[string]string{"to": "canary"}
				in.Context = &schemas.Context{References: []schemas.Reference{{Name: "log", Content: "canary"}}, State: map[string]any{"n": 12345678901234567, "status": []any{"canary"}}}
				in.Context.References = []schemas.Reference{{Name: "canary", Content: "canary"}}
				in.Expectations = &schemas.Expectations{SuccessCriteria: []string{"canary"}, Timeout: "2h"}
			})
			w.Claims(qa)
			qa.Request = ""
			w.Updates(qa, sent.HandoffID, schemas.ActProgress, mailboxtest.WithNote("canary"), mailboxtest.WithChanges(schemas.Changes{Checkpoint: &schemas.Checkpoint{Note: "canary"}}))
			w.Updates(qa, sent.HandoffID, schemas.ActAsk, mailboxtest.WithQuestions("canary?"))
			w.Updates(a, sent.HandoffID, schemas.ActAnswer, mailboxtest.WithNote("canary"))
			w.Claims(qa)
			require.NotEmpty(t, spacesContaining(t, b, "canary"))

			id := sent.HandoffID.String()
			mailboxtest.RequireRefusal(t, w.Redact, a, schemas.RedactIn{HandoffID: id}, schemas.Denied, "only human may do this")
			_, err := w.Redact(t.Context(), mailboxtest.Human, schemas.RedactIn{HandoffID: id, Field: "data.from"})
			mailboxtest.RequireError(t, err, schemas.Invalid, "nothing of ho_1 is left to redact there")

			out := mailboxtest.Must(t, w.Redact, mailboxtest.Human, schemas.RedactIn{HandoffID: id, Field: "task"})
			require.Equal(t, 2, out.Contents, "as it was sent, and with the answer")
			require.Equal(t, "[redacted]", w.FullView(sent.HandoffID).Handoff.Task)
			require.Equal(t, "canary", w.FullView(sent.HandoffID).Handoff.Detail)
			mailboxtest.Must(t, w.Redact, mailboxtest.Human, schemas.RedactIn{HandoffID: id})
			require.Empty(t, spacesContaining(t, b, "canary"))
			full := w.FullView(sent.HandoffID).Handoff
			require.Equal(t, "2h", full.Expectations.Timeout)
			require.Contains(t, full.Context.State, "n")
			w.CheckIntact()
			mailboxtest.RequireRefusal(t, w.Get, a, schemas.GetIn{HandoffID: id, Reference: "canary"}, schemas.NotFound, "has no reference")
			w.Completes(qa, sent.HandoffID, func(in *schemas.CompleteIn) {
				in.Verification = &schemas.Verification{Criteria: []schemas.Criterion{{Criterion: "1", Met: true}}}
			})

			message := w.Sends(a, "qa", "canary", mailboxtest.Message)
			mailboxtest.Must(t, w.Redact, mailboxtest.Human, schemas.RedactIn{HandoffID: message.NoticeID.String()})
			require.Empty(t, spacesContaining(t, b, "canary"))
			w.CheckIntact()
		})
	}
}

// A redaction of a text that only quotes a digest does not delete the content. Changed content is damage of the store,
// and is not reported as missing.
func TestRedact_KeepsContentOfOtherReferences(t *testing.T) {
	b := mailboxtest.NewMemoryBackend(t)
	w := mailboxtest.New(t, mailboxtest.InBackend(b))
	a := w.Stdio("a")
	sent := w.Sends(a, "qa", "t", func(in *schemas.SendIn) {
		in.Context = &schemas.Context{References: []schemas.Reference{{Name: "spec", Content: "as it was"}}}
	})
	put := func(content string) {
		require.NoError(t, b.Update(t.Context(), func(rows store.Writer) error {
			for row, err := range rows.Scan(store.Range{Space: store.References}) {
				return errors.Join(err, rows.Put(store.References, row.Key, []byte(content)))
			}
			return nil
		}))
	}
	put("changed")
	read := schemas.GetIn{HandoffID: sent.HandoffID.String(), View: "reference", Reference: "spec"}
	_, err := w.Get(t.Context(), a, read)
	require.ErrorIs(t, err, store.ErrCorrupt)
	put("as it was")

	digest := w.FullView(sent.HandoffID).Handoff.Context.References[0].Digest
	named := w.Sends(a, "qa", "look at "+digest) // a digest in a text is no reference of this handoff
	mailboxtest.Must(t, w.Redact, mailboxtest.Human, schemas.RedactIn{HandoffID: named.HandoffID.String()})
	require.Equal(t, "as it was", mailboxtest.Must(t, w.Get, a, read).Content)
}
