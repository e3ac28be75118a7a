package reading

import (
	"slices"

	"handoff/mailbox/brief"
	"handoff/schemas"
	"handoff/store"
)

// mostRecalled is how many earlier handoffs of a workflow are looked at for what they decided.
const mostRecalled = 50

// recalled is what earlier handoffs of the workflow decided, the newest first, as many decisions as the sender asked
// for. What the handoff says itself is left out, and so is what cannot be read. Of one handoff its last decision comes
// first. Only handoffs that were sent earlier count, so sending others later changes no brief.
func recalled(v *store.View, h *schemas.Handoff, r *store.Record) (all []brief.Recalled, err error) {
	said := map[string]bool{}
	if h.Context != nil {
		for _, d := range h.Context.Decisions {
			said[d.Decision] = true
		}
	}
	looked := 0
	for id, err := range v.Newest(store.InWorkflow(r.Workflow), r.ID) {
		if looked++; err != nil || looked > mostRecalled || len(all) >= h.Metadata.Recall {
			return all, err
		}
		var sent struct {
			Context struct {
				Decisions []schemas.Decision `json:"decisions"`
			} `json:"context"`
		}
		of := Readable(v, id)
		if of == nil || v.Saying(id, of.Body, &sent) != nil {
			continue
		}
		for _, d := range slices.Backward(sent.Context.Decisions) {
			if !said[d.Decision] && len(all) < h.Metadata.Recall {
				said[d.Decision] = true
				all = append(all, brief.Recalled{Of: id, Decision: d})
			}
		}
	}
	return all, nil
}
