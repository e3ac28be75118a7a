package reading_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// Search also works with recomputed words, as after the loss of their row.
func TestSearchWords_AreComputedFromStoredTexts(t *testing.T) {
	w, a, qa := mailboxtest.NewWithTwoAgents(t, "a", "qa")
	id := w.Sends(a, "qa", "Find the needle", func(in *schemas.SendIn) { in.Tags = []string{"hay"} }).HandoffID
	w.Claims(qa)
	w.Updates(qa, id, schemas.ActAsk, mailboxtest.WithQuestions("Which colour?"))
	w.Updates(a, id, schemas.ActAnswer, mailboxtest.WithNote("Silver"))
	w.Claims(qa)
	w.Completes(qa, id, func(in *schemas.CompleteIn) { in.Summary = "It lay in the barn" })
	require.NoError(t, w.Store.View(t.Context(), func(v *store.View) error {
		r, err := v.Record(id)
		require.NoError(t, err)
		list, err := reading.SearchWords(v, r)
		words := strings.Split(strings.Trim(string(list), "\x00"), "\x00")
		for _, word := range []string{"needle", "hay", "colour", "silver", "barn"} {
			require.True(t, slices.Contains(words, word), "%s of %v", word, words)
			has, err := v.HasWords(id, []string{word})
			require.NoError(t, err)
			require.True(t, has, word)
		}
		return err
	}))
}
