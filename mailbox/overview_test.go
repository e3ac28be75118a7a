package mailbox_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/mailbox/overview"
	"handoff/schemas"
)

func (w *world) overview() schemas.OverviewOut {
	w.t.Helper()
	out := mailboxtest.Must(w.t, w.Overview, schemas.Caller{}, schemas.OverviewIn{})
	return out
}

// rowsOf writes a part as lines: kind, handoff, reason / report.
func rowsOf(p schemas.Part) (lines []string) {
	for _, c := range p.Items {
		line := fmt.Sprintf("%s %s %s", c.Kind, c.HandoffID, c.Reason)
		if c.Report != "" {
			line += " / " + c.Report
		}
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	return lines
}

func ask(text string) func(*schemas.UpdateIn) {
	return func(in *schemas.UpdateIn) { in.Questions = []string{text} }
}

func TestAnOverviewSaysWhatNeedsAPerson(t *testing.T) {
	w, boss, qa := newPair(t, "boss", "qa")
	w.Sends(boss, "qa", "one", mailboxtest.NeedsApproval)
	w.Assigns(person, qa, "two")
	w.Updates(qa, 2, schemas.ActAsk, ask("Which database?"))
	w.Assigns(boss, qa, "three")
	w.Fails(qa, schemas.FailIn{HandoffID: "3", FailureDetail: because("no disk"), Then: schemas.ThenStop})
	w.Assigns(boss, qa, "four")
	w.Fails(qa, schemas.FailIn{HandoffID: "4", FailureDetail: because("no plan"), Then: schemas.ThenEscalate})
	w.Sends(boss, "human", "six", func(in *schemas.SendIn) { in.Priority = schemas.Critical })
	w.Sends(boss, "human", "seven")
	w.Assigns(boss, qa, "eight", func(in *schemas.SendIn) { in.Parent = "none" })
	w.Updates(qa, 8, schemas.ActAsk, ask("Boss?"))
	_, err := w.List(context.Background(), person, schemas.ListIn{Box: "notices"}) // marks all of them as read
	require.NoError(t, err)

	out := w.overview()
	require.Equal(t, []string{
		"work ho_6",
		"question ho_2 qa asked human: Which database?",
		"approval ho_1",
		"failure ho_3 no disk",
		"escalation ho_5",
		"work ho_7",
	}, rowsOf(out.NeedsYou))
	require.Equal(t, []string{"running ho_8 qa asked boss: Boss?"}, rowsOf(out.Running))
	require.Empty(t, out.Stuck.Items)
	require.Equal(t, schemas.Counts{Claimable: 3, Held: 2, Waiting: 2, Sent: 8, Events: out.Counts.Events, Agents: 2}, out.Counts)
	require.Equal(t, out, w.overview(), "looking changes nothing")

	mailboxtest.Must(t, w.Claim, person, schemas.ClaimIn{HandoffID: "ho_7"})
	w.Updates(person, 3, schemas.ActRetry)
	w.Updates(person, 1, schemas.ActApprove)
	require.Equal(t, []string{
		"work ho_6", "question ho_2 qa asked human: Which database?", "escalation ho_5", "yours ho_7",
	}, rowsOf(w.overview().NeedsYou))
}

func TestApprovalsAreFoundBehindMuchThatIsPending(t *testing.T) {
	w, boss := newWorldWith(t, "boss")
	w.Sends(boss, "qa", "one", mailboxtest.NeedsApproval)
	w.Sends(person, "qa", "two", mailboxtest.NeedsApproval)
	for range overview.Looked {
		w.Sends(boss, "qa", "x", func(in *schemas.SendIn) { in.Parent = "none" })
	}
	require.Equal(t, []string{"approval ho_1", "approval ho_2"}, rowsOf(w.overview().NeedsYou))
}

// failedIn sends work in a workflow and has it fail, or rejected.
func (w *world) failedIn(wf schemas.Workflow, outcome schemas.Outcome) schemas.ID {
	w.t.Helper()
	boss, qa := w.Stdio("boss"), w.Stdio("qa")
	id := w.Sends(boss, "qa", "x", func(in *schemas.SendIn) { in.Workflow, in.Parent = string(wf), "none" }).HandoffID
	w.ClaimsID(qa, id)
	w.Fails(qa, schemas.FailIn{HandoffID: id.String(), FailureDetail: because("no"), Then: schemas.ThenStop, Outcome: outcome})
	return id
}

func TestOverview_KeepsAFailureWhateverElseIsSentInItsWorkflow(t *testing.T) {
	w, boss := newWorldWith(t, "boss")
	w.failedIn("wf_a", "")
	w.failedIn("wf_a", schemas.OutcomeRejected)
	for _, task := range []string{"unrelated", "and another"} {
		w.Pass(time.Minute)
		w.Sends(boss, "qa", task, func(in *schemas.SendIn) { in.Workflow, in.Parent = "wf_a", "none" })
	}
	w.Sends(boss, "qa", "no", mailboxtest.NeedsApproval)
	w.Updates(person, 5, schemas.ActRefuse, note("not now")) // the person's own no needs nobody
	require.Equal(t, []string{"failure ho_1 no", "failure ho_2 no"}, rowsOf(w.overview().NeedsYou))
	w.Pass(60 * 24 * time.Hour)
	require.Equal(t, []string{"failure ho_1 no", "failure ho_2 no"}, rowsOf(w.overview().NeedsYou), "time does not go on with it")
}

func TestOverview_DropsAFailureWithWhichSomebodyGoesOn(t *testing.T) {
	part := func(w *world, id schemas.ID) schemas.ID {
		return w.Sends(w.Stdio("boss"), "qa", "mend it", func(in *schemas.SendIn) { in.Parent = id.String() }).HandoffID
	}
	for name, goOn := range map[string]func(w *world, id schemas.ID){
		"retry": func(w *world, id schemas.ID) {
			w.Updates(w.Stdio("boss"), id, schemas.ActRetry, func(in *schemas.UpdateIn) { in.To = "qa-2" })
		},
		"part":             func(w *world, id schemas.ID) { part(w, id) },
		"cancel by sender": func(w *world, id schemas.ID) { w.Updates(w.Stdio("boss"), id, schemas.ActCancel) },
		"cancel by person": func(w *world, id schemas.ID) { w.Updates(person, id, schemas.ActCancel) },
	} {
		for _, outcome := range []schemas.Outcome{"", schemas.OutcomeRejected} {
			t.Run(name+" "+string(outcome), func(t *testing.T) {
				w := newWorld(t)
				id := w.failedIn("wf_a", outcome)
				require.Len(t, w.overview().NeedsYou.Items, 1)
				goOn(w, id)
				require.Empty(t, w.overview().NeedsYou.Items)
			})
		}
	}
	w := newWorld(t)
	id := w.failedIn("wf_a", "")
	w.Updates(w.Stdio("boss"), part(w, id), schemas.ActCancel)
	require.Equal(t, []string{"failure ho_1 no"}, rowsOf(w.overview().NeedsYou), "a part that was cancelled is nobody who goes on")
}

func TestOverview_KeepsAFailureWhosePartsWereSentBefore(t *testing.T) {
	w, boss, qa := newPair(t, "boss", "qa")
	w.Assigns(boss, qa, "x")
	w.Sends(qa, "boss", "a part of it", func(in *schemas.SendIn) { in.Parent = "1" })
	w.Fails(qa, schemas.FailIn{HandoffID: "1", FailureDetail: because("no"), Then: schemas.ThenStop})
	require.Equal(t, []string{"failure ho_1 no"}, rowsOf(w.overview().NeedsYou))
}

// A failure that was dropped stays one: nothing that waits for it goes on, and it can still be done again.
func TestCancel_OfAFailureIsAnEventAndOpensNothing(t *testing.T) {
	w, boss, qa := newPair(t, "boss", "qa")
	id := w.Sends(boss, "qa", "x").HandoffID
	w.Sends(boss, "qa", "after", func(in *schemas.SendIn) { in.Options = &schemas.SendOptions{After: []string{id.String()}} })
	w.ClaimsID(qa, id)
	w.Fails(qa, schemas.FailIn{HandoffID: id.String(), FailureDetail: because("no"), Then: schemas.ThenStop})
	out := w.Updates(person, id, schemas.ActCancel, note("nobody wants it"))
	require.Equal(t, schemas.Failed, out.Status)
	require.Contains(t, rowsOf(w.overview().Stuck), "blocked ho_2 ho_1, for which it waits, failed")
	all := w.registry()
	last := all[len(all)-1]
	require.Equal(t, "dismissed", last.Action)
	require.Equal(t, schemas.Failed, last.To)
	for action, code := range map[schemas.Action]schemas.Code{schemas.ActCancel: schemas.Conflict, schemas.ActAccept: schemas.Conflict} {
		_, err := w.Update(context.Background(), person, schemas.UpdateIn{HandoffID: id.String(), Action: action})
		require.Equal(t, code, schemas.AsError(err).Code)
	}
	_, err := w.Update(context.Background(), w.Stdio("stranger"), schemas.UpdateIn{HandoffID: w.failedIn("wf_b", "").String(), Action: schemas.ActCancel})
	require.Equal(t, schemas.Denied, schemas.AsError(err).Code)
	w.Updates(w.Stdio("boss"), id, schemas.ActRetry)
}

func TestAnOverviewSaysWhatIsStuckAndWhy(t *testing.T) {
	w, boss, qa, dev := newTrio(t, "boss", "qa", "dev")
	w.Sends(boss, "ghost", "before anybody registers")
	w.Accepts("go", dev)
	w.Assigns(boss, qa, "one")
	w.Updates(qa, 2, schemas.ActProgress, note("half"))
	w.Assigns(boss, dev, "two")
	w.Sends(boss, "dev", "three")
	w.Updates(boss, 4, schemas.ActCancel)
	w.Assigns(boss, dev, "four")
	w.Fails(dev, schemas.FailIn{HandoffID: "5", FailureDetail: because("no"), Then: schemas.ThenStop})
	w.Sends(boss, "qa", "five", func(in *schemas.SendIn) { in.Parent = "none" })
	mailboxtest.Must(t, w.Send, boss, schemas.SendIn{To: "qa", Task: "x", Options: &schemas.SendOptions{After: []string{"ho_3", "ho_6"}}})
	w.ClaimsID(qa, 6)
	w.Fails(qa, schemas.FailIn{HandoffID: "6", FailureDetail: because("no"), Then: schemas.ThenStop})
	w.Sends(boss, "capability:rust", "eight")
	w.Sends(boss, "capability:go", "nine")
	require.Equal(t, []string{
		"blocked ho_7 ho_6, for which it waits, failed",
		"no_takers ho_1 nobody has come as ghost yet",
		"no_takers ho_8 nobody is known who takes capability:rust",
	}, rowsOf(w.overview().Stuck))
	require.Equal(t, []string{"running ho_2 / half", "running ho_3"}, rowsOf(w.overview().Running))

	w.Leaves(dev)
	out := w.overview()
	require.Equal(t, "dead ho_3 the connection of dev ended", rowsOf(out.Stuck)[0])
	require.Equal(t, w.Now().Add(2*time.Minute).UTC(), out.Stuck.Items[0].LeaseEnds.UTC())
	w.Pass(10 * time.Minute)
	require.Contains(t, rowsOf(w.overview().Stuck), "lapsed ho_3 the lease of dev ended without a word")
	require.Contains(t, rowsOf(w.overview().Stuck), "no_takers ho_9 nobody who takes capability:go is here")
	w.Pass(11 * time.Minute)
	require.Contains(t, rowsOf(w.overview().Stuck), "silent ho_2 qa gives no sign / half")
	require.Empty(t, w.overview().Running.Items)

	w.Updates(qa, 2, schemas.ActAsk, ask("And now?"))
	w.Leaves(boss)
	require.Contains(t, rowsOf(w.overview().Stuck), "unanswered ho_2 boss is not here. qa asked boss: And now? / half")
}
