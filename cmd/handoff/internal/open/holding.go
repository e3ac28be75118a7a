package open

import (
	"context"
	"slices"

	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
	"handoff/store"
)

// HandoffCounts holds the numbers of handoffs that the removal of a workspace would delete.
type HandoffCounts struct {
	Handoffs   int // handoffs in any state, counted up to [CountLimit]
	Unfinished int // handoffs that have not ended, counted up to [CountLimit] in each state
}

// CountLimit is the number at which a count stops.
const CountLimit = 1000

// CountHandoffs counts the handoffs of a workspace. The caller must have locked the workspace with
// [relay.LockWorkspace]. A workspace without a store has no handoffs. Errors are errors of the store.
func CountHandoffs(ctx context.Context, w workspace.Workspace) (h HandoffCounts, err error) {
	if _, ok := w.StoreFile(); !ok {
		return h, nil
	}
	err = WithStore(ctx, w, nil, func(rows store.Backend) error {
		return store.New(rows).View(ctx, func(v *store.View) (err error) {
			h = HandoffCounts{}
			if h.Handoffs, err = countRows(v, store.IndexOfAllHandoffs()); err != nil {
				return err
			}
			for _, status := range slices.DeleteFunc(slices.Clone(schemas.Statuses), schemas.Status.HasEnded) {
				n, err := countRows(v, store.IndexByState(status))
				if err != nil {
					return err
				}
				h.Unfinished += n
			}
			return nil
		})
	})
	return h, err
}

// countRows counts the handoffs in an index, up to [CountLimit].
func countRows(v *store.View, i store.HandoffIndex) (n int, err error) {
	for _, err := range v.NewestFirst(i, 0) {
		if err != nil {
			return n, err
		}
		if n++; n == CountLimit {
			break
		}
	}
	return n, nil
}
