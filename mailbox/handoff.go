package mailbox

import (
	"strings"
	"unicode/utf8"

	"handoff/schemas"
	"handoff/store"
)

func handoffOf(by schemas.Caller, in schemas.SendIn, to schemas.Address) schemas.Handoff {
	opt := in.Options
	h := schemas.Handoff{
		Schema: schemas.Version,
		Source: schemas.Source{Agent: by.Agent, AgentID: by.AgentID, Phase: opt.Phase},
		Target: targetOf(to, opt.Reason),
		Type:   in.Type, Title: in.Title, Task: in.Task, TaskID: opt.TaskID,
		Tags: tagsOf(in.Tags), Requirements: opt.Requirements, Kind: opt.Kind,
		Version: max(in.Version, 1), Summary: in.Summary, Detail: in.Detail, Data: in.Data,
		Context: in.Context, Expectations: in.Expectations, Rollback: in.Rollback, Origin: in.Origin,
		Metadata: schemas.Metadata{
			Priority: in.Priority, MaxAttempts: opt.MaxAttempts, After: opt.After,
			NeedsApproval: opt.NeedsApproval, NoTakers: opt.NoTakers, Strategy: opt.Strategy, Recall: opt.Recall, Limits: opt.Limits,
		},
	}
	if h.Type == "" {
		h.Type = schemas.TypeHandoff
	}
	if h.Title == "" {
		h.Title = titleOf(in.Task)
	}
	if h.Metadata.Priority == "" {
		h.Metadata.Priority = schemas.Normal
	}
	if h.Metadata.MaxAttempts == 0 {
		h.Metadata.MaxAttempts = 3
	}
	return h
}

func targetOf(to schemas.Address, reason string) schemas.Target {
	t := schemas.Target{Reason: reason}
	switch kind, name := to.Kind(); kind {
	case "capability":
		t.Capability = name
	case "role":
		t.Role = name
	default:
		t.Agent = schemas.Agent(name)
	}
	return t
}

// titleOf is the first line of a task, at most 80 bytes.
func titleOf(task string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(task), "\n")
	if !utf8.ValidString(line) {
		line = schemas.Visible(line)
	}
	return schemas.Clip(line, 80)
}

// tagsOf takes "a,b" for two tags: models write lists as text.
func tagsOf(said []string) (tags []string) {
	for _, s := range said {
		for tag := range strings.SplitSeq(s, ",") {
			if tag = strings.TrimSpace(tag); tag != "" {
				tags = append(tags, tag)
			}
		}
	}
	return tags
}

// wordsOf are the words by which a handoff is found.
func wordsOf(h *schemas.Handoff) store.WordList {
	return store.ListWords(h.Title, h.Task, h.Summary, strings.Join(h.Tags, " "))
}
