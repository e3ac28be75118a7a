package main

import (
	"context"
	"errors"
	"time"

	"handoff/schemas"
)

const pollEvery = 250 * time.Millisecond

// poll tries until it is done, fails or the time is over; it tries at least once. Between two tries the
// store is free for those who are waited for. An unavailable store is waited for as well.
func poll(ctx context.Context, limit time.Duration, try func() (done bool, err error)) error {
	over := time.NewTimer(limit)
	defer over.Stop()
	for {
		done, err := try()
		if done || err != nil && (limit == 0 || !unavailable(err)) {
			return err
		}
		select {
		case <-ctx.Done():
			return schemas.Errorf(schemas.Unavailable, "interrupted while waiting")
		case <-over.C:
			return err
		case <-time.After(pollEvery):
		}
	}
}

func unavailable(err error) bool {
	var e *schemas.Error
	return errors.As(err, &e) && e.Code == schemas.Unavailable
}
