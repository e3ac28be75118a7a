package mailbox_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/overview"
	"handoff/schemas"
)

func (w *world) overview() schemas.OverviewOut {
	w.t.Helper()
	out, err := w.Overview(context.Background(), schemas.Caller{}, schemas.OverviewIn{})
	require.NoError(w.t, err)
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
	w := newWorld(t)
	boss, qa := w.stdio("boss"), w.stdio("qa")
	w.send(boss, "qa", "one", needsApproval)
	w.send(person, "qa", "two")
	w.claim(qa)
	w.update(qa, 2, schemas.ActAsk, ask("Which database?"))
	w.send(boss, "qa", "three")
	w.claim(qa)
	w.fail(qa, schemas.FailIn{HandoffID: "3", FailureDetail: because("no disk"), Then: schemas.ThenStop})
	w.send(boss, "qa", "four")
	w.claim(qa)
	w.fail(qa, schemas.FailIn{HandoffID: "4", FailureDetail: because("no plan"), Then: schemas.ThenEscalate})
	w.send(boss, "human", "six", func(in *schemas.SendIn) { in.Priority = schemas.Critical })
	w.send(boss, "human", "seven")
	w.send(boss, "qa", "eight", func(in *schemas.SendIn) { in.Parent = "none" })
	w.claim(qa)
	w.update(qa, 8, schemas.ActAsk, ask("Boss?"))
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

	_, err = w.Claim(context.Background(), person, schemas.ClaimIn{HandoffID: "ho_7"})
	require.NoError(t, err)
	w.update(person, 3, schemas.ActRetry)
	w.update(person, 1, schemas.ActApprove)
	require.Equal(t, []string{
		"work ho_6", "question ho_2 qa asked human: Which database?", "escalation ho_5", "yours ho_7",
	}, rowsOf(w.overview().NeedsYou))
}

func TestApprovalsAreFoundBehindMuchThatIsPending(t *testing.T) {
	w := newWorld(t)
	boss := w.stdio("boss")
	w.send(boss, "qa", "one", needsApproval)
	w.send(person, "qa", "two", needsApproval)
	for range overview.Looked {
		w.send(boss, "qa", "x", func(in *schemas.SendIn) { in.Parent = "none" })
	}
	require.Equal(t, []string{"approval ho_1", "approval ho_2"}, rowsOf(w.overview().NeedsYou))
}

func TestAFailureNeedsNobodyWhoGoesOn(t *testing.T) {
	w := newWorld(t)
	boss, qa := w.stdio("boss"), w.stdio("qa")
	for _, wf := range []string{"wf_a", "wf_b"} {
		id := w.send(boss, "qa", "x", func(in *schemas.SendIn) { in.Workflow = wf }).HandoffID
		w.claim(qa)
		w.fail(qa, schemas.FailIn{HandoffID: id.String(), FailureDetail: because("no"), Then: schemas.ThenStop})
	}
	w.send(boss, "qa", "otherwise", func(in *schemas.SendIn) { in.Workflow = "wf_a" })
	w.send(boss, "qa", "no", needsApproval)
	w.update(person, 4, schemas.ActRefuse, note("not now"))
	require.Equal(t, []string{"failure ho_2 no"}, rowsOf(w.overview().NeedsYou))
	w.send(boss, "qa", "may I?", needsApproval, func(in *schemas.SendIn) { in.Workflow = "wf_b" })
	require.Equal(t, []string{"approval ho_5"}, rowsOf(w.overview().NeedsYou), "also what is shown itself goes on")
	w.update(person, 5, schemas.ActRefuse, note("not now"))
	w.later(8 * 24 * time.Hour)
	require.Empty(t, w.overview().NeedsYou.Items)
}

func TestAnOverviewSaysWhatIsStuckAndWhy(t *testing.T) {
	w := newWorld(t)
	boss, qa, dev := w.stdio("boss"), w.stdio("qa"), w.stdio("dev")
	w.send(boss, "ghost", "before anybody registers")
	w.accepts("go", dev)
	w.send(boss, "qa", "one")
	w.claim(qa)
	w.update(qa, 2, schemas.ActProgress, note("half"))
	w.send(boss, "dev", "two")
	w.claim(dev)
	w.send(boss, "dev", "three")
	w.update(boss, 4, schemas.ActCancel)
	w.send(boss, "dev", "four")
	w.claim(dev)
	w.fail(dev, schemas.FailIn{HandoffID: "5", FailureDetail: because("no"), Then: schemas.ThenStop})
	w.send(boss, "qa", "five", func(in *schemas.SendIn) { in.Parent = "none" })
	_, err := w.Send(context.Background(), boss, schemas.SendIn{To: "qa", Task: "x", Options: &schemas.SendOptions{After: []string{"ho_3", "ho_6"}}})
	require.NoError(t, err)
	w.claimID(qa, 6)
	w.fail(qa, schemas.FailIn{HandoffID: "6", FailureDetail: because("no"), Then: schemas.ThenStop})
	w.send(boss, "capability:rust", "eight")
	w.send(boss, "capability:go", "nine")
	require.Equal(t, []string{
		"blocked ho_7 ho_6, for which it waits, failed",
		"no_takers ho_1 nobody has come as ghost yet",
		"no_takers ho_8 nobody is known who takes capability:rust",
	}, rowsOf(w.overview().Stuck))
	require.Equal(t, []string{"running ho_2 / half", "running ho_3"}, rowsOf(w.overview().Running))

	w.detach(dev)
	out := w.overview()
	require.Equal(t, "dead ho_3 the connection of dev ended", rowsOf(out.Stuck)[0])
	require.Equal(t, w.Now().Add(2*time.Minute).UTC(), out.Stuck.Items[0].LeaseEnds.UTC())
	w.later(10 * time.Minute)
	require.Contains(t, rowsOf(w.overview().Stuck), "lapsed ho_3 the lease of dev ended without a word")
	require.Contains(t, rowsOf(w.overview().Stuck), "no_takers ho_9 nobody who takes capability:go is here")
	w.later(11 * time.Minute)
	require.Contains(t, rowsOf(w.overview().Stuck), "silent ho_2 qa gives no sign / half")
	require.Empty(t, w.overview().Running.Items)

	w.update(qa, 2, schemas.ActAsk, ask("And now?"))
	w.detach(boss)
	require.Contains(t, rowsOf(w.overview().Stuck), "unanswered ho_2 boss is not here. qa asked boss: And now? / half")
}
