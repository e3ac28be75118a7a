package postgres

import (
	"context"
	"errors"
	"time"

	"handoff/store"
)

// insist asks the database, again while it does not answer, for up to patience: it may be starting anew. What is asked
// changes nothing.
func insist[T any](ctx context.Context, ask func(context.Context) (T, error)) (answer T, err error) {
	ctx, end := context.WithTimeout(ctx, patience)
	defer end()
	for {
		answer, err = ask(ctx)
		if err = classify(err); !errors.Is(err, store.ErrUnreachable) {
			return answer, err
		}
		select {
		case <-ctx.Done():
			return answer, err
		case <-time.After(again):
		}
	}
}
