package mailbox

import (
	"cmp"
	"slices"

	"handoff/mailbox/draft"
	"handoff/schemas"
)

// fanOut sends parts, and then join, nil for none. Join depends on all parts in their order, before its own
// dependencies. The place of the first part counts for all: the others get its parent and its workflow, so the chain
// grows by one. Each draft is checked as if it came alone, and any error undoes the operation, so all are sent or none.
// The drafts do not change. The result describes the first part, and has the ids and warnings of all.
func (o *op) fanOut(parts []*draft.Draft, join *draft.Draft) (out schemas.SendOut, err error) {
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
		m.After = slices.Concat(schemas.Texts(out.Parts), m.After)
		if err := o.drafts.Encode(&last); err != nil {
			return out, err
		}
		if out.Joined, err = beside(last); err != nil {
			return out, schemas.Within("options.join", err)
		}
	}
	slices.Sort(warnings) // most are the same for all
	out.Warnings = slices.Compact(warnings)
	return out, nil
}

// lastIDs returns the dependencies of a handoff that waits for everything that a send has sent.
func lastIDs(out schemas.SendOut) []string {
	if out.Joined != 0 || out.Parts == nil {
		return []string{cmp.Or(out.Joined, out.HandoffID).String()}
	}
	return schemas.Texts(out.Parts)
}
