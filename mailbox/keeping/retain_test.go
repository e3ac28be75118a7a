package keeping_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
	"handoff/store"
)

const halfYear = 180 * 24 * time.Hour

// Retain drops only large texts of old handoffs; all other reads stay the same.
func TestRetain_DropsOldTextsAndKeepsRegistry(t *testing.T) {
	for name, backend := range mailboxtest.Backends {
		t.Run(name, func(t *testing.T) {
			b := backend(t)
			w := mailboxtest.New(t, mailboxtest.InBackend(b))
			a, qa := w.Stdio("a"), w.Stdio("qa")
			long := func(said string) string { return strings.Repeat(said+" ", 60) }
			shared, alone := long("shared"), long("alone")
			send := func(said, workflow string, refs ...schemas.Reference) schemas.SendOut {
				return w.Sends(a, "qa", long(said), func(in *schemas.SendIn) {
					in.Title, in.Data, in.Workflow, in.Parent = "work on "+said, map[string]string{"n": long(said + "!")}, workflow, "none"
					in.Context = &schemas.Context{References: refs}
				})
			}
			done := func(sent schemas.SendOut) schemas.SendOut {
				w.Claims(qa)
				w.Completes(qa, sent.HandoffID, func(in *schemas.CompleteIn) {
					in.Summary, in.Detail, in.Results = "it works", long("detail"), map[string]any{"commit": "0a1b2c3d"}
				})
				return sent
			}
			old := done(send("gone", "", schemas.Reference{Name: "s", Content: shared}, schemas.Reference{Name: "l", Content: alone}))
			bound := done(send("bound", "release"))
			waitedFor := done(send("waited", ""))
			w.Pass(halfYear)
			young := done(send("young", "", schemas.Reference{Name: "s", Content: shared}))
			send("open", "release")
			w.Sends(a, "qa", "later", func(in *schemas.SendIn) {
				in.Parent, in.Options = "none", &schemas.SendOptions{After: []string{waitedFor.HandoffID.String()}}
			})
			w.CheckIntact()

			before := w.Now().Add(-time.Hour)
			mailboxtest.RequireRefusal(t, w.Retain, a, schemas.RetainIn{Before: before}, schemas.Denied, "by a person alone")
			_, err := w.Retain(t.Context(), schemas.Caller{Agent: schemas.Human, Via: schemas.ViaCLI}, schemas.RetainIn{Before: before})
			mailboxtest.RequireError(t, err, schemas.Denied, "texts of 1 handoff, which ended before 20")
			mailboxtest.RequireRefusal(t, w.Retain, mailboxtest.Human, schemas.RetainIn{}, schemas.Invalid, "since when")
			would := mailboxtest.Must(t, w.Retain, a, schemas.RetainIn{Before: before, DryRun: true})
			require.Equal(t, 1, would.Handoffs)
			require.Contains(t, w.FullView(old.HandoffID).Handoff.Task, "gone gone")

			did := mailboxtest.Must(t, w.Retain, mailboxtest.Human, schemas.RetainIn{Before: before})
			require.Equal(t, 1, did.Handoffs)
			require.Equal(t, would.Contents, did.Contents)
			require.Equal(t, would.Bytes+int64(len(alone)), did.Bytes)
			history := mailboxtest.Must(t, w.History, a, schemas.HistoryIn{HandoffID: old.HandoffID.String()})
			require.True(t, history.LogVerified)
			for _, said := range []string{"gone gone", "alone", "gone!"} {
				require.Empty(t, spacesContaining(t, b, said))
			}
			require.Equal(t, "[no longer kept]", w.FullView(old.HandoffID).Handoff.Task)
			require.Equal(t, "work on gone", w.FullView(old.HandoffID).Handoff.Title)
			require.Equal(t, "it works", w.FullView(old.HandoffID).Completion.Summary)
			require.Equal(t, "0a1b2c3d", w.FullView(old.HandoffID).Completion.Commit())
			for _, whole := range []schemas.SendOut{bound, waitedFor, young} {
				require.Greater(t, len(w.FullView(whole.HandoffID).Handoff.Task), 200)
			}
			got := mailboxtest.Must(t, w.Get, a, schemas.GetIn{HandoffID: young.HandoffID.String(), Reference: "s"})
			require.Equal(t, shared, got.Content)
			_, err = w.Get(t.Context(), a, schemas.GetIn{HandoffID: old.HandoffID.String(), Reference: "l"})
			mailboxtest.RequireError(t, err, schemas.NotFound, "no longer kept")
			_, err = w.Send(t.Context(), a, schemas.SendIn{To: "qa", Task: "x", Parent: "none", Context: &schemas.Context{
				References: []schemas.Reference{{URL: "context://" + old.HandoffID.String() + "/task"}},
			}})
			mailboxtest.RequireError(t, err, schemas.NotFound, "no longer kept")
			require.True(t, w.FullView(old.HandoffID).Standing.NotKept, "advice must not offer a refused action:")
			w.RefusesUpdate(a, old.HandoffID, schemas.ActReturn, schemas.Conflict, "no longer kept in full", mailboxtest.WithNote("again"))
			w.CheckIntact()

			again := mailboxtest.Must(t, w.Retain, mailboxtest.Human, schemas.RetainIn{Before: before})
			require.Equal(t, schemas.RetainOut{}, again)
		})
	}
}

// There are more handoffs than one transaction takes, and each transaction runs twice.
func TestRetain_ProcessesAllHandoffs(t *testing.T) {
	w, a := mailboxtest.NewWithAgent(t, "a")
	const many = 1203
	for range many {
		sent := w.Sends(a, "qa", strings.Repeat("long ", 60), mailboxtest.NoParent)
		w.Updates(a, sent.HandoffID, schemas.ActCancel)
	}
	w.Pass(halfYear)
	did := mailboxtest.Must(t, w.Retain, mailboxtest.Human, schemas.RetainIn{Before: w.Now()})
	require.Equal(t, many, did.Handoffs)
}

// sendCompleted sends and completes a handoff.
func sendCompleted(w *mailboxtest.World, change func(*schemas.SendIn)) schemas.SendOut {
	a, qa := w.Stdio("a"), w.Stdio("qa")
	sent := w.Sends(a, "qa", "look", mailboxtest.NoParent, change)
	w.Claims(qa)
	w.Completes(qa, sent.HandoffID, func(in *schemas.CompleteIn) {
		in.Results = map[string]any{"image": "app", "digest": store.ReferenceDigest([]byte("image")), "log": strings.Repeat("log ", 60)}
	})
	return sent
}

func TestRetain_KeepsReferencesOfOpenHandoffs(t *testing.T) {
	w := mailboxtest.New(t)
	long := strings.Repeat("long ", 60)
	deep := sendCompleted(w, func(in *schemas.SendIn) { in.Detail = long })
	lead := sendCompleted(w, func(in *schemas.SendIn) {
		in.Context = &schemas.Context{References: []schemas.Reference{{Name: "deep", URL: "context://" + deep.HandoffID.String() + "/detail"}}}
	})
	gone, named := sendCompleted(w, func(in *schemas.SendIn) { in.Detail = long }), sendCompleted(w, func(in *schemas.SendIn) { in.Detail = long })
	w.Pass(halfYear)
	open := w.Sends(w.Stdio("a"), "qa", "go on", func(in *schemas.SendIn) {
		in.Parent = "none"
		in.Context = &schemas.Context{References: []schemas.Reference{{URL: "context://" + lead.HandoffID.String()}}}
		in.Options = &schemas.SendOptions{After: []string{lead.HandoffID.String()}}
		in.Detail = "as in context://" + named.HandoffID.String() + "/detail"
	})
	did := mailboxtest.Must(t, w.Retain, mailboxtest.Human, schemas.RetainIn{Before: w.Now().Add(-time.Hour)})
	require.Equal(t, 1, did.Handoffs)
	require.Equal(t, "[no longer kept]", w.FullView(gone.HandoffID).Handoff.Detail)
	require.Contains(t, w.FullView(named.HandoffID).Handoff.Detail, "long")
	got := mailboxtest.Must(t, w.Get, w.Stdio("qa"), schemas.GetIn{
		HandoffID: open.HandoffID.String(), View: "reference", Reference: "context://" + deep.HandoffID.String() + "/detail",
	})
	require.Equal(t, strings.TrimSpace(long), strings.TrimSpace(got.Content))
}

// A short task looks complete even without its data.
func TestReturn_RefusesHandoffWithDroppedData(t *testing.T) {
	w := mailboxtest.New(t)
	sent := sendCompleted(w, func(in *schemas.SendIn) { in.Data = map[string]string{"n": strings.Repeat("long ", 60)} })
	w.Pass(halfYear)
	mailboxtest.Must(t, w.Retain, mailboxtest.Human, schemas.RetainIn{Before: w.Now()})
	require.Equal(t, store.ReferenceDigest([]byte("image")), w.FullView(sent.HandoffID).Completion.Results["digest"], "it is short")
	require.Equal(t, "[no longer kept]", w.FullView(sent.HandoffID).Completion.Results["log"])
	_, err := w.TryUpdate(w.Stdio("a"), sent.HandoffID, schemas.ActReturn, mailboxtest.WithNote("again"))
	mailboxtest.RequireError(t, err, schemas.Conflict, "no longer kept in full")
	events := mailboxtest.Must(t, w.Get, w.Stdio("a"), schemas.GetIn{HandoffID: sent.HandoffID.String(), View: "events"})
	require.Contains(t, events.Events[len(events.Events)-1].Text, "no longer keeps long texts")
	found := mailboxtest.Must(t, w.List, mailboxtest.Human, schemas.ListIn{Box: "all", Query: "kept"})
	require.Empty(t, found.Items, "the placeholder is not found")
}

// The next retention deletes the rest of an interrupted one, and skips an unreadable handoff.
func TestRetain_RemovesUnusedContentDespiteDamagedHandoff(t *testing.T) {
	b := mailboxtest.NewMemoryBackend(t)
	w := mailboxtest.New(t, mailboxtest.InBackend(b))
	long := func(in *schemas.SendIn) { in.Detail = strings.Repeat("long ", 60) }
	damaged, sound := sendCompleted(w, long), sendCompleted(w, long)
	w.Pass(halfYear)
	require.NoError(t, store.New(b).Update(t.Context(), func(tx *store.Tx) error { return tx.PutReference([]byte("left over")) }))
	mend := func() {}
	require.NoError(t, b.Update(t.Context(), func(rows store.Writer) error {
		for row, err := range rows.Scan(store.Range{Space: store.Events}) {
			key, value := bytes.Clone(row.Key), bytes.Clone(row.Value)
			mend = func() {
				require.NoError(t, b.Update(t.Context(), func(rows store.Writer) error { return rows.Put(store.Events, key, value) }))
			}
			return errors.Join(err, rows.Delete(store.Events, row.Key)) // the first event is the first send
		}
		return nil
	}))
	did := mailboxtest.Must(t, w.Retain, mailboxtest.Human, schemas.RetainIn{Before: w.Now()})
	require.Equal(t, 1, did.Handoffs)
	require.Equal(t, 1, did.Unread)
	require.Empty(t, spacesContaining(t, b, "left over"))
	require.Equal(t, "[no longer kept]", w.FullView(sound.HandoffID).Handoff.Detail)
	require.NotEqual(t, "[no longer kept]", w.FullView(damaged.HandoffID).Handoff.Detail)
	mend()
}
