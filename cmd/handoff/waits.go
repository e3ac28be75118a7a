package main

import (
	"context"
	"errors"
	"time"

	"handoff/schemas"
)

const (
	longestWait = 50 * time.Second // that one call may wait
	pauseBroken = time.Second
)

// part is what one call covers of a wait. All calls of a wait say since when it lasts, so that it keeps its place
// in line. The zero part is that of a call that waits for nothing.
type part struct{ since, until time.Time }

// partAt is the part that begins now, at most as long as one call may wait.
func partAt(now, since, end time.Time) part {
	until := now.Add(longestWait)
	if end.Before(until) {
		until = end
	}
	return part{since, until}
}

// arguments tell how many seconds a call may wait that is made now.
func (p part) arguments(now time.Time) arguments {
	left := p.until.Sub(now)
	if left <= 0 {
		return arguments{}
	}
	return arguments{"wait_seconds": int((left + time.Second - 1) / time.Second)}
}

// wait makes one call after another until one is done, fails or the time is over; at least one. Each is told
// how many seconds it may wait. While the store is unavailable it is waited for as well.
func (v *visit) wait(ctx context.Context, limit time.Duration, call func(args arguments) (done bool, err error)) error {
	defer func() { v.part = part{} }()
	since := v.app.now()
	end := since.Add(limit)
	for {
		now := v.app.now()
		v.part = partAt(now, since, end)
		done, err := call(v.part.arguments(now))
		switch {
		case ctx.Err() != nil && !done:
			return schemas.Errorf(schemas.Unavailable, "interrupted while waiting")
		case done || err != nil && !unavailable(err) || !v.app.now().Before(end):
			return err
		case err != nil:
			sleep(ctx, pauseBroken)
		}
	}
}

// sleep waits, and tells whether it did so to the end.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

func unavailable(err error) bool {
	e, ok := errors.AsType[*schemas.Error](err)
	return ok && e.Code == schemas.Unavailable
}
