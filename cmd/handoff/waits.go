package main

import (
	"context"
	"errors"
	"time"

	"handoff/schemas"
)

const (
	longestWait = 50 // seconds that one call may wait
	pauseBroken = time.Second
)

// wait makes one call after another until one is done, fails or the time is over; at least one. Each is told
// how many seconds it may wait. While the store is unavailable it is waited for as well.
func (v *visit) wait(ctx context.Context, limit time.Duration, call func(args arguments) (done bool, err error)) error {
	until := v.app.now().Add(limit)
	for {
		left := until.Sub(v.app.now())
		args := arguments{}
		if left > 0 {
			args["wait_seconds"] = min(longestWait, int((left+time.Second-1)/time.Second))
		}
		done, err := call(args)
		switch {
		case ctx.Err() != nil && !done:
			return schemas.Errorf(schemas.Unavailable, "interrupted while waiting")
		case done || err != nil && !unavailable(err) || !v.app.now().Before(until):
			return err
		case err != nil:
			select {
			case <-ctx.Done():
			case <-time.After(pauseBroken):
			}
		}
	}
}

func unavailable(err error) bool {
	e, ok := errors.AsType[*schemas.Error](err)
	return ok && e.Code == schemas.Unavailable
}
