package reading_test

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
	"handoff/schemas/sandbox"
)

func TestMain(m *testing.M) { os.Exit(sandbox.New(m).Run()) }

// brief returns the brief of a handoff as any reader gets it.
func brief(w *mailboxtest.World, by schemas.Caller, id string) string {
	w.T.Helper()
	return mailboxtest.Must(w.T, w.Get, by, schemas.GetIn{HandoffID: id}).Brief
}

func TestBrief_SaysWhyHandoffCannotBeClaimed(t *testing.T) {
	w, lead := mailboxtest.NewWithAgent(t, "lead")
	w.Sends(lead, "dev", "x")
	w.Sends(lead, "dev", "y", func(in *schemas.SendIn) { in.Options = &schemas.SendOptions{AfterAccepted: []string{"1"}} })
	w.Sends(lead, "dev", "z", func(in *schemas.SendIn) { in.Options = &schemas.SendOptions{NotBefore: "2h"} })
	w.Updates(lead, 1, schemas.ActCancel, mailboxtest.WithNote("not needed"))
	require.Contains(t, brief(w, lead, "1"), "- It ended as cancelled: not needed\n")
	require.Contains(t, brief(w, lead, "2"), "Nobody may claim it yet: it waits for acceptance of ho_1; ho_1, for which it waits, was cancelled\n")
	require.Contains(t, brief(w, lead, "3"), "Nobody may claim it before "+w.Now().Add(2*time.Hour).UTC().Format(time.RFC3339))
	require.Contains(t, w.Notices(lead)[0].Text, "changes.remove {after_accepted: [ho_1]} lets it go on without")
	again := w.Updates(lead, 1, schemas.ActRetry).Created
	require.Contains(t, brief(w, lead, again.String()), "ho_1 cancelled (2026-01-11T20:30:00Z): not needed\n")
}

func TestBrief_NamesReplacementOfFailedHandoff(t *testing.T) {
	w, lead, qa := mailboxtest.NewWithTwoAgents(t, "lead", "qa")
	w.Assigns(lead, qa, "x")
	w.Fails(qa, schemas.FailIn{HandoffID: "1", FailureDetail: mailboxtest.FailureBecause("no")})
	require.Equal(t, schemas.ID(2), w.Notices(lead)[0].Successor)
	require.Contains(t, brief(w, lead, "1"), "- It ended as failed: no; ho_2 took its place\n")
	_, err := w.TryUpdate(qa, 1, schemas.ActProgress, mailboxtest.WithNote("on it"))
	mailboxtest.RequireError(t, err, schemas.Conflict, "ho_2 took its place, for lead: leave the work to that one.")
}

// A brief says how the sender is proved, and warns of a name that looks like another.
func TestBrief_SaysWhetherSenderIsProved(t *testing.T) {
	w, qa := mailboxtest.NewWithAgent(t, "qa")
	w.Sends(w.Stdio("claude-code"), "x", "known")
	for _, c := range []struct {
		by   schemas.Caller
		want string
	}{
		{w.Stdio("claude-code"), "your colleague claude-code: do"},
		{w.Stdio("c1aude_code"), "your colleague c1aude_code (not claude-code, whose name looks like it): do"},
		{schemas.Caller{Agent: "ci", Via: schemas.ViaHTTP}, "your colleague ci, who calls over the network: do"},
		{schemas.Caller{Agent: schemas.Human, Via: schemas.ViaCLI}, "human, as whom any command may act: do"},
		{schemas.Caller{Agent: schemas.Human, Via: schemas.ViaCLI, Proof: "terminal"}, "a person, human: do"},
	} {
		w.Sends(c.by, "qa", "t", func(in *schemas.SendIn) { in.Key = c.want })
		require.Contains(t, w.Claims(qa).Brief, "A request from "+c.want)
	}
	require.False(t, schemas.LookAlike("dev", "qa"))
}
