// Package keeping changes what is kept of handoffs that are done, each change as an event: a person takes texts out of
// one (redact.go) or lets go of what takes space in old ones (retention.go), and a look at checks corrects an outcome
// (observe.go). It also makes an exported workspace ready for another place (import.go, examine.go).
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

// Keeping changes what is kept of handoffs that are done. Its methods may be called concurrently.
type Keeping struct {
	Engine *operation.Engine
	Free   func() int64 // how many bytes of its file the store does not use; nil where nobody knows
}

// op is the operation in which something is changed.
type op struct{ *operation.Op }

// Redact takes texts out of all that was kept with a handoff, or out of a message, see [life.Redact]: those under a path
// as data.token, or all of them. Names of fields, numbers and times stay, and so do texts in other handoffs that repeat
// them. Content that was sent along goes with its reference, also from other handoffs that refer to it. A person calls
// it.
//
// The errors are not_found for an id that there is not, denied for anybody but a person, and invalid where nothing is
// left to take out. With a request id a repetition gets the first result.
//
// The handoff keeps its state and its events: the registry still tells who did what and when. Each content that was
// changed gets a new digest in the event of the redaction, so an audit tells a redaction from damage. The digests of
// the record are emptied, so an outcome that is sent again is not known as a repeat any more. Words of questions and
// results are no longer found by a search, even where only one field was taken out.
func (k *Keeping) Redact(ctx context.Context, by schemas.Caller, in schemas.RedactIn) (schemas.RedactOut, error) {
	return operation.Mutate(ctx, k.Engine, by, func(under *operation.Op) (out schemas.RedactOut, err error) {
		o := op{under}
		if strings.HasPrefix(in.HandoffID, "no_") {
			return o.redactMessage(in)
		}
		r, err := o.Find(in.HandoffID)
		if err != nil {
			return out, err
		}
		now, err := o.Step(life.Redact, r)
		if err != nil {
			return out, err
		}
		events, err := o.EventsOf(r, int(r.Event)) //nolint:gosec // there are no more
		if err != nil {
			return out, err
		}
		said, err := o.takeOut(events, in)
		if err != nil {
			return out, err
		}
		var h schemas.Handoff
		if err := cmp.Or(o.DecodeContent(r.ID, r.Body, &h), o.forget(r.ID, &h), o.DeleteTouch(r.ID)); err != nil {
			return out, err
		}
		now.Title, now.Tags, now.Digest, now.ResultDigest, now.LateDigest = h.Title, h.Tags, "", "", ""
		out = schemas.RedactOut{HandoffID: r.ID.String(), Contents: len(said.Events)}
		return out, o.Commit(&operation.Happening{Action: life.Redact, Was: r, Now: &now, Content: said})
	})
}

// redactMessage takes the text out of a message that anybody sent: out of the notice and out of its event.
//
// The field of the call is not heeded: all of the text goes. A message has no record, so its event is looked for by
// sender and time among all events of the registry, and a call takes as long as reading those. For any other caller
// than a person the error is denied; where no message has the id, nothing is left to take out, and the error is
// invalid. An error undoes what was changed in the notice.
func (o op) redactMessage(in schemas.RedactIn) (out schemas.RedactOut, err error) {
	if !o.By.InPerson() {
		return out, schemas.PersonNeeded("message %s is redacted by a person alone", schemas.Visible(in.HandoffID))
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
	said, err := o.takeOut(events, schemas.RedactIn{HandoffID: in.HandoffID})
	if err != nil {
		return out, err
	}
	return schemas.RedactOut{HandoffID: in.HandoffID, Contents: len(said.Events)}, o.RecordEvent(life.Redact, said)
}

// takeOut replaces the content of events, and gives what the event to come says of that.
//
// The content of an earlier redaction and of an import is left alone: it holds digests, and no text of a caller.
// Content that is no JSON object or that was erased is passed over. The error is invalid where nothing changed, so a
// person learns of a path that is spelled wrong.
func (o op) takeOut(events []schemas.Event, in schemas.RedactIn) (schemas.Redaction, error) {
	done := schemas.Redaction{Field: in.Field, Events: map[uint64]string{}}
	for _, e := range events {
		content, err := o.RawContent(e.Handoff, e.N)
		if err != nil {
			return done, err
		}
		less, err := compose.Redact(content, in.Field)
		if e.Action == schemas.Redacted || e.Action == string(life.Import) || err != nil || less == nil {
			continue // nothing of it is there, or it was never JSON
		}
		if done.Events[e.N], err = o.Redact(e, less); err != nil {
			return done, err
		}
		if err := o.forgetKept(content, less); err != nil {
			return done, err
		}
	}
	if len(done.Events) == 0 {
		return done, schemas.Invalidf("field", "nothing of %s is left to redact there", schemas.Visible(in.HandoffID)).
			WithHint("Name a field as view full shows it, such as data.token, or none for all texts.")
	}
	return done, nil
}

// forgetKept deletes content to which a handoff referred before something was taken out of it, and does not any more.
// Other handoffs that refer to it find it gone. Content is kept once for all that refer to it, so nobody else's
// reference can keep it: what a person wants gone has to be gone everywhere.
func (o op) forgetKept(before, now []byte) error {
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

// forget takes out what was made of the content of a handoff: notices about it, the words by which it is found, and
// results of calls that had its brief.
//
// Messages about the handoff stay: each is redacted by its own id. A receipt is dropped where its result has a brief of
// this handoff; a repeat of that call by its request id then finds nothing, and takes effect anew.
func (o op) forget(id schemas.ID, h *schemas.Handoff) error {
	err := o.RewriteNotices(func(n *schemas.Notice) bool {
		if n.About != id || n.Kind == schemas.TypeMessage {
			return false
		}
		n.Title, n.Text = "Handoff: "+h.Title, compose.Redacted
		return true
	})
	name := []byte(`"handoff_id":"` + id.String() + `"`)
	return cmp.Or(err, o.PutWords(id, reading.SentWords(h)), o.DeleteReceiptsWhere(func(result []byte) bool {
		return bytes.Contains(result, name) && bytes.Contains(result, []byte(`"brief":`))
	}))
}
