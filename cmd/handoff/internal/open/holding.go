package open

import (
	"context"

	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
	"handoff/store"
)

// HandoffCounts holds the numbers of handoffs that the removal of a workspace would delete.
type HandoffCounts struct {
	Handoffs   int // handoffs in any state
	Unfinished int // handoffs that have not ended
}

// CountHandoffs counts the handoffs of a workspace. The caller must have locked the workspace with
// [relay.LockWorkspace]. A workspace without a store has no handoffs. Errors are errors of the store.
func CountHandoffs(ctx context.Context, w workspace.Workspace) (h HandoffCounts, err error) {
	if !w.HasStore() {
		return h, nil
	}
	err = WithStore(ctx, w, nil, func(rows store.Backend) error {
		return store.New(rows).View(ctx, func(v *store.View) error {
			h = HandoffCounts{}
			for _, status := range schemas.Statuses {
				for _, err := range v.OldestFirst(store.IndexByState(status), 0) {
					if err != nil {
						return err
					}
					if h.Handoffs++; !status.HasEnded() {
						h.Unfinished++
					}
				}
			}
			return nil
		})
	})
	return h, err
}
