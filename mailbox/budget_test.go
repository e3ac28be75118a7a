package mailbox_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/content"
	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
	"handoff/store"
)

// inLimitedWorkflow puts a send into the workflow wf_job, with limits, as the beginning of a chain.
func inLimitedWorkflow(limits map[string]float64) func(*schemas.SendIn) {
	return func(in *schemas.SendIn) {
		in.Workflow, in.Parent, in.Options = "wf_job", "none", &schemas.SendOptions{Limits: limits}
	}
}

func (w *world) budgets(workflow schemas.Workflow) map[string]schemas.WorkflowBudget {
	w.t.Helper()
	out := mailboxtest.Must(w.t, w.History, person, schemas.HistoryIn{Workflow: string(workflow)})
	all := map[string]schemas.WorkflowBudget{}
	for _, b := range out.Limits {
		all[b.Limit] = b
	}
	return all
}

// refusesSend checks that a limit refuses a send in wf_job, and that the refused send changes no budget.
func (w *world) refusesSend(by schemas.Caller, want string, more ...func(*schemas.SendIn)) {
	w.t.Helper()
	before, sent := w.budgets("wf_job"), schemas.SendIn{To: "b", Task: "x", Workflow: "wf_job"}
	for _, m := range more {
		m(&sent)
	}
	mailboxtest.RequireRefusal(w.t, w.Send, by, sent, schemas.Limit, want)
	require.Equal(w.t, before, w.budgets("wf_job"))
}

func TestBudget_LimitsHandoffs(t *testing.T) {
	w, a := newWorldWith(t, "a")
	w.Sends(a, "b", "x", inLimitedWorkflow(map[string]float64{"workflow_handoffs": 3}))
	w.Sends(a, "b", "y", inLimitedWorkflow(nil))
	_, err := w.Send(context.Background(), a, schemas.SendIn{To: "b", Task: "{{each}}", Workflow: "wf_job", Options: &schemas.SendOptions{Each: []string{"p", "q"}}})
	refused(t, err, schemas.Limit, "this would be 4 of 3 workflow_handoffs of wf_job, which has used 3")
	w.Sends(a, "b", "z", inLimitedWorkflow(nil))
	w.refusesSend(a, "this would be 4 of 3")
	w.Sends(a, "human", "decide", inLimitedWorkflow(nil))
	require.Equal(t, schemas.WorkflowBudget{Limit: "workflow_handoffs", Used: 4, Of: 3}, w.budgets("wf_job")["workflow_handoffs"])
	w.Sends(a, "b", "another workflow")
}

func TestBudget_LimitsRoundsOfChain(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.Sends(person, "a", "x", inLimitedWorkflow(map[string]float64{"rounds": 2}))
	for range 2 {
		w.Claims(a)
		w.Assigns(a, b, "x")
		if w.budgets("wf_job")["rounds"].Used < 2 {
			w.Sends(b, "a", "x")
		}
	}
	w.refusesSend(b, "this would be 3 of 2 rounds", func(in *schemas.SendIn) { in.To = "a" })
	w.Sends(b, "c", "who had none of it")
	w.Sends(a, "b", "beside it", inLimitedWorkflow(nil))
}

func TestBudget_CountsReturnToHolderFromPoolAsRound(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	mailboxtest.Must(t, w.Register, b, schemas.RegisterIn{Name: "b", Accepts: []string{"review"}})
	w.Sends(a, "capability:review", "x", inLimitedWorkflow(map[string]float64{"rounds": 1}))
	w.Claims(b)
	w.Completes(b, 1)
	w.RefusesUpdate(a, 1, schemas.ActReturn, schemas.Limit, "this would be 2 of 1 rounds", note("again"))
}

func TestBudget_LimitsTokens(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.Sends(a, "b", "x", inLimitedWorkflow(map[string]float64{"tokens": 1e6}))
	used := func() float64 { return w.budgets("wf_job")["tokens"].Used }
	first := used()
	w.Sends(a, "b", "x", inLimitedWorkflow(nil))
	each := used() - first
	w.Claims(b)
	w.Completes(b, 1)
	require.Greater(t, used(), first+each, "what came back counts")
	lowered := func(in *schemas.UpdateIn) {
		in.Changes = &schemas.Changes{Options: &schemas.SendOptions{Limits: map[string]float64{"tokens": used() + each}}}
	}
	w.Updates(a, 2, schemas.ActAmend, lowered)
	w.Sends(a, "b", "x", inLimitedWorkflow(nil))
	w.refusesSend(a, "tokens of wf_job", inLimitedWorkflow(nil))
}

func TestBudget_LimitsMinutes(t *testing.T) {
	w, a := newWorldWith(t, "a")
	w.Sends(a, "b", "x", inLimitedWorkflow(map[string]float64{"minutes": 30}))
	w.Pass(30 * time.Minute)
	w.Sends(a, "b", "y", inLimitedWorkflow(nil))
	w.Pass(time.Second)
	w.refusesSend(a, "this would be 30.02 of 30 minutes")
}

func TestBudget_LimitsCost(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	spend := func(usd any) {
		id := w.Sends(a, "b", fmt.Sprint(usd), inLimitedWorkflow(nil)).HandoffID
		mailboxtest.Must(t, w.Claim, b, schemas.ClaimIn{HandoffID: id.String()})
		w.Completes(b, id, func(in *schemas.CompleteIn) { in.Results = map[string]any{"cost_usd": usd} })
	}
	w.Sends(a, "b", "x", inLimitedWorkflow(map[string]float64{"cost_usd": 1}))
	for _, usd := range []any{0.7, "0.3"} {
		spend(usd)
	}
	spend(0.1)
	w.refusesSend(a, "this would be 1.1 of 1 cost_usd")
}

func TestBudget_OnlyPersonRaisesLimit(t *testing.T) {
	w, a := newWorldWith(t, "a")
	w.Sends(a, "b", "x", inLimitedWorkflow(map[string]float64{"workflow_handoffs": 5}))
	out := w.Sends(a, "b", "y", inLimitedWorkflow(map[string]float64{"workflow_handoffs": 9, "rounds": 4}))
	require.Contains(t, out.Warnings, "workflow_handoffs of wf_job stays 5: only a person raises it")
	w.Sends(a, "b", "z", inLimitedWorkflow(map[string]float64{"workflow_handoffs": 3}))
	w.refusesSend(a, "4 of 3")
	w.Sends(person, "b", "go on", inLimitedWorkflow(map[string]float64{"workflow_handoffs": 4}))
	w.refusesSend(a, "5 of 4")
	w.Updates(person, 1, schemas.ActAmend, func(in *schemas.UpdateIn) {
		in.Changes = &schemas.Changes{Options: &schemas.SendOptions{Limits: map[string]float64{"workflow_handoffs": 6}}}
	})
	w.Sends(a, "b", "v", inLimitedWorkflow(nil))
	require.Equal(t, schemas.WorkflowBudget{Limit: "rounds", Used: 1, Of: 4}, w.budgets("wf_job")["rounds"], "a later send may limit what nobody did")
}

func TestBudget_TellsHumanOncePerLimit(t *testing.T) {
	w, a := newWorldWith(t, "a")
	w.Sends(a, "b", "x", inLimitedWorkflow(map[string]float64{"workflow_handoffs": 1, "minutes": 60}))
	dry := schemas.SendIn{To: "b", Task: "x", Workflow: "wf_job", DryRun: true}
	mailboxtest.RequireRefusal(t, w.Send, a, dry, schemas.Limit, "2 of 1")
	require.Empty(t, w.Notices(person))
	for range 3 {
		w.refusesSend(a, "2 of 1")
	}
	told := w.Notices(person)
	require.Len(t, told, 1)
	require.Equal(t, "budget", told[0].Kind)
	require.Contains(t, told[0].Text, "--workflow wf_job --limit workflow_handoffs=NUMBER")
	w.Sends(person, "b", "y", inLimitedWorkflow(map[string]float64{"workflow_handoffs": 2}))
	w.refusesSend(a, "3 of 2")
	require.Len(t, w.Notices(person), 2, "a raised limit is told anew")
	w.Sends(person, "b", "y", inLimitedWorkflow(map[string]float64{"workflow_handoffs": 9}))
	w.Pass(2 * time.Hour)
	w.refusesSend(a, "minutes")
	require.Len(t, w.Notices(person), 3)
}

func TestBudget_IsNotExceededByConcurrentSends(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		w.Sends(person, "b", "x", inLimitedWorkflow(map[string]float64{"workflow_handoffs": 8}))
		var wg sync.WaitGroup
		var passed atomic.Int64
		for i := range 20 {
			wg.Go(func() {
				_, err := w.Send(context.Background(), schemas.Caller{Agent: "a", Via: schemas.ViaHTTP},
					schemas.SendIn{To: "b", Task: fmt.Sprint(i), Workflow: "wf_job"})
				if err == nil {
					passed.Add(1)
				}
			})
		}
		wg.Wait()
		require.EqualValues(t, 7, passed.Load())
		require.Len(t, w.Notices(person), 1)
	})
}

func TestBudget_TellsHumanIfLimitStopsConsequence(t *testing.T) {
	fail := func(then schemas.FailureContinuation) func(w *world, b schemas.Caller) {
		return func(w *world, b schemas.Caller) {
			out := w.Fails(b, schemas.FailIn{HandoffID: "1", FailureDetail: because("broken"), Then: then})
			require.Contains(w.t, fmt.Sprint(out.Warnings), "a person was told why")
			require.Equal(w.t, schemas.Failed, out.Status)
		}
	}
	for name, c := range map[string]struct {
		does func(w *world, b schemas.Caller)
		told string
	}{
		"rule": {func(w *world, b schemas.Caller) { w.Completes(b, 1) }, `The rule "next" of shop/agents.yaml could not send the next step after ho_1`},
		"continuation": {func(w *world, b schemas.Caller) {
			w.DeclareRules(nil)
			forward := func(in *schemas.CompleteIn) {
				in.Continuation = &schemas.Continuation{SendIn: schemas.SendIn{To: "c", Task: "next"}}
			}
			out := w.Completes(b, 1, forward)
			require.Nil(w.t, out.Forwarded)
			require.Contains(w.t, fmt.Sprint(out.Warnings), "nothing was passed on to c")
			again := w.Completes(b, 1, forward)
			require.Nil(w.t, again.Forwarded)
		}, "The continuation of ho_1"},
		"rollback": {fail(""), "Nobody goes on after ho_1 (broken)"},
		"retry":    {fail(schemas.ThenRetry), "Nobody goes on after ho_1 (broken)"},
		"rejection": {func(w *world, b schemas.Caller) {
			w.Updates(b, 1, schemas.ActRelease)
			w.Stdio("c")
			mailboxtest.Must(w.t, w.Register, person, schemas.RegisterIn{Name: "c", Accepts: []string{"*"}})
			out := w.Fails(b, schemas.FailIn{HandoffID: "1", Outcome: schemas.OutcomeRejected, FailureDetail: because("not mine"), Alternative: "c"})
			require.Equal(w.t, schemas.Rejected, out.Status)
		}, "Nobody goes on after ho_1 (not mine"},
	} {
		t.Run(name, func(t *testing.T) {
			w, a, b := newPair(t, "a", "b")
			w.DeclareRules([]schemas.Route{{Name: "next", On: []string{"completed"}, Send: []schemas.SendIn{mailboxtest.RuleSend("c", "next")}}})
			w.Assigns(a, b, "x", inLimitedWorkflow(map[string]float64{"workflow_handoffs": 1}))
			c.does(w, b)
			require.True(t, w.Status(1).HasEnded())
			require.Equal(t, schemas.WorkflowBudget{Limit: "workflow_handoffs", Used: 1, Of: 1}, w.budgets("wf_job")["workflow_handoffs"])
			told := w.Notices(person)
			require.Len(t, told, 1)
			require.Contains(t, told[0].Text, c.told)
			w.refusesSend(a, "2 of 1")
			require.Len(t, w.Notices(person), 1, "of the limit it was told with what is unsent")
		})
	}
}

func TestBudget_RefusesReturnAndRetryButNotEscalation(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.Sends(a, "b", "x", inLimitedWorkflow(map[string]float64{"workflow_handoffs": 2}))
	w.Assigns(a, b, "y", inLimitedWorkflow(nil))
	w.Completes(b, 1)
	w.RefusesUpdate(a, 1, schemas.ActReturn, schemas.Limit, "3 of 2", note("again"))
	require.Equal(t, schemas.Completed, w.Status(1))
	w.Claims(b)
	w.Fails(b, schemas.FailIn{HandoffID: "2", FailureDetail: because("no"), Then: schemas.ThenEscalate})
	require.Equal(t, schemas.Human, w.FullView(3).Handoff.Target.Agent)
	w.RefusesUpdate(a, 2, schemas.ActRetry, schemas.Limit, "4 of 2")
}

func TestBudget_TakesLimitsOfDeclaredWorkflow(t *testing.T) {
	w := newWorld(t)
	w.DeclareRules(nil, schemas.Plan{Name: "p", Steps: inOrder(step("one", "b")), Limits: map[string]float64{"rounds": 3, "cost_usd": 5}})
	sent := w.Sends(w.Stdio("a"), "workflow:p", "x", func(in *schemas.SendIn) {
		in.Options = &schemas.SendOptions{Limits: map[string]float64{"cost_usd": 9, "rounds": 2, "minutes": 60}}
	})
	have := w.budgets(sent.Workflow)
	require.Equal(t, []float64{2, 60, 5}, []float64{have["rounds"].Of, have["minutes"].Of, have["cost_usd"].Of})
}

// Random calls: the use of a workflow agrees with the events of the registry.
func TestBudget_UseMatchesEventsAfterRandomCalls(t *testing.T) {
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			ctx, w, rnd := context.Background(), newWorld(t), rand.New(rand.NewPCG(seed, 3))
			w.DeclareRules([]schemas.Route{{On: []string{"completed"}, When: `handoff.task == "more"`, Send: []schemas.SendIn{mailboxtest.RuleSend("c", "routed")}}})
			team := []schemas.Caller{w.Stdio("a"), w.Stdio("b"), w.Stdio("c")}
			one := func() schemas.Caller { return team[rnd.IntN(len(team))] }
			refusals := 0
			for range 200 {
				by, id, err := one(), fmt.Sprint(1+rnd.IntN(60)), error(nil)
				usd := map[string]any{"cost_usd": float64(rnd.IntN(30)) / 7}
				switch rnd.IntN(7) {
				case 0, 1:
					limits := []map[string]float64{nil, {"workflow_handoffs": 9}, {"rounds": 3, "tokens": 2000}, {"cost_usd": 8, "tokens": 5000}}[rnd.IntN(4)]
					_, err = w.Send(ctx, by, schemas.SendIn{
						To: string(one().Agent), Task: []string{"x", "more"}[rnd.IntN(2)], Workflow: []string{"", "wf_p", "wf_q"}[rnd.IntN(3)],
						Options: &schemas.SendOptions{Limits: limits},
					})
				case 2:
					_, err = w.Claim(ctx, by, schemas.ClaimIn{})
				case 3, 4:
					_, err = w.Complete(ctx, by, schemas.CompleteIn{HandoffID: id, Result: schemas.Result{Summary: "done", Results: usd}})
				case 5:
					then := []schemas.FailureContinuation{"", schemas.ThenRetry, schemas.ThenStop}[rnd.IntN(3)]
					_, err = w.Fail(ctx, by, schemas.FailIn{HandoffID: id, FailureDetail: because("no"), Then: then})
				case 6:
					action := []schemas.Action{schemas.ActReturn, schemas.ActRetry}[rnd.IntN(2)]
					_, err = w.Update(ctx, by, schemas.UpdateIn{HandoffID: id, Action: action, Note: "again"})
				}
				if err != nil && schemas.AsError(err).Code == schemas.Limit {
					refusals++
				}
			}
			require.NotZero(t, refusals)
			w.requireHistoryMatchesEvents()
		})
	}
}

// requireHistoryMatchesEvents reads all events of the registry, and compares the counts for each workflow with the
// history. Its count of rounds ignores lost claims and recipients that changed after the send.
func (w *world) requireHistoryMatchesEvents() {
	w.t.Helper()
	counted, named := map[schemas.Workflow]map[string]float64{}, map[schemas.Workflow]store.Workflow{}
	require.NoError(w.t, w.Store.View(context.Background(), func(v *store.View) error {
		holder := map[schemas.ID]schemas.Agent{}
		clear(counted)
		for e, err := range v.EventsAfter(0) {
			if err != nil || e.Handoff == 0 {
				continue
			}
			r, err := v.Record(e.Handoff)
			require.NoError(w.t, err)
			wf, err := v.Workflow(r.Workflow)
			require.NoError(w.t, err)
			if named[r.Workflow] = *wf; counted[r.Workflow] == nil {
				counted[r.Workflow] = map[string]float64{}
			}
			used := counted[r.Workflow]
			switch e.Action {
			case "claimed":
				holder[r.ID] = e.Agent
				continue
			case "sent":
				used["workflow_handoffs"]++
				if r.To != "human" {
					n := 1.0
					for at := predecessor(v, r); at != nil; at = predecessor(v, at) {
						if at.To == r.To || schemas.Address(holder[at.ID]) == r.To {
							n++
						}
					}
					used["rounds"] = max(used["rounds"], n)
				}
			case "completed", "failed", "rejected", "declined", "late":
			default:
				continue
			}
			said, err := v.RawContent(r.ID, e.N)
			require.NoError(w.t, err)
			used["tokens"] += float64(content.CountTokens(string(said)))
			var done struct {
				Results    map[string]float64
				Completion struct{ Results map[string]float64 }
			}
			_ = json.Unmarshal(said, &done) // other content has no cost
			used["cost_usd"] += done.Results["cost_usd"] + done.Completion.Results["cost_usd"]
		}
		return nil
	}))
	for name, used := range counted {
		shown := w.budgets(name)
		require.Len(w.t, shown, len(named[name].Limits))
		for _, limit := range []string{schemas.LimitHandoffs, schemas.LimitRounds, schemas.LimitTokens, schemas.LimitCost} {
			require.InDelta(w.t, used[limit], named[name].Used[limit], 1e-4, "%s of %s", limit, name)
			if b, limited := shown[limit]; limited {
				require.InDelta(w.t, used[limit], b.Used, 1e-4)
			}
		}
	}
}

// predecessor returns the handoff before r in its chain.
func predecessor(v *store.View, r *store.Record) *store.Record {
	at, err := v.Record(cmp.Or(r.RetryOf, r.Parent))
	if err != nil {
		return nil
	}
	return at
}
