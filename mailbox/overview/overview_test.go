package overview_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/mailbox/overview"
	"handoff/schemas"
	"handoff/schemas/sandbox"
)

func TestMain(m *testing.M) { os.Exit(sandbox.New(m).Run()) }

func readOverview(w *mailboxtest.World) schemas.OverviewOut {
	w.T.Helper()
	return mailboxtest.Must(w.T, w.Overview, schemas.Caller{}, schemas.OverviewIn{})
}

// formatRows formats a part as lines: kind, handoff or message, reason / report.
func formatRows(p schemas.OverviewPart) (lines []string) {
	for _, c := range p.Items {
		line := fmt.Sprintf("%s %s %s %s", c.Kind, c.HandoffID, c.NoticeID, c.Reason)
		if c.Report != "" {
			line += " / " + c.Report
		}
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	return lines
}

func TestOverview_ListsWorkForThePersonByUrgency(t *testing.T) {
	w, boss, qa := mailboxtest.NewWithTwoAgents(t, "boss", "qa")
	w.Sends(boss, "qa", "one", mailboxtest.NeedsApproval)
	w.Assigns(mailboxtest.Human, qa, "two")
	w.Updates(qa, 2, schemas.ActAsk, mailboxtest.WithQuestions("Which database?"))
	w.Assigns(boss, qa, "three")
	w.Fails(qa, schemas.FailIn{HandoffID: "3", FailureDetail: mailboxtest.FailureBecause("no disk"), Then: schemas.ThenStop})
	w.Assigns(boss, qa, "four")
	w.Fails(qa, schemas.FailIn{HandoffID: "4", FailureDetail: mailboxtest.FailureBecause("no plan"), Then: schemas.ThenEscalate})
	w.Sends(boss, "human", "six", func(in *schemas.SendIn) { in.Priority = schemas.Critical })
	w.Sends(boss, "human", "seven")
	w.Assigns(boss, qa, "eight", mailboxtest.NoParent)
	w.Updates(qa, 8, schemas.ActAsk, mailboxtest.WithQuestions("Boss?"))
	_, err := w.List(context.Background(), mailboxtest.Human, schemas.ListIn{Box: "notices"}) // marks all of them as read
	require.NoError(t, err)

	out := readOverview(w)
	require.Equal(t, []string{
		"work ho_6",
		"question ho_2 qa asked human: Which database?",
		"approval ho_1",
		"failure ho_3 no disk",
		"escalation ho_5",
		"work ho_7",
	}, formatRows(out.NeedsYou))
	require.Equal(t, []string{"running ho_8 qa asked boss: Boss?"}, formatRows(out.Running))
	require.Empty(t, out.Stuck.Items)
	require.Equal(t, schemas.WorkspaceTotals{Claimable: 3, Mailboxes: 1, Held: 2, Waiting: 2, Sent: 8, Events: out.Counts.Events, Agents: 2}, out.Counts)
	require.Equal(t, out, readOverview(w), "looking changes nothing")

	mailboxtest.Must(t, w.Claim, mailboxtest.Human, schemas.ClaimIn{HandoffID: "ho_7"})
	w.Updates(mailboxtest.Human, 3, schemas.ActRetry)
	w.Updates(mailboxtest.Human, 1, schemas.ActApprove)
	require.Equal(t, []string{
		"work ho_6", "question ho_2 qa asked human: Which database?", "escalation ho_5", "yours ho_7",
	}, formatRows(readOverview(w).NeedsYou))
}

func TestOverview_FindsApprovalAmongManyPendingHandoffs(t *testing.T) {
	w, boss := mailboxtest.NewWithAgent(t, "boss")
	w.Sends(boss, "qa", "one", mailboxtest.NeedsApproval)
	w.Sends(mailboxtest.Human, "qa", "two", mailboxtest.NeedsApproval)
	for range overview.MaxScanned {
		w.Sends(boss, "qa", "x", mailboxtest.NoParent)
	}
	require.Equal(t, []string{"approval ho_1", "approval ho_2"}, formatRows(readOverview(w).NeedsYou))
}

// sendAndFail sends work in a workflow and makes it fail, or be rejected.
func sendAndFail(w *mailboxtest.World, wf schemas.Workflow, outcome schemas.Outcome) schemas.ID {
	w.T.Helper()
	boss, qa := w.Stdio("boss"), w.Stdio("qa")
	id := w.Sends(boss, "qa", "x", func(in *schemas.SendIn) { in.Workflow, in.Parent = string(wf), "none" }).HandoffID
	w.ClaimsID(qa, id)
	w.Fails(qa, schemas.FailIn{HandoffID: id.String(), FailureDetail: mailboxtest.FailureBecause("no"), Then: schemas.ThenStop, Outcome: outcome})
	return id
}

func TestOverview_KeepsFailureAfterUnrelatedSendInWorkflow(t *testing.T) {
	w, boss := mailboxtest.NewWithAgent(t, "boss")
	sendAndFail(w, "wf_a", "")
	sendAndFail(w, "wf_a", schemas.OutcomeRejected)
	for _, task := range []string{"unrelated", "and another"} {
		w.Pass(time.Minute)
		w.Sends(boss, "qa", task, func(in *schemas.SendIn) { in.Workflow, in.Parent = "wf_a", "none" })
	}
	w.Sends(boss, "qa", "no", mailboxtest.NeedsApproval)
	w.Updates(mailboxtest.Human, 5, schemas.ActRefuse, mailboxtest.WithNote("not now")) // the overview omits a handoff that the person refused
	require.Equal(t, []string{"failure ho_1 no", "failure ho_2 no"}, formatRows(readOverview(w).NeedsYou))
	w.Pass(60 * 24 * time.Hour)
	require.Equal(t, []string{"failure ho_1 no", "failure ho_2 no"}, formatRows(readOverview(w).NeedsYou), "time does not go on with it")
}

func TestOverview_OmitsFailureThatAnAgentContinues(t *testing.T) {
	part := func(w *mailboxtest.World, id schemas.ID) schemas.ID {
		return w.Sends(w.Stdio("boss"), "qa", "mend it", func(in *schemas.SendIn) { in.Parent = id.String() }).HandoffID
	}
	for name, goOn := range map[string]func(w *mailboxtest.World, id schemas.ID){
		"retry": func(w *mailboxtest.World, id schemas.ID) {
			w.Updates(w.Stdio("boss"), id, schemas.ActRetry, func(in *schemas.UpdateIn) { in.To = "qa-2" })
		},
		"part":             func(w *mailboxtest.World, id schemas.ID) { part(w, id) },
		"cancel by sender": func(w *mailboxtest.World, id schemas.ID) { w.Updates(w.Stdio("boss"), id, schemas.ActCancel) },
		"cancel by person": func(w *mailboxtest.World, id schemas.ID) { w.Updates(mailboxtest.Human, id, schemas.ActCancel) },
	} {
		for _, outcome := range []schemas.Outcome{"", schemas.OutcomeRejected} {
			t.Run(name+" "+string(outcome), func(t *testing.T) {
				w := mailboxtest.New(t)
				id := sendAndFail(w, "wf_a", outcome)
				require.Len(t, readOverview(w).NeedsYou.Items, 1)
				goOn(w, id)
				require.Empty(t, readOverview(w).NeedsYou.Items)
			})
		}
	}
	w := mailboxtest.New(t)
	id := sendAndFail(w, "wf_a", "")
	w.Updates(w.Stdio("boss"), part(w, id), schemas.ActCancel)
	require.Equal(t, []string{"failure ho_1 no"}, formatRows(readOverview(w).NeedsYou), "a part that was cancelled is nobody who goes on")
}

func TestOverview_KeepsFailureWhosePartsWereSentBeforeItsEnd(t *testing.T) {
	w, boss, qa := mailboxtest.NewWithTwoAgents(t, "boss", "qa")
	w.Assigns(boss, qa, "x")
	w.Sends(qa, "boss", "a part of it", func(in *schemas.SendIn) { in.Parent = "1" })
	w.Fails(qa, schemas.FailIn{HandoffID: "1", FailureDetail: mailboxtest.FailureBecause("no"), Then: schemas.ThenStop})
	require.Equal(t, []string{"failure ho_1 no"}, formatRows(readOverview(w).NeedsYou))
}

// A dismissed failure stays a failure: handoffs that depend on it stay blocked, and its work can still be repeated.
func TestOverview_KeepsWorkBlockedByDismissedFailure(t *testing.T) {
	w, boss, qa := mailboxtest.NewWithTwoAgents(t, "boss", "qa")
	id := w.Sends(boss, "qa", "x").HandoffID
	w.Sends(boss, "qa", "after", mailboxtest.After(id.String()))
	w.ClaimsID(qa, id)
	w.Fails(qa, schemas.FailIn{HandoffID: id.String(), FailureDetail: mailboxtest.FailureBecause("no"), Then: schemas.ThenStop})
	out := w.Updates(mailboxtest.Human, id, schemas.ActCancel, mailboxtest.WithNote("nobody wants it"))
	require.Equal(t, schemas.Failed, out.Status)
	require.Contains(t, formatRows(readOverview(w).Stuck), "blocked ho_2 ho_1, for which it waits, failed")
	all := w.Events()
	last := all[len(all)-1]
	require.Equal(t, "dismissed", last.Action)
	require.Equal(t, schemas.Failed, last.To)
	for action, code := range map[schemas.Action]schemas.Code{schemas.ActCancel: schemas.Conflict, schemas.ActAccept: schemas.Conflict} {
		_, err := w.Update(context.Background(), mailboxtest.Human, schemas.UpdateIn{HandoffID: id.String(), Action: action})
		require.Equal(t, code, schemas.AsError(err).Code)
	}
	_, err := w.Update(context.Background(), w.Stdio("stranger"), schemas.UpdateIn{HandoffID: sendAndFail(w, "wf_b", "").String(), Action: schemas.ActCancel})
	require.Equal(t, schemas.Denied, schemas.AsError(err).Code)
	w.Updates(w.Stdio("boss"), id, schemas.ActRetry)
}

func TestOverview_GivesReasonOfStuckHandoff(t *testing.T) {
	w, boss, qa, dev := mailboxtest.NewWithThreeAgents(t, "boss", "qa", "dev")
	w.Sends(boss, "ghost", "before anybody registers")
	w.Accepts("go", dev)
	w.Assigns(boss, qa, "one")
	w.Updates(qa, 2, schemas.ActProgress, mailboxtest.WithNote("half"))
	w.Assigns(boss, dev, "two")
	w.Sends(boss, "dev", "three")
	w.Updates(boss, 4, schemas.ActCancel)
	w.Assigns(boss, dev, "four")
	w.Fails(dev, schemas.FailIn{HandoffID: "5", FailureDetail: mailboxtest.FailureBecause("no"), Then: schemas.ThenStop})
	w.Sends(boss, "qa", "five", mailboxtest.NoParent)
	mailboxtest.Must(t, w.Send, boss, schemas.SendIn{To: "qa", Task: "x", Options: &schemas.SendOptions{After: []string{"ho_3", "ho_6"}}})
	w.ClaimsID(qa, 6)
	w.Fails(qa, schemas.FailIn{HandoffID: "6", FailureDetail: mailboxtest.FailureBecause("no"), Then: schemas.ThenStop})
	w.Sends(boss, "capability:rust", "eight")
	w.Sends(boss, "capability:go", "nine")
	require.Equal(t, []string{"blocked ho_7 ho_6, for which it waits, failed"}, formatRows(readOverview(w).Stuck), "an agent may still come")
	w.Pass(overview.Patience)
	require.Equal(t, []string{
		"blocked ho_7 ho_6, for which it waits, failed",
		"no_takers ho_1 nobody has used the name ghost yet",
		"no_takers ho_8 nobody is known who takes capability:rust",
	}, formatRows(readOverview(w).Stuck))
	require.Equal(t, []string{"running ho_2 / half", "running ho_3"}, formatRows(readOverview(w).Running))

	w.Leaves(dev)
	out := readOverview(w)
	require.Equal(t, "dead ho_3 the connection of dev ended", formatRows(out.Stuck)[0])
	require.Equal(t, w.Now().Add(2*time.Minute).UTC(), out.Stuck.Items[0].LeaseEnds.UTC())
	w.Pass(10 * time.Minute)
	require.Contains(t, formatRows(readOverview(w).Stuck), "lapsed ho_3 the lease of dev ended, and dev reported nothing")
	require.Contains(t, formatRows(readOverview(w).Stuck), "no_takers ho_9 nobody who takes capability:go is here")
	w.Pass(11 * time.Minute)
	require.Contains(t, formatRows(readOverview(w).Stuck), "silent ho_2 qa said nothing of it for 26 min / half")
	require.Empty(t, readOverview(w).Running.Items)

	w.Updates(qa, 2, schemas.ActAsk, mailboxtest.WithQuestions("And now?"))
	w.Leaves(boss)
	w.Pass(overview.Patience)
	require.Contains(t, formatRows(readOverview(w).Stuck), "unanswered ho_2 boss is not here. qa asked boss: And now? / half")
}

func TestOverview_ListsUnreadMessagesToThePerson(t *testing.T) {
	w, qa := mailboxtest.NewWithAgent(t, "qa")
	w.Sends(qa, "human", "May I drop the table?", mailboxtest.Message)
	w.Sends(qa, "dev", "Not for you", mailboxtest.Message)
	w.Sends(w.Stdio("dev"), "human", "Look at this", func(in *schemas.SendIn) { in.Title = "The \x1b[31mlog" }, mailboxtest.Message)
	require.Equal(t, []string{"message no_1 May I drop the table?", "message no_3 Look at this"}, formatRows(readOverview(w).NeedsYou))
	mailboxtest.Must(t, w.Claim, mailboxtest.Human, schemas.ClaimIn{})
	require.Len(t, readOverview(w).NeedsYou.Items, 2, "a claim in vain reads nothing for the person")
	require.NotContains(t, readOverview(w).NeedsYou.Items[1].Title, "\x1b")
	mailboxtest.Must(t, w.Get, mailboxtest.Human, schemas.GetIn{HandoffID: "no_1"})
	require.Equal(t, []string{"message no_3 Look at this"}, formatRows(readOverview(w).NeedsYou))
}
