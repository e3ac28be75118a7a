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

// separateContent stores the content in changes as separate rows, and leaves references to it in the changes.
//
// A send writes its content only after all checks. separateContent writes at once, because amendments and retries are
// checked inside their transaction, which undoes the writes if a later check refuses the changes. The field in an error
// is relative to the context; the caller adds the prefix "changes".
func (o *op) separateContent(c *schemas.Changes) error {
	context, contents, err := o.drafts.SeparateContent(c.Context)
	if err != nil {
		return err
	}
	c.Context = context
	return cmp.Or(o.checkReferences(context), o.storeContents(contents))
}

// checkReferences refuses a context with a reference to content that does not exist, because the recipient could not
// fetch it.
//
// It looks up only references into this mailbox, such as context://ho_12/detail. It does not fetch other URLs;
// [op.warnOfUnknownNames] warns of these. The error comes from [reading.LookupReference], with the index of the reference in its
// field. Content that exists now may be removed later; then the receiver cannot fetch it.
func (o *op) checkReferences(c *schemas.Context) error {
	for i, ref := range schemas.OrZero(c).References {
		place, here := content.ParseReference(ref.URL, 0)
		if ref.IsKept() || !here {
			continue
		}
		if _, err := reading.LookupReference(o.View, place.Handoff, ref.URL); err != nil {
			e := schemas.AsError(err)
			hint := strings.TrimSpace(e.Hint + " Name what an existing handoff carries, as context://ho_12/detail. Nothing was sent.")
			return e.WithField(fmt.Sprintf("context.references[%d].url", i)).WithHint("%s", hint)
		}
	}
	return nil
}

// warnOfUnknownNames warns of names in a handoff that the mailbox does not know: content that another system keeps, missing
// files, and an unknown agent for failures. It only warns: none of these is an error.
//
// It runs in the transaction of a send, after the handoff was created. In a warning it cuts texts of the caller to 120
// bytes and shows invisible characters as escapes, because the warning goes into the context of a model.
func (o *op) warnOfUnknownNames(d *draft.Draft, _ *store.Record) (warnings []string, err error) {
	h := &d.Handoff
	for _, ref := range schemas.OrZero(h.Context).References {
		if _, here := content.ParseReference(ref.URL, 0); !ref.IsKept() && !here {
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
	unknown, err := o.unknownAgentWarning(schemas.OrZero(h.Rollback).OnFailure)
	if unknown != "" {
		warnings = append(warnings, "rollback.on_failure: "+unknown)
	}
	return warnings, err
}

// unknownAgentWarning returns the text that no agent has a name, or "" if an agent has the name. The text is from
// MisconfiguredError in the kernl handoffs design.
//
// An agent has the name if it acts over an open connection, has a row, or has anything in its mailbox. An unknown name
// is only a warning, because an agent with this name may appear before any work fails and goes to it.
func (o *op) unknownAgentWarning(name schemas.Agent) (string, error) {
	if name == "" || name == schemas.System || name == o.By.Agent {
		return "", nil
	}
	why, err := o.Offers().NoTakerReason(&store.Record{To: schemas.Address(name)}, offer.Member)
	if why == "" || err != nil {
		return "", err
	}
	m, err := o.Counters(schemas.Address(name))
	if m != (store.Counters{}) || err != nil {
		return "", err
	}
	return fmt.Sprintf("Agent not found: %s", name), nil
}
