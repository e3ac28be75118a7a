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

// separateContent stores the content in changes as separate rows, and leaves references to the rows in the changes. It
// writes before later checks, because a refusal undoes the transaction. The field of an error is relative to the
// context. The caller adds the prefix "changes".
func (o *op) separateContent(c *schemas.Changes) error {
	context, contents, err := o.drafts.SeparateContent(c.Context)
	if err != nil {
		return err
	}
	c.Context = context
	return cmp.Or(o.checkReferences(context), o.storeContents(contents))
}

// checkReferences refuses a context with a reference to content that does not exist, because the recipient could not
// fetch the content. It looks up only references into this workspace, such as context://ho_12/detail. For other URLs
// see [op.warnOfUnknownNames]. The error comes from [reading.LookupReference], with the index of the reference in its
// field.
func (o *op) checkReferences(c *schemas.Context) error {
	for i, ref := range schemas.ValueOrZero(c).References {
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

// warnOfUnknownNames warns of names in a handoff that the server does not know: content that another system keeps,
// missing files, and an unknown agent for failures. It runs in the transaction of a send, after the handoff was
// created. It cuts texts of the caller to 120 bytes and escapes invisible characters, because a model reads the
// warning.
func (o *op) warnOfUnknownNames(d *draft.Draft, _ *store.Record) (warnings []string, err error) {
	h := &d.Handoff
	for _, ref := range schemas.ValueOrZero(h.Context).References {
		if _, here := content.ParseReference(ref.URL, 0); !ref.IsKept() && !here {
			warnings = append(warnings, fmt.Sprintf("context.references: handoff cannot fetch %s, so its receiver has to; "+
				"a file of the project goes along as path, a part of another handoff as context://ho_12/detail",
				schemas.EscapeHidden(schemas.Clip(ref.URL, 120))))
		}
	}
	for _, f := range schemas.ValueOrZero(h.Context).Files {
		if f.Missing {
			warnings = append(warnings, fmt.Sprintf("context.files: %s is not there", schemas.EscapeHidden(schemas.Clip(f.Path, 120))))
		}
	}
	unknown, err := o.unknownAgentWarning(schemas.ValueOrZero(h.Rollback).OnFailure)
	if unknown != "" {
		warnings = append(warnings, "rollback.on_failure: "+unknown)
	}
	return warnings, err
}

// unknownAgentWarning returns a warning if no agent has the given name, otherwise "". An agent has the name if it acts
// over an open connection, has a row, or has anything in its mailbox. An unknown name is only a warning, because an
// agent with this name may come later. The text is from MisconfiguredError in the kernl handoffs design.
func (o *op) unknownAgentWarning(name schemas.Agent) (string, error) {
	if name == "" || name == schemas.System || name == o.By.Agent {
		return "", nil
	}
	why, err := o.Offers().NoTakerReason(&store.Record{To: schemas.Address(name)}, offer.MemberReasons)
	if why == "" || err != nil {
		return "", err
	}
	m, err := o.Counters(schemas.Address(name))
	if m != (store.Counters{}) || err != nil {
		return "", err
	}
	return fmt.Sprintf("Agent not found: %s", name), nil
}
