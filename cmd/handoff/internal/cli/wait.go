package cli

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"time"

	"handoff/schemas"
)

const (
	longestWait = schemas.MaxWait * time.Second // that one call may wait
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
func (p part) arguments(now time.Time) Arguments {
	left := p.until.Sub(now)
	if left <= 0 {
		return Arguments{}
	}
	return Arguments{"wait_seconds": int((left + time.Second - 1) / time.Second)}
}

// Wait makes one call after another until one is done, fails or the time is over; at least one. Each is told
// how many seconds it may wait. While the store is unavailable it is waited for as well.
func (conn *Connection) Wait(ctx context.Context, limit time.Duration, call func(Arguments) (done bool, err error)) error {
	defer func() { conn.part = part{} }()
	since := conn.App.Now()
	end := since.Add(limit)
	for {
		now := conn.App.Now()
		conn.part = partAt(now, since, end)
		done, err := call(conn.part.arguments(now))
		switch {
		case ctx.Err() != nil && !done:
			return schemas.Errorf(schemas.Unavailable, "interrupted while waiting")
		case done || err != nil && !Unavailable(err) || !conn.App.Now().Before(end):
			return err
		case err != nil:
			Sleep(ctx, pauseBroken)
		}
	}
}

// CallUntil opens the workspace and makes the same call again until a result is as it is to be, or the limit is over;
// at least once. It gives the last result read and as it is.
func CallUntil[Out any](
	ctx context.Context, a *App, limit time.Duration, tool string, args Arguments, is func(Out) bool,
) (out Out, raw json.RawMessage, err error) {
	err = a.Act(ctx, tool, func(conn *Connection) error {
		return conn.Wait(ctx, limit, func(now Arguments) (done bool, err error) {
			maps.Copy(now, args)
			out = *new(Out)
			raw, err = conn.Call(ctx, tool, now, &out)
			return err == nil && is(out), err
		})
	})
	return out, raw, err
}

// Sleep waits, and tells whether it did so to the end.
func Sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// Attempt gives what fn gives, or the error of ctx when that is done first. Then fn is left behind, as for input that
// nobody types: it is for commands that end soon after.
func Attempt[T any](ctx context.Context, fn func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	came := make(chan outcome, 1)
	go func() {
		value, err := fn()
		came <- outcome{value, err}
	}()
	select {
	case o := <-came:
		return o.value, o.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// Unavailable tells whether a call failed because the store could not be had: it may be made again.
func Unavailable(err error) bool {
	e, ok := errors.AsType[*schemas.Error](err)
	return ok && e.Code == schemas.Unavailable
}
