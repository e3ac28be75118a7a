package mailbox_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox"
	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
)

// team has five agents that do the work of a plan, until a fault of the test happens.
type team struct {
	*world
	members map[schemas.Agent]schemas.Caller
	fault   func(t *team, by schemas.Caller, got schemas.ClaimOut) bool // true for a fault instead of the work
	left    map[schemas.Agent]bool                                      // members that no longer work
}

// newTeam returns a workspace with a plan: implement, test, fix a failure, test again, verify.
func newTeam(t *testing.T, change ...func(*schemas.PlanStep)) *team {
	w := &team{newWorld(t), map[schemas.Agent]schemas.Caller{}, nil, map[schemas.Agent]bool{}}
	steps := inOrder(step("implement", "role:coder"), step("test", "role:tester"), step("fix", "role:fixer", func(s *schemas.PlanStep) {
		s.When, s.Next = "!outcome.passed", "test"
	}), step("verify", "role:verifier"))
	for _, c := range change {
		c(&steps[1][0])
	}
	w.DeclareRules(nil, schemas.Plan{Name: "factory", Steps: steps})
	for _, role := range []string{"planner", "coder", "tester", "fixer", "verifier"} {
		by := w.Stdio(schemas.Agent(role + "-1"))
		mailboxtest.Must(t, w.Register, by, schemas.RegisterIn{Name: string(by.Agent), Role: role})
		w.members[by.Agent] = by
	}
	return w
}

// play lets all members work for four days, half an hour at a time.
func (w *team) play() {
	for range 4 * 48 {
		for name := range w.members {
			for !w.left[name] && w.work(w.members[name]) {
			}
		}
		w.Pass(30 * time.Minute)
	}
}

// work lets an agent do its next claimable work. The planner first answers open questions.
func (w *team) work(by schemas.Caller) bool {
	if by.Agent == "planner-1" {
		asked := mailboxtest.Must(w.t, w.List, by, schemas.ListIn{Box: "all", Status: schemas.StatusFilter("waiting")})
		for _, it := range asked.Items {
			w.Updates(by, it.HandoffID, schemas.ActAnswer, note("the first one"))
		}
	}
	got := mailboxtest.Must(w.t, w.Claim, by, schemas.ClaimIn{})
	if got.HandoffID != 0 && (w.fault == nil || !strings.HasPrefix(got.Title, "test:") || !w.fault(w, by, got)) {
		w.Completes(by, got.HandoffID)
	}
	return got.HandoffID != 0
}

// outcome returns the end of the workflow: "done" after its last step, else the work or the notice for human. It is
// empty if neither an agent nor a person was told of the end.
func (w *team) outcome() string {
	for _, sent := range w.SentByRules() {
		if strings.HasPrefix(sent, "role:verifier completed ") {
			return "done"
		}
	}
	inbox := mailboxtest.Must(w.t, w.List, person, schemas.ListIn{Box: "inbox"})
	for _, it := range inbox.Items {
		return "human: " + it.Title
	}
	for _, by := range []schemas.Caller{person, w.members["planner-1"]} {
		for _, n := range w.Notices(by) {
			return "told: " + n.Text
		}
	}
	return ""
}

// onlyFirstTime lets a fault happen only the first time.
func onlyFirstTime(fn func(w *team, by schemas.Caller, got schemas.ClaimOut)) func(*team, schemas.Caller, schemas.ClaimOut) bool {
	done := false
	return func(w *team, by schemas.Caller, got schemas.ClaimOut) bool {
		if done {
			return false
		}
		done = true
		fn(w, by, got)
		return true
	}
}

func (w *team) report(by schemas.Caller, got schemas.ClaimOut) {
	w.Updates(by, got.HandoffID, schemas.ActProgress, note("half of it"))
}

func (w *team) question(by schemas.Caller, got schemas.ClaimOut) {
	w.Updates(by, got.HandoffID, schemas.ActAsk, mailboxtest.WithQuestions("which?"))
}

// crash ends the process of an agent together with the owner of the store. The agent then begins another session.
func (w *team) crash(by schemas.Caller) {
	w.Restart(func(c *mailbox.Config) { c.Alone = true })
	again := by
	again.Conn += "-again"
	for name, other := range w.members {
		if name == by.Agent {
			other = again
		}
		mailboxtest.Must(w.t, w.Attach, other, schemas.ConnIn{Conn: other.Conn})
		w.members[name] = other
	}
}

// After each failure the workflow ends as done, with work for human, or with a refusal that names a limit. No work is
// forgotten, and no work goes round for ever.
func TestWorkflow_WithInjectedFailuresEndsDoneOrWithHuman(t *testing.T) {
	type in = schemas.ClaimOut
	reject := func(w *team, by schemas.Caller, got in) {
		w.Fails(by, schemas.FailIn{HandoffID: got.HandoffID.String(), Outcome: schemas.OutcomeRejected, FailureDetail: because("not mine")})
	}
	leave := func(w *team, by schemas.Caller, _ in) {
		w.left[by.Agent] = true
		mailboxtest.Must(w.t, w.Detach, by, schemas.ConnIn{Conn: by.Conn})
	}
	overdue := func(w *team, _ schemas.Caller, _ in) { w.Pass(2 * time.Hour) }
	hour := func(s *schemas.PlanStep) { s.Deadline = "1h" }
	taker := func(policy string) func(*schemas.PlanStep) {
		return func(s *schemas.PlanStep) {
			s.To, s.Options = "role:nobody", &schemas.SendOptions{Terms: schemas.Terms{NoTakers: policy}}
		}
	}
	strict := func(s *schemas.PlanStep) {
		s.Expectations = &schemas.Expectations{
			SuccessCriteria: []string{"all pass"}, Strict: true, OutputSchema: json.RawMessage(`{"type":"object","required":["tests"]}`),
		}
	}
	for name, c := range map[string]struct {
		step  func(*schemas.PlanStep)
		wrong func(*team, schemas.Caller, in) bool
		ends  string
	}{
		"crash while accepted": {wrong: onlyFirstTime(func(w *team, by schemas.Caller, _ in) { w.crash(by) }), ends: "done"},
		"crash while working":  {wrong: onlyFirstTime(func(w *team, by schemas.Caller, got in) { w.report(by, got); w.crash(by) }), ends: "done"},
		"crash while waiting": {wrong: onlyFirstTime(func(w *team, by schemas.Caller, got in) {
			w.question(by, got)
			w.crash(by)
		}), ends: "done"},
		"crash before it is claimed": {wrong: onlyFirstTime(func(w *team, by schemas.Caller, got in) {
			w.Updates(by, got.HandoffID, schemas.ActRelease)
			w.crash(by)
		}), ends: "done"},
		"silence while accepted":       {wrong: onlyFirstTime(leave), ends: "told: Nobody took it"},
		"silence while working":        {wrong: onlyFirstTime(func(w *team, by schemas.Caller, got in) { w.report(by, got); leave(w, by, got) }), ends: "told: Nobody took it"},
		"silence while waiting":        {step: hour, wrong: onlyFirstTime(func(w *team, by schemas.Caller, got in) { w.question(by, got); leave(w, by, got) }), ends: "told: The rule"},
		"silence of a connected agent": {wrong: func(*team, schemas.Caller, in) bool { return true }, ends: "told: The rule"},
		"rejection while pending": {wrong: onlyFirstTime(func(w *team, by schemas.Caller, got in) {
			w.Updates(by, got.HandoffID, schemas.ActRelease)
			reject(w, by, got)
		}), ends: "done"},
		"rejection while accepted": {wrong: onlyFirstTime(reject), ends: "done"},
		"rejection while waiting":  {wrong: onlyFirstTime(func(w *team, by schemas.Caller, got in) { w.question(by, got); reject(w, by, got) }), ends: "done"},
		"failure": {wrong: onlyFirstTime(func(w *team, by schemas.Caller, got in) {
			w.Fails(by, schemas.FailIn{HandoffID: got.HandoffID.String(), FailureDetail: because("it hangs")})
		}), ends: "done"},
		"failure each time": {wrong: func(w *team, by schemas.Caller, got in) bool {
			w.Fails(by, schemas.FailIn{HandoffID: got.HandoffID.String(), FailureDetail: because("it hangs")})
			return true
		}, ends: "told: The rule \"factory: test, then fix\" of shop/agents.yaml could not send the next step after"},
		"failure with a retry each time": {wrong: func(w *team, by schemas.Caller, got in) bool {
			w.Fails(by, schemas.FailIn{HandoffID: got.HandoffID.String(), FailureDetail: because("it hangs"), Then: schemas.ThenRetry})
			return true
		}, ends: "human: Decide"},
		"a test that fails": {wrong: onlyFirstTime(func(w *team, by schemas.Caller, got in) {
			w.Completes(by, got.HandoffID, func(in *schemas.CompleteIn) { in.Verification = &schemas.Verification{TestsFailed: 1} })
		}), ends: "done"},
		"output that is always refused": {step: strict, wrong: func(w *team, by schemas.Caller, got in) bool {
			_, err := w.Complete(context.Background(), by, schemas.CompleteIn{HandoffID: got.HandoffID.String(), Result: schemas.Result{Summary: "x"}})
			refused(w.t, err, schemas.Invalid, "criteri")
			return true
		}, ends: "told: The rule"},
		"deadline while pending": {step: hour, wrong: onlyFirstTime(func(w *team, by schemas.Caller, got in) {
			w.Updates(by, got.HandoffID, schemas.ActRelease)
			overdue(w, by, got)
		}), ends: "done"},
		"deadline while accepted": {step: hour, wrong: onlyFirstTime(overdue), ends: "done"},
		"deadline while working":  {step: hour, wrong: onlyFirstTime(func(w *team, by schemas.Caller, got in) { w.report(by, got); overdue(w, by, got) }), ends: "done"},
		"deadline while waiting":  {step: hour, wrong: onlyFirstTime(func(w *team, by schemas.Caller, got in) { w.question(by, got); overdue(w, by, got) }), ends: "done"},
		"deadline each time": {step: hour, wrong: func(w *team, by schemas.Caller, got in) bool {
			overdue(w, by, got)
			return true
		}, ends: "told: The rule \"factory: test, then fix\" of shop/agents.yaml could not send the next step after"},
		"no takers, return":     {step: taker("return"), ends: "done"},
		"no takers, human":      {step: taker("human"), ends: "human: test: the login"},
		"no takers, generalist": {step: taker("generalist"), ends: "done"},
		"no takers, wait":       {step: taker("wait"), ends: "done"},
	} {
		t.Run(name, func(t *testing.T) {
			var changes []func(*schemas.PlanStep)
			if c.step != nil {
				changes = append(changes, c.step)
			}
			w := newTeam(t, changes...)
			w.fault = c.wrong
			planner := w.members["planner-1"]
			w.Sends(planner, "workflow:factory", "the login")
			if strings.HasSuffix(name, "generalist") || strings.HasSuffix(name, "wait") {
				late := w.Stdio("late-1")
				mailboxtest.Must(t, w.Register, late, schemas.RegisterIn{Name: "late-1", Role: "nobody", Accepts: []string{"*"}})
				w.members["late-1"] = late
			}
			w.play()
			require.Contains(t, w.outcome(), c.ends, "%v", w.SentByRules())
		})
	}
}
