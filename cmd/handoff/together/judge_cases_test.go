//go:build unix

package together_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

// These histories are made up, to test the judge.

// moments writes a history: each act is called one second after the one before and answered at once.
func moments(acts ...act) *history {
	h := newHistory()
	for i, a := range acts {
		a.from = time.Duration(i+1) * time.Second
		if a.until = a.from; a.fate == unknown {
			a.until = never
		}
		if a.what != claiming || a.fate != unknown {
			a.handoff = 1
		}
		h.acts = append(h.acts, a)
	}
	return h
}

func sent(f fate) act { return act{by: 1, what: sending, fate: f, to: "qa"} }

func claimed(by int, token string) act {
	return act{by: by, what: claiming, fate: done, token: token, to: "qa"}
}

func lostClaim(by int) act { return act{by: by, what: claiming, fate: unknown, to: "qa"} }

func finished(by int, f fate, token string) act {
	return act{by: by, what: completing, fate: f, token: token}
}

func found(status schemas.Status) act {
	return act{what: reading, status: status, to: "qa"}
}

func TestJudge_AcceptsPossibleHistories(t *testing.T) {
	for name, h := range map[string]*history{
		"a life": moments(sent(done), claimed(2, "a"), finished(2, done, "a"), found(schemas.Completed)),
		"a repeated completion": moments(
			sent(done), claimed(2, "a"), finished(2, done, "a"), finished(2, done, "a"), found(schemas.Completed)),
		"a send whose answer was lost":       moments(sent(unknown), claimed(2, "a"), found(schemas.Accepted)),
		"a completion whose answer was lost": moments(sent(done), claimed(2, "a"), finished(2, unknown, "a"), found(schemas.Completed)),
		"a completion that never arrived":    moments(sent(done), claimed(2, "a"), finished(2, unknown, "a"), found(schemas.Accepted)),
		"a claim whose answer was lost":      moments(sent(done), lostClaim(2), found(schemas.Accepted)),
		"a claim that never arrived":         moments(sent(done), lostClaim(2), claimed(3, "b"), found(schemas.Accepted)),
		"a claim of before it was sent that arrived later": moments(
			lostClaim(2), sent(done), found(schemas.Accepted)),
		"a completion refused because it was not held": moments(
			sent(done), claimed(2, "a"), finished(3, refused, "b"), found(schemas.Accepted)),
	} {
		t.Run(name, func(t *testing.T) { require.Empty(t, h.judge()) })
	}
}

func TestJudge_FindsImpossibleHistories(t *testing.T) {
	for name, h := range map[string]*history{
		"a claim while another holds it": moments(sent(done), claimed(2, "a"), claimed(3, "b"), found(schemas.Accepted)),
		"a claim after it was completed": moments(
			sent(done), claimed(2, "a"), finished(2, done, "a"), claimed(3, "b"), found(schemas.Accepted)),
		"a claim before it was sent":      moments(claimed(2, "a"), sent(done), found(schemas.Accepted)),
		"a send that left nothing":        moments(sent(refused), found(schemas.Pending)),
		"a completion that was forgotten": moments(sent(done), claimed(2, "a"), finished(2, done, "a"), found(schemas.Accepted)),
		"a completion that was refused and stands": moments(
			sent(done), claimed(2, "a"), finished(2, refused, "a"), found(schemas.Completed)),
		"a completion with the token of another": moments(
			sent(done), claimed(2, "a"), finished(3, done, "b"), found(schemas.Completed)),
		"a send that was forgotten":     moments(sent(done), found("")),
		"a claim that was forgotten":    moments(sent(done), claimed(2, "a"), found(schemas.Pending)),
		"a holder that nobody is":       moments(sent(done), found(schemas.Accepted)),
		"an end that nobody asked for":  moments(sent(done), claimed(2, "a"), found(schemas.TimedOut)),
		"a completion that nobody made": moments(sent(done), claimed(2, "a"), found(schemas.Completed)),
	} {
		t.Run(name, func(t *testing.T) { require.Contains(t, h.judge(), schemas.ID(1)) })
	}
}

func TestJudge_AllowsNewClaimAfterDeadClient(t *testing.T) {
	h := moments(sent(done), claimed(2, "a"), claimed(3, "b"), finished(3, done, "b"), found(schemas.Completed))
	h.killed[2] = 2500 * time.Millisecond
	require.Empty(t, h.judge())
	h.killed[2] = 3500 * time.Millisecond
	require.Contains(t, h.judge(), schemas.ID(1), "it was alive when another claimed")
}

func TestJudge_AllowsEitherOrderOfConcurrentClaims(t *testing.T) {
	h := moments(sent(done), claimed(2, "a"), claimed(3, "b"), found(schemas.Accepted))
	h.killed[3] = 0
	require.Contains(t, h.judge(), schemas.ID(1), "the second came after the first was answered")
	h.acts[1].until = h.acts[2].until
	require.Empty(t, h.judge(), "the dead one may have been first")
}
