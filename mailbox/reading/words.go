package reading

import (
	"cmp"
	"slices"
	"strings"

	"handoff/mailbox/compose"
	"handoff/schemas"
	"handoff/store"
)

// SearchWords returns the words under which a search finds a handoff. It computes the words from the stored message,
// questions, answers and result, so that [audit.MendRows] can rebuild the search index. Texts that an amendment
// replaced do not count. The error is about content that cannot be read.
func SearchWords(v *store.View, r *store.Record) (store.WordList, error) {
	var h schemas.Handoff
	var asked schemas.UpdateIn
	var ended struct {
		schemas.Completion
		Failure schemas.FailureDetail `json:"failure"`
	}
	err := cmp.Or(v.DecodeContent(r.ID, r.Body, &h), v.DecodeContent(r.ID, r.Ask, &asked), v.DecodeContent(r.ID, r.Result, &ended))
	texts := slices.Concat(messageTexts(&h), asked.Questions)
	for _, a := range schemas.ValueOrZero(h.Context).Answers {
		texts = append(append(texts, a.Questions...), a.Answer)
	}
	texts = append(append(texts, completionTexts(ended.Completion)...), ended.Failure.Description, h.Detail)
	return store.ListWords(slices.DeleteFunc(texts, func(text string) bool { return text == compose.NotKept })...), err
}

// MessageSearchWords returns the words under which a search finds a handoff that was just sent: the words of its task,
// its expectations, its decisions, its artifacts and its detail. The server adds the words of questions and results
// later.
func MessageSearchWords(h *schemas.Handoff) store.WordList {
	return store.ListWords(append(messageTexts(h), h.Detail)...)
}

func messageTexts(h *schemas.Handoff) []string {
	c, e := schemas.ValueOrZero(h.Context), schemas.ValueOrZero(h.Expectations)
	texts := slices.Concat([]string{h.Title, h.Task, h.Summary, strings.Join(h.Tags, " ")}, e.SuccessCriteria)
	for _, d := range c.Decisions {
		texts = append(texts, d.Decision, d.Rationale)
	}
	for _, d := range e.Deliverables {
		texts = append(append(texts, d.Description), d.Criteria...)
	}
	for _, a := range c.Artifacts {
		texts = append(texts, a.Path, a.Description, a.Rationale, a.Content)
	}
	return texts
}

// CompletionSearchWords returns the search words of a completion.
func CompletionSearchWords(done schemas.Completion) store.WordList {
	return store.ListWords(completionTexts(done)...)
}

func completionTexts(done schemas.Completion) []string {
	return slices.Concat(
		[]string{done.Summary}, done.Notes, schemas.Map(done.Criteria, func(a schemas.AnsweredCriterion) string { return a.Evidence }),
		schemas.Map(done.Deliverables, func(d schemas.Delivered) string { return d.Description }),
	)
}
