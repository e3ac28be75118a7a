package audit

import (
	"context"

	"handoff/store"
)

// CheckRows returns a sentence for each of the first faults of the rows, without the registry.
func CheckRows(ctx context.Context, s *store.Store) ([]string, error) {
	found, err := checkRows(ctx, s, nil)
	if err != nil {
		return nil, err
	}
	return found.problems(), nil
}
