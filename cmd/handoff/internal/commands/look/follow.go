package look

import (
	"context"
	"iter"
	"time"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
)

// changes yields the events after a number and waits for more, as that of [tools.Invoker] does.
type changes func(ctx context.Context, after uint64) iter.Seq2[schemas.Change, error]

// pauseBetween is how long a stream that broke off is left alone.
const pauseBetween = time.Second

// follow gives each event after a number to take, in order, until ctx is done or take fails. What take did is not
// done again, except that an event for which the store was unavailable comes once more. Then the store is waited
// for, which is told once, until events come again.
func follow(ctx context.Context, a *cli.App, stream changes, after uint64, take func(schemas.Change) error) error {
	for told := false; ; {
		var broke error
		for c, err := range stream(ctx, after) {
			if broke = err; broke == nil {
				broke = take(c)
			}
			if broke != nil || ctx.Err() != nil {
				break
			}
			after, told = c.N, false
		}
		switch {
		case broke != nil && !cli.Unavailable(broke):
			return broke
		case ctx.Err() != nil:
			return nil //nolint:nilerr // it broke because ctx ended
		case broke != nil && !told:
			told = true
			a.PrintError(schemas.AsError(broke), "Watching goes on as soon as that is over.")
		}
		cli.Sleep(ctx, pauseBetween)
	}
}
