package workspace

import (
	"context"
	"errors"
	"log/slog"
	"slices"

	"handoff/schemas"
	"handoff/store"
	"handoff/store/bolt"
)

// Holding is what would be lost with a workspace.
type Holding struct {
	Handoffs   int // all that were ever sent, counted up to [Many]
	Unfinished int // those that have not ended, counted up to [Many] in each state
}

// Many is where counting stops.
const Many = 1000

// Look counts what a workspace holds. It is called with the workspace locked; one without a store holds nothing.
func Look(ctx context.Context, w Workspace, log *slog.Logger) (h Holding, err error) {
	file, ok := w.Store()
	if !ok {
		return h, nil
	}
	backend, err := bolt.Open(ctx, bolt.Config{Path: file.Path, Logger: log})
	if err != nil {
		return h, err
	}
	s := store.New(backend)
	defer func() { err = errors.Join(err, s.Close()) }()
	err = s.View(ctx, func(v *store.View) (err error) {
		h = Holding{}
		if h.Handoffs, err = count(v, store.All()); err != nil {
			return err
		}
		for _, status := range slices.DeleteFunc(slices.Clone(schemas.Statuses), schemas.Status.Ended) {
			n, err := count(v, store.InState(status))
			if err != nil {
				return err
			}
			h.Unfinished += n
		}
		return nil
	})
	return h, err
}

func count(v *store.View, i store.Index) (n int, err error) {
	for _, err := range v.Newest(i, 0) {
		if err != nil {
			return n, err
		}
		if n++; n == Many {
			break
		}
	}
	return n, nil
}
