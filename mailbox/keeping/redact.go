// Package keeping changes the stored content of ended handoffs, and records each change as an event. [Keeping.Redact]
// removes texts from one handoff, [Keeping.Retain] drops the large texts of old handoffs, and [Keeping.Observe]
// corrects an outcome by the results of checks. Package mailbox offers these methods to its callers. [Import] prepares
// an exported workspace for another machine or directory.
package keeping

import (
	"bytes"
	"cmp"
	"context"
	"strings"

	"handoff/mailbox/compose"
	"handoff/mailbox/life"
	"handoff/mailbox/operation"
	"handoff/mailbox/reading"
	"handoff/schemas"
)

// Keeping changes the stored content of ended handoffs. Its methods may be called concurrently.
type Keeping struct {
	Engine *operation.Engine
	Free   func() int64 // returns the unused bytes of the store's file; nil if unknown
}

// op is the operation of a change.
type op struct{ *operation.Op }

// Redact removes texts from all stored content of a handoff, or of a message, see [life.Redact]: the texts under a
// path, such as data.token, or all texts. Names of fields, numbers and times stay. Copies of the texts in other
// handoffs stay. If the content of a reference is redacted, the stored content is deleted, also for other handoffs that
// refer to this content. Only a person may call Redact.
//
// The errors are not_found for an unknown id, denied for a caller that is not a person, and invalid if no text is left
// to remove. With a request id, a repeat gets the first result.
//
// The handoff keeps its state and its events. The event of the redaction has the new digest of each changed content, so
// an audit can tell a redaction from damage. Redact also empties the digests in the record, so the server no longer
// recognises a repeated completion or failure. A search no longer finds the handoff by words of its questions and
// results.
func (k *Keeping) Redact(ctx context.Context, by schemas.Caller, in schemas.RedactIn) (schemas.RedactOut, error) {
	return operation.UpdateForCaller(ctx, k.Engine, by, func(under *operation.Op) (out schemas.RedactOut, err error) {
		o := op{under}
		if strings.HasPrefix(in.HandoffID, "no_") {
			return o.redactMessage(in)
		}
		r, err := o.FindHandoff(in.HandoffID)
		if err != nil {
			return out, err
		}
		now, err := o.ApplyAction(life.Redact, r)
		events, unread := o.EventsOf(r, int(r.Event)) //nolint:gosec // there are no more
		if err = cmp.Or(err, unread); err != nil {
			return out, err
		}
		said, err := o.redactTexts(events, in)
		if err != nil {
			return out, err
		}
		var h schemas.Handoff
		if err := cmp.Or(o.DecodeContent(r.ID, r.Body, &h), o.deleteTextCopies(r.ID, &h), o.DeleteTouchedFiles(r.ID)); err != nil {
			return out, err
		}
		now.Title, now.Tags, now.Digest, now.ResultDigest, now.LateDigest = h.Title, h.Tags, "", "", ""
		out = schemas.RedactOut{HandoffID: r.ID.String(), Contents: len(said.Events)}
		return out, o.Commit(&operation.RecordChange{Action: life.Redact, Was: r, Now: &now, Content: said})
	})
}

// redactMessage removes the whole text of a message, from the notice in the mailbox and from the event in the registry.
//
// A message has no record that names its event. So redactMessage looks for the event by sender and time among all
// events of the registry, which takes as long as reading all events. The error is denied for a caller that is not a
// person, and invalid if no message has the id.
func (o op) redactMessage(in schemas.RedactIn) (out schemas.RedactOut, err error) {
	if !o.By.IsProvenPerson() {
		return out, schemas.PersonNeededf("message %s is redacted by a person alone", schemas.EscapeHidden(in.HandoffID))
	}
	var message schemas.Notice
	err = o.RewriteNotices(func(n *schemas.Notice) bool {
		if n.ID.String() != in.HandoffID {
			return false
		}
		message = *n
		n.Title, n.Text, n.Body = compose.Redacted, compose.Redacted, nil
		return true
	})
	if err != nil {
		return out, err
	}
	var events []schemas.Event
	for e, err := range o.EventsAfter(0) {
		if err != nil {
			return out, err
		}
		if e.Action == string(life.Message) && e.Agent == message.From && e.At.Equal(message.At) {
			events = append(events, e)
		}
	}
	redaction, err := o.redactTexts(events, schemas.RedactIn{HandoffID: in.HandoffID})
	if err != nil {
		return out, err
	}
	return schemas.RedactOut{HandoffID: in.HandoffID, Contents: len(redaction.Events)}, o.RecordEvent(life.Redact, redaction)
}

// redactTexts removes the redacted texts from the content of events, and deletes the content of references that were
// among them. It returns the content of the new event that records the redaction. The error is invalid if no content
// changed, so that a person notices a misspelled path.
func (o op) redactTexts(events []schemas.Event, in schemas.RedactIn) (schemas.Redaction, error) {
	var failed error
	done, err := o.redactEvents(events, func(content []byte) ([]byte, error) {
		less, err := compose.RedactTexts(content, in.Field)
		if less != nil {
			failed = cmp.Or(failed, o.deleteUnreferencedContent(content, less))
		}
		return less, err
	})
	if err = cmp.Or(err, failed); err == nil && len(done.Events) == 0 {
		err = schemas.Invalidf("field", "nothing of %s is left to redact there", schemas.EscapeHidden(in.HandoffID)).
			WithHint("Name a field as view full shows it, such as data.token, or none for all texts.")
	}
	return done, err
}

// redactEvents replaces the content of each event for which shorten returns content and no error. It returns the
// content of the new event that records the change. It skips the events of earlier redactions and of imports, because
// their content has digests, which audits need, and no text of a caller.
func (o op) redactEvents(events []schemas.Event, shorten func([]byte) ([]byte, error)) (schemas.Redaction, error) {
	done := schemas.Redaction{Events: map[uint64]string{}}
	for _, e := range events {
		if e.Action == schemas.Redacted || e.Action == string(life.Import) {
			continue
		}
		content, err := o.RawContent(e.Handoff, e.N)
		if err != nil {
			return done, err
		}
		less, err := shorten(content)
		if err != nil || less == nil {
			continue // its text is gone, or it was never JSON
		}
		if done.Events[e.N], err = o.RedactContent(e, less); err != nil {
			return done, err
		}
	}
	return done, nil
}

// deleteUnreferencedContent deletes stored content that a handoff referred to before its redaction and no longer refers
// to. The store keeps one copy of the content for all handoffs, so other handoffs lose the content, too. This is
// intended: a person who redacts a text wants the text deleted everywhere.
func (o op) deleteUnreferencedContent(before, now []byte) error {
	var sent struct{ Context schemas.Context }
	if err := schemas.Decode(before, &sent); err != nil {
		return nil //nolint:nilerr // it is no handoff
	}
	for _, ref := range sent.Context.References {
		if ref.IsKept() && !bytes.Contains(now, []byte(ref.Digest)) {
			if err := o.DeleteReference(ref.Digest); err != nil {
				return err
			}
		}
	}
	return nil
}

// deleteTextCopies removes the copies of a handoff's texts in other rows of the store: in notices about the handoff, in
// its search words, and in receipts (stored results of calls) that contain its brief. Messages about the handoff stay;
// a person can redact each message by its own id. If the call of a deleted receipt is repeated with the same request
// id, the call takes effect again.
func (o op) deleteTextCopies(id schemas.ID, h *schemas.Handoff) error {
	err := o.RewriteNotices(func(n *schemas.Notice) bool {
		if n.About != id || n.Kind == schemas.TypeMessage {
			return false
		}
		n.Title, n.Text = "Handoff: "+h.Title, compose.Redacted
		return true
	})
	name := []byte(`"handoff_id":"` + id.String() + `"`)
	return cmp.Or(err, o.PutWords(id, reading.MessageSearchWords(h)), o.DeleteReceiptsWhere(func(result []byte) bool {
		return bytes.Contains(result, name) && bytes.Contains(result, []byte(`"brief":`))
	}))
}
