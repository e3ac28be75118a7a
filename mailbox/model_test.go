package mailbox_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
	"handoff/schemas/sandbox"
	"handoff/store"
	"handoff/store/postgres/postgrestest"
	"handoff/tools/toolstest"
)

// TestActions_RandomCallsFollowTransitionTable lets five agents and a person make random calls, sensible or not, and
// compares every step with the table in life/testdata/transitions.txt: a successful call is allowed there and leads to
// the state there; a refused call changes nothing. After the last call it checks every index, counter and byte of the
// store.
func TestActions_RandomCallsFollowTransitionTable(t *testing.T) {
	runs := map[string]int{"memory": sandbox.Repetitions(40), "bolt": sandbox.Repetitions(6), "postgres": sandbox.Repetitions(20)}
	if testing.Short() {
		runs = map[string]int{"memory": 5, "bolt": 1, "postgres": 1}
	}
	for name, runs := range runs {
		t.Run(name, func(t *testing.T) {
			open := backends[name]
			if name == "postgres" {
				workspaces := postgrestest.NewWorkspaceOpener(t)
				open = func(t testing.TB) store.Backend { return workspaces(t, t.Name()) }
			}
			for seed := range runs {
				t.Run(fmt.Sprint(seed), func(t *testing.T) {
					l := newLives(newWorldOn(t, open(t)), uint64(seed))
					for range 150 {
						l.step()
					}
					l.requireNoSelfReview()
					l.requireHistoryMatchesEvents(schemas.LimitHandoffs, schemas.LimitTokens, schemas.LimitCost)
				})
			}
		})
	}
}

// randomLives is the model: the table, and for each handoff its last known state.
type randomLives struct {
	*world
	rnd    *rand.Rand
	table  map[string]string // "state action" → next state
	agents []schemas.Caller
	tokens map[schemas.ID][]string // every token that a claim gave
	last   schemas.ID
}

func newLives(w *world, seed uint64) *randomLives {
	l := &randomLives{
		world: w, rnd: rand.New(rand.NewPCG(seed, 7)), table: readTable(w.t), tokens: map[schemas.ID][]string{},
		agents: []schemas.Caller{person},
	}
	for _, name := range []schemas.Agent{"architect", "auto-code", "qa", "ciso"} {
		l.agents = append(l.agents, w.Stdio(name))
	}
	l.agents = append(l.agents, schemas.Caller{Agent: "remote", Via: schemas.ViaHTTP})
	for _, name := range []string{"qa", "remote"} {
		mailboxtest.Must(w.t, w.Register, person, schemas.RegisterIn{Name: name, Accepts: []string{"task", "review"}})
	}
	return l
}

func readTable(t testing.TB) map[string]string {
	b, err := os.ReadFile("life/testdata/transitions.txt")
	require.NoError(t, err)
	table := map[string]string{}
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); f[2] != "refused" {
			table[f[0]+" "+f[1]] = f[2]
		}
	}
	return table
}

// randomCall is a call on a random handoff, with the actions of the table that it may turn out to be.
type randomCall struct {
	actions []string
	do      func(l *randomLives, by schemas.Caller, id schemas.ID) error
}

func (l *randomLives) step() {
	switch n := l.rnd.IntN(20); {
	case n < 4 || l.last == 0:
		l.sendAny()
	case n == 4:
		l.Pass(time.Duration(l.rnd.IntN(40)) * time.Minute)
	case n == 5:
		by := pick(l, l.agents[1:5])
		mailboxtest.Must(l.t, l.Detach, by, schemas.ConnIn{Conn: by.Conn})
	case n == 6:
		by := pick(l, l.agents[1:5])
		mailboxtest.Must(l.t, l.Attach, by, schemas.ConnIn{Conn: by.Conn})
	case n < 10:
		l.claimAny()
	default:
		l.callAndCompare(pick(l, randomCalls), pick(l, l.agents), schemas.ID(1+l.rnd.Uint64N(uint64(l.last))))
	}
}

// requireNoSelfReview checks that no agent reviewed its own work, and that each result under review names its next
// reviewer.
func (l *randomLives) requireNoSelfReview() {
	for id := schemas.ID(1); id <= l.last; id++ {
		got := l.FullView(id)
		if of := got.Handoff.Review; of != nil {
			require.NotEqual(l.t, of.By, got.Standing.Holder, "%s", id)
		}
		if e := got.Handoff.Expectations; got.Status == schemas.Completed && e != nil && e.Review != "" {
			require.Equal(l.t, got.Standing.AcceptedAt == nil, strings.HasPrefix(got.Standing.Reason, "acceptance pending"), "%s", id)
		}
	}
}

func pick[T any](l *randomLives, from []T) T { return from[l.rnd.IntN(len(from))] }

func (l *randomLives) sendAny() {
	by := pick(l, l.agents)
	in := schemas.SendIn{
		To:       pick(l, []string{"architect", "auto-code", "qa", "ciso", "remote", "human", "capability:review"}),
		Task:     fmt.Sprintf("task %d", l.rnd.IntN(1000)),
		Priority: pick(l, schemas.Priorities),
		Deadline: pick(l, []string{"", "", "", "20m", "3h"}),
		Parent:   pick(l, []string{"", "none"}),
		Type:     pick(l, []string{"", "task", "message"}),
		Options: &schemas.SendOptions{
			Terms: schemas.Terms{NeedsApproval: l.rnd.IntN(8) == 0}, Force: true,
			NotBefore: pick(l, []string{"", "", "", "10m"}),
			Limits:    pick(l, []map[string]float64{nil, nil, {"workflow_handoffs": 4}, {"tokens": 400, "rounds": 3}, {"cost_usd": 1, "minutes": 50}}),
		},
	}
	if l.last != 0 && l.rnd.IntN(6) == 0 {
		in.Options.After = []string{schemas.ID(1 + l.rnd.Uint64N(uint64(l.last))).String()}
	}
	if in.Type == "" && l.rnd.IntN(3) == 0 {
		in.Expectations = &schemas.Expectations{Review: pick(l, []string{"sender", "qa", "ciso", "human", "capability:review"}), MaxRounds: 1 + l.rnd.IntN(3)}
		in.Options.Force = false
	}
	if out, err := l.Send(context.Background(), by, in); err == nil {
		l.last = max(l.last, out.HandoffID)
	}
}

func (l *randomLives) claimAny() {
	by := pick(l, l.agents)
	out := mailboxtest.Must(l.t, l.Claim, by, schemas.ClaimIn{})
	if !out.Empty {
		l.requireNewToken(out)
	}
}

func (l *randomLives) requireNewToken(out schemas.ClaimOut) {
	got := l.FullView(out.HandoffID)
	require.Contains(l.t, []schemas.Status{schemas.Accepted, schemas.Working}, got.Status, "what it had reported on, it has again")
	require.NotContains(l.t, l.tokens[out.HandoffID], out.Token, "a token was given twice")
	l.tokens[out.HandoffID] = append(l.tokens[out.HandoffID], out.Token)
}

// callAndCompare makes a call and compares the new state of the handoff with the table.
func (l *randomLives) callAndCompare(d randomCall, by schemas.Caller, id schemas.ID) {
	before := l.FullView(id)
	events := l.events(id)
	err := d.do(l, by, id)
	if err != nil {
		require.Empty(l.t, toolstest.AdviceFaults(schemas.AsError(err).Next))
	}
	after := l.FullView(id)
	l.last = max(l.last, l.newest())
	switch {
	case err == nil:
		var to []string
		for _, a := range d.actions {
			to = append(to, l.table[string(before.Status)+" "+a])
		}
		allowed := slices.Contains(to, string(after.Status)) || isRepeatResult(before, after)
		require.True(l.t, allowed, "%s: %v of %s led to %s, the table says %v", id, d.actions, before.Status, after.Status, to)
	case schemas.AsError(err).Code == schemas.Stale:
		require.Equal(l.t, before.Status, after.Status)
		if before.Standing.Holder != by.Agent || !before.Status.IsHeld() { // else the caller holds it again
			require.Len(l.t, after.Late, len(before.Late)+d.lateResults(), "%v", d.actions)
		}
	default:
		require.NotEqual(l.t, schemas.Internal, schemas.AsError(err).Code, "%v", err)
		require.Equal(l.t, events, l.events(id), "%v was refused and changed something: %v", d.actions, err)
	}
}

// lateResults returns how many late results a call adds if its claim was lost: one for an outcome, and none for any
// other call.
func (d randomCall) lateResults() int {
	if slices.ContainsFunc(d.actions, func(a string) bool { return a == "completed" || a == "failed" || a == "rejected" }) {
		return 1
	}
	return 0
}

// isRepeatResult reports whether a call returned its first result.
func isRepeatResult(before, after schemas.GetOut) bool { return before.Status == after.Status }

func (l *randomLives) events(id schemas.ID) []schemas.Event {
	return mailboxtest.Must(l.t, l.Get, person, schemas.GetIn{HandoffID: id.String(), View: "audit"}).Audit
}

func (l *randomLives) newest() schemas.ID {
	out := mailboxtest.Must(l.t, l.List, person, schemas.ListIn{Box: "all", Limit: 1})
	if len(out.Items) == 0 {
		return 0
	}
	return out.Items[0].HandoffID
}

// token returns a current or older token, or none.
func (l *randomLives) token(id schemas.ID) string {
	if have := l.tokens[id]; len(have) > 0 && l.rnd.IntN(3) > 0 {
		return have[l.rnd.IntN(len(have))]
	}
	return ""
}

func randomUpdate(a schemas.Action, actions ...string) randomCall {
	return randomCall{actions, func(l *randomLives, by schemas.Caller, id schemas.ID) error {
		_, err := l.TryUpdate(by, id, a, func(in *schemas.UpdateIn) {
			in.Token, in.Note = l.token(id), "because"
			switch {
			case a == schemas.ActAmend && l.rnd.IntN(3) == 0:
				in.To = "qa"
			case a == schemas.ActAmend:
				in.Changes = &schemas.Changes{Title: "changed", Tags: []string{"x"}, Priority: pick(l, schemas.Priorities)}
			case a == schemas.ActRelease && l.rnd.IntN(2) == 0:
				in.To = "ciso"
			case a == schemas.ActAsk && l.rnd.IntN(3) == 0:
				in.Conditions = &schemas.Conditions{NeedsPermission: []string{"to deploy"}}
			}
		})
		return err
	}}
}

func randomFailure(outcome schemas.Outcome, actions ...string) randomCall {
	return randomCall{actions, func(l *randomLives, by schemas.Caller, id schemas.ID) error {
		in := schemas.FailIn{
			HandoffID: id.String(), FailureDetail: because(fmt.Sprint("no ", l.rnd.IntN(1000))), Token: l.token(id), Outcome: outcome,
			Then: pick(l, []schemas.FailureContinuation{"", schemas.ThenRetry, schemas.ThenEscalate, schemas.ThenStop}),
		}
		if l.rnd.IntN(2) == 0 {
			in.PartialProgress = &schemas.PartialProgress{Completed: []string{"half"}}
		}
		_, err := l.Fail(context.Background(), by, in)
		return err
	}}
}

var randomCalls = []randomCall{
	randomUpdate(schemas.ActProgress, "progress"),
	randomUpdate(schemas.ActAsk, "asked"),
	randomUpdate(schemas.ActAnswer, "answered", "completed"), // a person that answers work for human completes it
	randomUpdate(schemas.ActRelease, "released"),
	randomUpdate(schemas.ActAmend, "amended"),
	randomUpdate(schemas.ActCancel, "cancelled", "dismissed"),
	randomUpdate(schemas.ActRetry, "retried"),
	randomUpdate(schemas.ActReturn, "returned"),
	randomUpdate(schemas.ActAccept, "accepted"),
	randomUpdate(schemas.ActApprove, "approved"),
	randomUpdate(schemas.ActRefuse, "refused"),
	randomFailure(schemas.OutcomeFailed, "failed"),
	randomFailure(schemas.OutcomeRejected, "rejected", "declined"),
	{[]string{"completed"}, func(l *randomLives, by schemas.Caller, id schemas.ID) error {
		in := schemas.CompleteIn{HandoffID: id.String(), Result: schemas.Result{Summary: "done"}, Token: l.token(id)}
		in.Results = map[string]any{"cost_usd": float64(l.rnd.IntN(9)) / 10}
		withVerdict(pick(l, []string{"accept", "rework"}), "more")(&in)
		if l.rnd.IntN(3) == 0 {
			in.Continuation = &schemas.Continuation{SendIn: schemas.SendIn{To: "qa", Task: "and then"}}
		}
		_, err := l.Complete(context.Background(), by, in)
		return err
	}},
	{[]string{"claimed", "reclaimed"}, func(l *randomLives, by schemas.Caller, id schemas.ID) error {
		out, err := l.Claim(context.Background(), by, schemas.ClaimIn{HandoffID: id.String()})
		if err == nil && !slices.Contains(l.tokens[id], out.Token) {
			l.tokens[id] = append(l.tokens[id], out.Token)
		}
		return err
	}},
}
