// Package compose makes the content of a handoff, first from the text of its sender and later also from amendments.
// Packages draft and mailbox call it after they checked that the send or the amendment is allowed.
//
// All functions are pure. The result becomes the content of an event, and events never change. So the content leaves
// out states, claims, attempts and times, which stand in the record of the handoff.
package compose

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"handoff/schemas"
)

// A handoff has defaultAttempts, or one more than were made before it was sent, but at most maxAttempts, which is also
// the most that a sender may give.
const (
	defaultAttempts = 3
	maxAttempts     = 25
)

// Handoff makes the content of a send to an address. It fills in defaults: the type task_handoff, a title from the
// task, normal priority, three attempts or more, version 1. It checks nothing. It keeps the lists and maps of in, which
// must not change afterwards.
func Handoff(by schemas.Caller, in schemas.SendIn, to schemas.Address) schemas.Handoff {
	opt := *cmp.Or(in.Options, &schemas.SendOptions{})
	return schemas.Handoff{
		Schema: schemas.Version,
		Source: schemas.Source{Agent: by.Agent, AgentID: by.AgentID, Trust: by.Trust(), Phase: opt.Phase},
		Target: TargetOf(to, opt.Reason),
		Type:   cmp.Or(in.Type, schemas.TypeHandoff), Title: cmp.Or(in.Title, TitleFromTask(in.Task)), Task: in.Task, TaskID: opt.TaskID,
		Tags: SplitTags(in.Tags), Requirements: opt.Requirements, Kind: opt.Kind,
		Version: max(in.Version, 1), Summary: in.Summary, Detail: in.Detail, Data: in.Data,
		Context: in.Context, Expectations: in.Expectations, Rollback: in.Rollback, Origin: in.Origin,
		Metadata: schemas.Metadata{
			Priority:    cmp.Or(in.Priority, schemas.Normal),
			MaxAttempts: cmp.Or(opt.MaxAttempts, max(defaultAttempts, min(opt.Attempt+1, maxAttempts))), After: opt.After,
			AfterAccepted: opt.AfterAccepted, Terms: opt.Terms, Strategy: opt.Strategy, Recall: opt.Recall,
			Limits: opt.Limits, Step: opt.Step, SentBy: by.Rule,
		},
	}
}

// TargetOf converts an address to the form of a message, with the reason of the sender. It sets exactly one of agent,
// capability, role and tag.
func TargetOf(to schemas.Address, reason string) schemas.Target {
	t := schemas.Target{Reason: reason}
	switch kind, name := to.Split(); kind {
	case "capability":
		t.Capability = name
	case "role":
		t.Role = name
	case "tag":
		t.Tag = name
	default:
		t.Agent = schemas.Agent(name)
	}
	return t
}

// RoleKey is the key in the state of a context for the role that work needs if its recipient is no role.
const RoleKey = "agent_role"

// NeededRole returns the role that a handoff has under [RoleKey], or "" for none and for work of a role.
func NeededRole(h *schemas.Handoff) string {
	if h.Target.Role != "" {
		return ""
	}
	role, _ := schemas.ValueOrZero(h.Context).State[RoleKey].(string)
	return role
}

// TitleFromTask returns the first line of a task, at most 80 bytes, without the "#" of a Markdown heading. It escapes
// bytes that are not UTF-8.
func TitleFromTask(task string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(task), "\n")
	if heading := strings.TrimLeft(line, "#"); strings.HasPrefix(heading, " ") {
		line = strings.TrimSpace(heading)
	}
	if !utf8.ValidString(line) {
		line = schemas.EscapeHidden(line)
	}
	return schemas.Clip(line, 80)
}

// SplitTags returns the given tags without spaces around them and without empty tags. It splits "a,b" into two tags,
// because models write lists as text. All callers read tags with this function, so that the same text means the same
// tags everywhere.
func SplitTags(said []string) (tags []string) {
	for _, s := range said {
		for tag := range strings.SplitSeq(s, ",") {
			if tag = strings.TrimSpace(tag); tag != "" {
				tags = append(tags, tag)
			}
		}
	}
	return tags
}

// HasAnyTag reports whether tags contains at least one of the wanted tags. It returns true if wanted is empty. Case
// matters.
func HasAnyTag(tags, wanted []string) bool {
	return len(wanted) == 0 || slices.ContainsFunc(wanted, func(t string) bool { return slices.Contains(tags, t) })
}

// AddRemark adds a remark to the context of h. It copies the list of remarks before the change, because other contents
// may share the list.
func AddRemark(h *schemas.Handoff, remark schemas.Remark) {
	c := *cmp.Or(h.Context, &schemas.Context{})
	c.Remarks = append(slices.Clone(c.Remarks), remark)
	h.Context = &c
}

// AddFindings adds to the context c what the holder of the failed handoff `of` found: the results, the steps to
// reproduce, and the logs. The logs become an artifact, which replaces the logs of an earlier failure, so that the
// context does not grow with each attempt. It copies the lists and maps of c before the change.
func AddFindings(c *schemas.Context, of schemas.ID, f schemas.FailureDetail) {
	mergeInto(&c.Results, f.Results)
	mergeInto(&c.ReproductionSteps, f.ReproductionSteps)
	if f.Detail == "" {
		return
	}
	const logs = "logs of failed work"
	earlier := func(a schemas.Artifact) bool { return a.Type == logs }
	c.Artifacts = append(slices.DeleteFunc(slices.Clone(c.Artifacts), earlier), schemas.Artifact{Type: logs, Description: of.String(), Content: f.Detail})
}

// ContextWithState returns a copy of the context c with the values of more added to its state. It does not change c.
func ContextWithState(c *schemas.Context, more map[string]any) *schemas.Context {
	if len(more) == 0 {
		return c
	}
	have := *cmp.Or(c, &schemas.Context{})
	mergeInto(&have.State, more)
	return &have
}
