package mailbox

import (
	"cmp"
	"slices"

	"handoff/mailbox/compose"
	"handoff/schemas"
	"handoff/store"
)

// Words computes the words by which a handoff is found from what is kept of it, as [store.Store.Mend] asks: of what was
// sent, asked and answered, and of its result. What an amendment replaced is not among them. The error is that of
// content that cannot be read.
func Words(v *store.View, r *store.Record) (store.WordList, error) {
	var h schemas.Handoff
	var asked schemas.UpdateIn
	var ended struct {
		schemas.Completion
		Failure schemas.FailureDetail `json:"failure"`
	}
	err := cmp.Or(v.Saying(r.ID, r.Body, &h), v.Saying(r.ID, r.Ask, &asked), v.Saying(r.ID, r.Result, &ended))
	texts := slices.Concat(sentTexts(&h), asked.Questions)
	for _, a := range orZero(h.Context).Answers {
		texts = append(append(texts, a.Questions...), a.Answer)
	}
	texts = slices.DeleteFunc(texts, func(text string) bool { return text == compose.NotKept })
	return store.ListWords(append(append(texts, deliveredTexts(ended.Completion)...), ended.Failure.Description)...), err
}
