package mailbox

import (
	"cmp"
	"fmt"
	"strings"

	"handoff/mailbox/draft"
	"handoff/mailbox/offer"

	"handoff/mailbox/content"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// separateContent keeps the content that changes send along, and leaves the references to it in them.
//
// Unlike a send it writes within the check, because an amendment or a retry is checked inside its transaction. Where a
// later check refuses the changes, the content is undone with the rest. The field of an error is that of the context;
// the caller puts it below changes.
func (o *op) separateContent(c *schemas.Changes) error {
	context, contents, err := o.drafts.SeparateContent(c.Context)
	if err != nil {
		return err
	}
	c.Context = context
	return cmp.Or(o.checkReferences(context), o.keepContents(contents))
}

// checkReferences refuses a context that refers to what is not there: the receiver could not fetch it.
//
// Only places in this mailbox are looked up, as context://ho_12/detail. A foreign URL is not fetched: [op.warnOfUnknown]
// warns of it. The error is that of [reading.Lookup], with the index of the reference in its field. What is there now
// may be redacted later; then the receiver finds it gone.
func (o *op) checkReferences(c *schemas.Context) error {
	for i, ref := range schemas.OrZero(c).References {
		place, here := content.ParsePlace(ref.URL, 0)
		if ref.IsKept() || !here {
			continue
		}
		if _, err := reading.Lookup(o.View, place.Handoff, ref.URL); err != nil {
			e := schemas.AsError(err)
			hint := strings.TrimSpace(e.Hint + " Name what an existing handoff carries, as context://ho_12/detail. Nothing was sent.")
			return e.WithField(fmt.Sprintf("context.references[%d].url", i)).WithHint("%s", hint)
		}
	}
	return nil
}

// warnOfUnknown warns of what a handoff names that the mailbox does not know: content that is kept elsewhere, files
// that are not there, and whoever takes the work back. None is a reason to refuse it.
//
// It runs at a send, after the handoff was created, in the same transaction. Texts of the caller are cut to 120 bytes
// and made visible, since the warning goes into the context of a model.
func (o *op) warnOfUnknown(d *draft.Draft, _ *store.Record) (warnings []string, err error) {
	h := &d.Handoff
	for _, ref := range schemas.OrZero(h.Context).References {
		if _, here := content.ParsePlace(ref.URL, 0); !ref.IsKept() && !here {
			warnings = append(warnings, fmt.Sprintf("context.references: handoff cannot fetch %s, so its receiver has to; "+
				"a file of the project goes along as path, a part of another handoff as context://ho_12/detail",
				schemas.Visible(schemas.Clip(ref.URL, 120))))
		}
	}
	for _, f := range schemas.OrZero(h.Context).Files {
		if f.Missing {
			warnings = append(warnings, fmt.Sprintf("context.files: %s is not there", schemas.Visible(schemas.Clip(f.Path, 120))))
		}
	}
	unknown, err := o.unknownAgent(schemas.OrZero(h.Rollback).OnFailure)
	if unknown != "" {
		warnings = append(warnings, "rollback.on_failure: "+unknown)
	}
	return warnings, err
}

// unknownAgent says that nobody has a name, "" for one that somebody has. The text is that of MisconfiguredError in the
// kernl handoffs design.
//
// Somebody has a name who acts over an open connection, who has a row, or whose mailbox holds something. It is a
// warning and no error: an agent may come under this name before anything goes back to it.
func (o *op) unknownAgent(name schemas.Agent) (string, error) {
	if name == "" || name == schemas.System || name == o.By.Agent {
		return "", nil
	}
	why, err := o.Offers().WhyNoTaker(&store.Record{To: schemas.Address(name)}, offer.Member)
	if why == "" || err != nil {
		return "", err
	}
	m, err := o.Mailbox(schemas.Address(name))
	if m != (store.Mailbox{}) || err != nil {
		return "", err
	}
	return fmt.Sprintf("Agent not found: %s", name), nil
}
