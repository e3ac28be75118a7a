// Package compose makes what a handoff says: from what its sender said, and later from what amendments change. It knows
// no store and no rules; what may be sent or amended is checked by package mailbox.
package compose

import (
	"slices"
	"strings"
	"unicode/utf8"

	"handoff/schemas"
)

const maxAttempts = 3 // where the sender said nothing

// Handoff is what a caller sends to an address, with what is so by default filled in.
func Handoff(by schemas.Caller, in schemas.SendIn, to schemas.Address) schemas.Handoff {
	opt := valueOf(in.Options)
	h := schemas.Handoff{
		Schema: schemas.Version,
		Source: schemas.Source{Agent: by.Agent, AgentID: by.AgentID, Phase: opt.Phase},
		Target: Target(to, opt.Reason),
		Type:   in.Type, Title: in.Title, Task: in.Task, TaskID: opt.TaskID,
		Tags: Tags(in.Tags), Requirements: opt.Requirements, Kind: opt.Kind,
		Version: max(in.Version, 1), Summary: in.Summary, Detail: in.Detail, Data: in.Data,
		Context: in.Context, Expectations: in.Expectations, Rollback: in.Rollback, Origin: in.Origin,
		Metadata: schemas.Metadata{
			Priority: in.Priority, MaxAttempts: opt.MaxAttempts, After: opt.After,
			NeedsApproval: opt.NeedsApproval, NoTakers: opt.NoTakers, Strategy: opt.Strategy, Recall: opt.Recall,
			Limits: opt.Limits,
		},
	}
	if h.Type == "" {
		h.Type = schemas.TypeHandoff
	}
	if h.Title == "" {
		h.Title = Title(in.Task)
	}
	if h.Metadata.Priority == "" {
		h.Metadata.Priority = schemas.Normal
	}
	if h.Metadata.MaxAttempts == 0 {
		h.Metadata.MaxAttempts = maxAttempts
	}
	return h
}

// Target is an address in the form of a message, with why the sender chose it.
func Target(to schemas.Address, reason string) schemas.Target {
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

// Title is the first line of a task, at most 80 bytes.
func Title(task string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(task), "\n")
	if !utf8.ValidString(line) {
		line = schemas.Visible(line)
	}
	return schemas.Clip(line, 80)
}

// Tags are the tags that were said. It takes "a,b" for two: models write lists as text.
func Tags(said []string) (tags []string) {
	for _, s := range said {
		for tag := range strings.SplitSeq(s, ",") {
			if tag = strings.TrimSpace(tag); tag != "" {
				tags = append(tags, tag)
			}
		}
	}
	return tags
}

// HasTag tells whether one of the wanted tags is there; wanting none is always met.
func HasTag(tags, wanted []string) bool {
	return len(wanted) == 0 || slices.ContainsFunc(wanted, func(t string) bool { return slices.Contains(tags, t) })
}
