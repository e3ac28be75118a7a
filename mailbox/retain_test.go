package mailbox_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

const halfYear = 180 * 24 * time.Hour

// What ended long ago loses what takes space, and no more than that; nobody else notices.
func TestOldTextsAreLetGoOfAndTheRegistryVerifies(t *testing.T) {
	for name, backend := range backends {
		t.Run(name, func(t *testing.T) {
			b := backend(t)
			w := newWorldOn(t, b)
			a, qa := w.stdio("a"), w.stdio("qa")
			long := func(said string) string { return strings.Repeat(said+" ", 60) }
			shared, alone := long("shared"), long("alone")
			send := func(said, workflow string, refs ...schemas.Reference) schemas.SendOut {
				return w.send(a, "qa", long(said), func(in *schemas.SendIn) {
					in.Title, in.Data, in.Workflow, in.Parent = "work on "+said, map[string]string{"n": long(said + "!")}, workflow, "none"
					in.Context = &schemas.Context{References: refs}
				})
			}
			done := func(sent schemas.SendOut) schemas.SendOut {
				w.claim(qa)
				w.complete(qa, sent.HandoffID, func(in *schemas.CompleteIn) {
					in.Summary, in.Detail, in.Results = "it works", long("detail"), map[string]any{"commit": "0a1b2c3d"}
				})
				return sent
			}
			old := done(send("gone", "", schemas.Reference{Name: "s", Content: shared}, schemas.Reference{Name: "l", Content: alone}))
			bound := done(send("bound", "release"))
			waitedFor := done(send("waited", ""))
			w.later(halfYear)
			young := done(send("young", "", schemas.Reference{Name: "s", Content: shared}))
			send("open", "release")
			w.send(a, "qa", "later", func(in *schemas.SendIn) {
				in.Parent, in.Options = "none", &schemas.SendOptions{After: []string{waitedFor.HandoffID.String()}}
			})
			w.Intact()

			before := w.Now().Add(-time.Hour)
			human := schemas.Caller{Agent: schemas.Human, Via: schemas.ViaCLI, Proof: "terminal"}
			_, err := w.Retain(t.Context(), a, schemas.RetainIn{Before: before})
			refused(t, err, schemas.Denied, "by a person alone")
			_, err = w.Retain(t.Context(), human, schemas.RetainIn{})
			refused(t, err, schemas.Invalid, "since when")
			would, err := w.Retain(t.Context(), a, schemas.RetainIn{Before: before, DryRun: true})
			require.NoError(t, err)
			require.Equal(t, 1, would.Handoffs)
			require.Contains(t, w.full(old.HandoffID).Handoff.Task, "gone gone")

			did, err := w.Retain(t.Context(), human, schemas.RetainIn{Before: before})
			require.NoError(t, err)
			require.Equal(t, 1, did.Handoffs)
			require.Equal(t, would.Contents, did.Contents)
			require.Equal(t, would.Bytes+int64(len(alone)), did.Bytes)
			for _, said := range []string{"gone gone", "alone", "gone!"} {
				require.Empty(t, kept(t, b, said))
			}
			require.Equal(t, "[no longer kept]", w.full(old.HandoffID).Handoff.Task)
			require.Equal(t, "work on gone", w.full(old.HandoffID).Handoff.Title)
			require.Equal(t, "it works", w.full(old.HandoffID).Completion.Summary)
			require.Equal(t, "0a1b2c3d", w.full(old.HandoffID).Completion.Commit())
			for _, whole := range []schemas.SendOut{bound, waitedFor, young} {
				require.Greater(t, len(w.full(whole.HandoffID).Handoff.Task), 200)
			}
			got, err := w.Get(t.Context(), a, schemas.GetIn{HandoffID: young.HandoffID.String(), Reference: "s"})
			require.NoError(t, err)
			require.Equal(t, shared, got.Content)
			_, err = w.Get(t.Context(), a, schemas.GetIn{HandoffID: old.HandoffID.String(), Reference: "l"})
			refused(t, err, schemas.NotFound, "no reference")
			_, err = w.tryUpdate(a, old.HandoffID, schemas.ActReturn, note("again"))
			refused(t, err, schemas.Conflict, "no longer kept in full")
			w.Intact()

			again, err := w.Retain(t.Context(), human, schemas.RetainIn{Before: before})
			require.NoError(t, err)
			require.Equal(t, schemas.RetainOut{}, again)
		})
	}
}

// More handoffs than one transaction takes.
func TestARetentionGoesThroughAllHandoffs(t *testing.T) {
	w := newWorldOn(t, backends["memory"](t))
	a := w.stdio("a")
	const many = 1203
	for range many {
		sent := w.send(a, "qa", strings.Repeat("long ", 60), func(in *schemas.SendIn) { in.Parent = "none" })
		w.update(a, sent.HandoffID, schemas.ActCancel)
	}
	w.later(halfYear)
	human := schemas.Caller{Agent: schemas.Human, Via: schemas.ViaCLI, Proof: "terminal"}
	did, err := w.Retain(t.Context(), human, schemas.RetainIn{Before: w.Now()})
	require.NoError(t, err)
	require.Equal(t, many, did.Handoffs)
	w.Intact()
}
