package reading

import (
	"cmp"
	"fmt"
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
	texts = append(texts, CompletionTexts(ended.Completion), FailureTexts(ended.Failure), h.Detail)
	return store.ListWords(schemas.Map(texts, func(text string) string { return strings.ReplaceAll(text, compose.NotKept, "") })...), err
}

// MessageSearchWords returns the words under which a search finds a handoff that was just sent: the words of its texts,
// the most important first. It leaves out references, and the project that the server found around the sender, which
// all handoffs of a workspace share. The server adds the words of questions and results later.
func MessageSearchWords(h *schemas.Handoff) store.WordList {
	return store.ListWords(append(messageTexts(h), h.Detail)...)
}

func messageTexts(h *schemas.Handoff) []string {
	c, e := schemas.ValueOrZero(h.Context), schemas.ValueOrZero(h.Expectations)
	return []string{
		h.Title, h.Task, h.Summary, joinTexts(h.Tags, e.SuccessCriteria, c.Decisions, e.Deliverables, c.Artifacts, e.Constraints, h.Data,
			statedProject(h), fileTexts(c.Files), c.CompletedSteps, c.KnownIssues, c.PreviousFailures, c.Memories, c.Results, c.State),
	}
}

// joinTexts returns the texts in some values, the names in maps too, as one text. It does not follow pointers.
func joinTexts(values ...any) string { return strings.ReplaceAll(fmt.Sprintln(values...), "map[", " ") }

func fileTexts(all []schemas.File) []string {
	return schemas.Map(all, func(f schemas.File) string { return f.Path + " " + f.Note })
}

// statedProject returns the name and the tech stack of the project, if the sender stated them. The project that the
// server found is the same for all handoffs of a workspace.
func statedProject(h *schemas.Handoff) []string {
	p := schemas.ValueOrZero(schemas.ValueOrZero(h.Context).Project)
	if p.Name != "" && !h.Tree.IsIn(p.Path) {
		return append([]string{p.Name}, p.TechStack...)
	}
	return nil
}

// CompletionTexts returns the texts of a completion that a search finds.
func CompletionTexts(done schemas.Completion) string {
	evidence := schemas.Map(done.Criteria, func(a schemas.AnsweredCriterion) string { return a.Evidence })
	return joinTexts(done.Summary, done.Notes, evidence, done.Deliverables, done.Data, done.Results, done.Outputs, string(done.Output), done.Detail)
}

// FailureTexts returns the texts of a failure that a search finds.
func FailureTexts(f schemas.FailureDetail) string {
	return joinTexts(f.Description, f.Blockers, schemas.ValueOrZero(f.PartialProgress))
}
