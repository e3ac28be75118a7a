package mailbox_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
)

// withOrigin gives a send the id and further fields of a message of another system.
func withOrigin(id string, extra map[string]any) func(*schemas.SendIn) {
	return func(in *schemas.SendIn) { in.Origin = &schemas.Origin{HandoffID: id, Extra: extra} }
}

func TestForeignID_IsUniquePerSender(t *testing.T) {
	w, a, b, c := newTrio(t, "a", "b", "c")
	first := w.Sends(a, "c", "one", withOrigin("ho_abc", nil))
	second := w.Sends(b, "c", "two", withOrigin("ho_abc", nil))
	require.NotEqual(t, first.HandoffID, second.HandoffID)
	require.Equal(t, first.HandoffID, w.Sends(a, "c", "one", withOrigin("ho_abc", nil)).HandoffID, "sent again")
	_, err := w.Send(context.Background(), a, schemas.SendIn{To: "c", Task: "other", Origin: &schemas.Origin{HandoffID: "ho_abc"}})
	require.Equal(t, "handoff_id", refused(t, err, schemas.Conflict, "amend ho_1").Field)

	read := func(by schemas.Caller) (schemas.GetOut, error) {
		return w.Get(context.Background(), by, schemas.GetIn{HandoffID: "ho_abc"})
	}
	for by, want := range map[*schemas.Caller]schemas.ID{&a: first.HandoffID, &b: second.HandoffID} {
		out, err := read(*by)
		require.NoError(t, err)
		require.Equal(t, want, out.HandoffID)
	}
	_, err = read(c)
	refused(t, err, schemas.Conflict, "ho_2 from b, ho_1 from a")
	require.Equal(t, first.HandoffID, w.Claims(c).HandoffID)
	out := mailboxtest.Must(t, w.Complete, c, schemas.CompleteIn{HandoffID: "ho_abc", Result: schemas.Result{Summary: "s"}})
	require.Equal(t, first.HandoffID, out.HandoffID, "what the caller holds")
}

func TestGet_ReadsOtherSpellingsOfIDs(t *testing.T) {
	w, a := newWorldWith(t, "a")
	w.Sends(a, "b", "one")
	w.Sends(a, "b", "two", withOrigin("HO-001", nil))
	for spelled, want := range map[string]schemas.ID{"ho_001": 1, "ho-1": 1, "handoff_1": 1, "#1": 1, "Handoff 2": 2, "HO-001": 2} {
		out, err := w.Get(context.Background(), a, schemas.GetIn{HandoffID: spelled})
		require.NoError(t, err, spelled)
		require.Equal(t, want, out.HandoffID, spelled)
	}
	mailboxtest.RequireRefusal(t, w.Get, a, schemas.GetIn{HandoffID: "ho-0"}, schemas.NotFound, "ho-0")
}

func TestSend_WarnsOfUnknownFields(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	extra := map[string]any{"team": "x", "metadata": map[string]any{"cost": 1}, "priority": 7}
	out := w.Sends(a, "b", "x", withOrigin("", extra))
	require.Contains(t, out.Warnings, "kept in origin.extra, which no brief shows: metadata.cost, team")
	require.Contains(t, strings.Join(out.Warnings, " "), "priority 7 is read as normal")
	w.Claims(b)
	done := w.Completes(b, 1, func(in *schemas.CompleteIn) {
		in.Origin, in.Outcome = &schemas.Origin{Extra: map[string]any{"team": "y"}}, schemas.Partial
	})
	require.Equal(t, schemas.Partial, done.Outcome)
	require.Contains(t, strings.Join(done.Warnings, " "), "team")
}

func TestSend_RefusesOrWarnsOfUnknownReferences(t *testing.T) {
	w, a := newWorldWith(t, "a")
	refer := func(url string) schemas.SendIn {
		return schemas.SendIn{To: "b", Task: "x", Context: &schemas.Context{References: []schemas.Reference{{URL: url}}}}
	}
	e := w.refusesUnsent(a, refer("context://ho_9"), schemas.NotFound, "no handoff ho_9")
	require.Equal(t, "context.references[0].url", e.Field)
	w.Sends(a, "b", "first", func(in *schemas.SendIn) { in.Detail = "the whole story" })
	for url, warned := range map[string]bool{"context://ho_1": false, "context://abc": true, "https://x/y": true} {
		out := mailboxtest.Must(t, w.Send, a, refer(url))
		require.Equal(t, warned, strings.Contains(strings.Join(out.Warnings, " "), "cannot fetch "+url), url)
	}
	read := mailboxtest.Must(t, w.Get, a, schemas.GetIn{HandoffID: "2", View: "reference", Reference: "context://ho_1"})
	require.Contains(t, read.Content, "the whole story", "of another handoff")

	out := w.Sends(a, "b", "x", func(in *schemas.SendIn) { in.Rollback = &schemas.Rollback{OnFailure: "nobody"} })
	require.Contains(t, out.Warnings, "rollback.on_failure: Agent not found: nobody")
	out = w.Sends(a, "b", "y", func(in *schemas.SendIn) { in.Options = &schemas.SendOptions{Strategy: "summary"} })
	require.Contains(t, strings.Join(out.Warnings, " "), "there is no summary")
}

func TestSend_ToHumanMayExceedChainLimit(t *testing.T) {
	w, a, b := newPair(t, "a", "b")
	w.Sends(a, "b", "x", func(in *schemas.SendIn) {
		in.Options = &schemas.SendOptions{Limits: map[string]float64{"max_handoffs": 1}}
	})
	w.Claims(b)
	mailboxtest.RequireRefusal(t, w.Send, b, schemas.SendIn{To: "a", Task: "y"}, schemas.Limit, "send it to human")
	require.Equal(t, schemas.ID(1), w.Sends(b, "human", "y").Parent)
}

func TestAmend_RoleRedirectsOnlyWorkOfPool(t *testing.T) {
	w, a := newWorldWith(t, "a")
	w.Sends(a, "b", "x", func(in *schemas.SendIn) { in.Context = &schemas.Context{TestCommand: "make old"} })
	w.Updates(a, 1, schemas.ActAmend, mailboxtest.WithChanges(schemas.Changes{Context: &schemas.Context{TestCommand: "make new"}}))
	out := w.Updates(a, 1, schemas.ActAmend, mailboxtest.WithChanges(schemas.Changes{Role: "testing"}))
	require.Contains(t, strings.Join(out.Warnings, " "), "it stays with b")
	c := w.FullView(1).Handoff.Context
	require.Equal(t, "testing", c.State["agent_role"])
	require.Equal(t, "make new", c.TestCommand)

	w.Sends(a, "role:implementation", "y")
	out = w.Updates(a, 2, schemas.ActAmend, mailboxtest.WithChanges(schemas.Changes{Role: "testing"}))
	require.Equal(t, schemas.Address("role:testing"), out.To)
}
