package mailbox

import (
	"cmp"
	"slices"

	"handoff/mailbox/draft"
	"handoff/schemas"
)

// sendPartsAndJoin sends the parts of a send. If `join` is not nil, it then sends that draft, which depends on all
// parts. The parts and `join` get the parent and the workflow of the first part, so the chain of parents grows by only
// one. Each draft is checked as if it were sent alone, and any error undoes the whole operation. The result describes
// the first part, and has the ids and warnings of all sent handoffs.
func (o *op) sendPartsAndJoin(parts []*draft.Draft, join *draft.Draft) (out schemas.SendOut, err error) {
	var warnings []string
	beside := func(d draft.Draft) (schemas.ID, error) {
		d.Key = "" // the key belongs to the whole send
		if out.HandoffID != 0 {
			d.Workflow, d.Parent = out.Workflow, cmp.Or(out.Parent.String(), "none")
		}
		sent, err := o.sendDraft(&d)
		if warnings = append(warnings, sent.Warnings...); out.HandoffID == 0 {
			out = sent
		}
		return sent.HandoffID, err
	}
	for _, part := range parts {
		id, err := beside(*part)
		if err != nil {
			return out, err
		}
		out.Parts = append(out.Parts, id)
	}
	if join != nil {
		last := *join
		m := &last.Handoff.Metadata
		m.After = slices.Concat(schemas.FormatAll(out.Parts), m.After)
		if err := o.drafts.Encode(&last); err != nil {
			return out, err
		}
		if out.Joined, err = beside(last); err != nil {
			return out, schemas.PrefixField("options.join", err)
		}
	}
	slices.Sort(warnings) // most are the same for all
	out.Warnings = slices.Compact(warnings)
	return out, nil
}

// idsToWaitFor returns the ids that a handoff must have as dependencies to wait for a whole send: the id of the handoff
// that joins the parts if there is one, otherwise the ids of all parts. For a send without parts it is the id of the
// one handoff.
func idsToWaitFor(out schemas.SendOut) []string {
	if out.Joined != 0 || out.Parts == nil {
		return []string{cmp.Or(out.Joined, out.HandoffID).String()}
	}
	return schemas.FormatAll(out.Parts)
}
