package waiting

import (
	"time"

	"handoff/schemas"
)

// Turn tells when the wait of a caller began and when it ends, for a call that waits so many seconds at most. A wait
// that is taken up again, at this process or another, brings both with it ([schemas.Caller]). A wait that is made of
// several calls keeps its beginning, and each call says when it ends.
func Turn(by schemas.Caller, seconds int, now time.Time) (since, until time.Time) {
	if since = by.Since; since.IsZero() || since.After(now) {
		since = now
	}
	longest := time.Duration(seconds) * time.Second
	if until = by.Until; until.IsZero() {
		until = since.Add(longest)
	}
	left := min(until.Sub(now), longest) // so that setting the clock makes no wait longer
	return since, now.Add(max(left, 0))
}
