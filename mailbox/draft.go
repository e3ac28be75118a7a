package mailbox

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"handoff/mailbox/compose"
	"handoff/mailbox/contract"
	"handoff/schemas"
	"handoff/store"
)

// What a handoff may not grow past, neither when it is sent nor when it is amended.
const (
	maxType = 64 // bytes
	maxTags = 32
)

// draft is a handoff that was checked and encoded, before a transaction finds its place, see [op.lineage], and makes a
// record of it, see [op.create]. A draft of a caller is made before its transaction and is not changed in it, since the
// transaction may run again with the same draft; [op.passOn] takes a copy. Those that the rules make, see [op.succeed],
// are made inside, anew in each run.
type draft struct {
	handoff   schemas.Handoff
	to        schemas.Address
	content   store.Content
	tokens    int      // of that
	kept      [][]byte // content that it refers to, see [op.keep]
	words     store.WordList
	digest    string
	stated    time.Time // the deadline that was asked for
	deadline  time.Time // that, or the end of the timeout: the earlier
	notBefore time.Time
	estimate  time.Duration

	parent   string             // as asked: an id, "none", or "" for the default
	workflow schemas.Workflow   // as asked, "" for the parent's or a new one
	limits   map[string]float64 // that the caller sets for the workflow, among others
	key      string
	// token is charged with it while it is pending, see [op.checkPending]; "" for none.
	token    string
	force    bool
	warnings []string
	// attempt is how many were made before, by the handoffs that this one does again.
	attempt  int
	excluded []schemas.Agent

	located bool             // the context has the project that was found
	said    *schemas.Context // the context without that

	parts []*draft // of a send to several, see [op.fanOut]; this one is a copy of the first, with the digest of all
	join  *draft   // waits for all parts, nil for none
}

// draft checks what a sender said and makes a handoff of it. It reads nothing from the store, so it runs before the
// transaction; what depends on others is checked in it. Durations count from now. The error is invalid for a field that
// makes no sense, limit for one that is too long, with the path of the field.
func (s *Service) draft(by schemas.Caller, in schemas.SendIn, now time.Time) (d draft, err error) {
	in.Options = cmp.Or(in.Options, &schemas.SendOptions{})
	if err := s.sizes(in); err != nil {
		return d, err
	}
	if d.to, err = schemas.ParseAddress("to", in.To); err != nil {
		return d, err
	}
	if err := cmp.Or(d.times(in, now), d.names(in), onlyWork(in)); err != nil {
		return d, err
	}
	d.key, d.force, d.attempt = cmp.Or(in.Key, foreignKey(in.Origin)), in.Options.Force, in.Options.Attempt
	d.warnings = slices.Concat(compose.WithoutEffect(in), compose.Aside(in.Origin))
	d.token = by.Token
	if in.Context, d.kept, err = s.separate(in.Context); err != nil {
		return d, err
	}
	d.handoff = compose.Handoff(by, in, d.to)
	d.locate(by.Tree)
	d.handoff.Metadata.Deadline, d.handoff.Metadata.NotBefore = schemas.UnlessZero(d.stated), schemas.UnlessZero(d.notBefore)
	if err := s.encode(&d); err != nil {
		return d, err
	}
	if err := schemas.TooBig("handoff", len(d.content.Bytes), s.Limits.Handoff); err != nil {
		return d, schemas.AsError(err).WithHint("Send what is long along as the content of references in the context. Nothing was sent.")
	}
	return d, nil
}

// locate says in which working tree the work was sent, unless the sender told of its project. It is no part of what
// makes a send the same as another, since a tree goes on.
func (d *draft) locate(in *schemas.Tree) {
	h := &d.handoff
	if in == nil || h.Type == schemas.TypeMessage {
		return
	}
	h.Tree = few(in)
	if schemas.OrZero(h.Context).Project != nil {
		return
	}
	d.located, d.said = true, h.Context
	c := schemas.OrZero(h.Context)
	c.Project = &schemas.Project{Name: path.Base(filepath.ToSlash(in.Path)), Path: in.Path, Branch: in.Branch, Commit: in.Commit}
	h.Context = &c
}

// few is what is kept of a working tree where no result is compared with it: some of the files that are in no commit.
func few(t *schemas.Tree) *schemas.Tree {
	if t == nil {
		return nil
	}
	kept := t.First(20)
	kept.Since, kept.Changed = "", nil
	return &kept
}

// sizes checks the limits on what is sent; the whole is checked when it is encoded. The error is invalid for a task
// that is empty, else limit, with the field. Task and title are measured in bytes, summary, detail and data in
// characters.
func (s *Service) sizes(in schemas.SendIn) error {
	if strings.TrimSpace(in.Task) == "" {
		return schemas.Invalidf("task", "must not be empty").WithHint("Say what is to be done. Nothing was sent.")
	}
	if err := s.checkTask(in.Task, in.Title); err != nil {
		return err
	}
	if tags := compose.Tags(in.Tags); len(tags) > maxTags {
		return schemas.Errorf(schemas.Limit, "%d tags, at most %d are allowed", len(tags), maxTags).
			WithField("tags").WithHint("Send fewer. Nothing was sent.")
	}
	return payloadSizes(in.Summary, in.Detail, in.Data)
}

// checkTask checks the lengths of task and title, in bytes.
func (s *Service) checkTask(task, title string) error {
	return cmp.Or(schemas.TooBig("task", len(task), s.Limits.Task), schemas.TooBig("title", len(title), s.Limits.Title))
}

// payloadSizes checks summary, detail and data, whose limits are fixed: a summary is read by every receiver, and detail
// and data share 65,536 characters, names of data included. The error names the field that is too long by itself, else
// data.
func payloadSizes(summary, detail string, data map[string]string) error {
	if err := schemas.TooLong("summary", utf8.RuneCountInString(summary), schemas.MaxSummary); err != nil {
		return err
	}
	field, size := "detail", utf8.RuneCountInString(detail)
	if size <= schemas.MaxDetail {
		field = "data"
	}
	for k, v := range data {
		size += utf8.RuneCountInString(k) + utf8.RuneCountInString(v)
	}
	return schemas.TooLong(field, size, schemas.MaxDetail)
}

// times reads the deadline, the time before which nobody may begin, and the durations. Durations in a deadline count
// from now.
func (d *draft) times(in schemas.SendIn, now time.Time) (err error) {
	if d.stated, err = schemas.ParseDeadline("deadline", in.Deadline, now); err != nil {
		return err
	}
	if d.notBefore, err = schemas.ParseTime("options.not_before", in.Options.NotBefore, now); err != nil {
		return err
	}
	timeout, estimate, err := durations(in.Expectations)
	if err != nil {
		return err
	}
	d.estimate, d.deadline = estimate, deadline(d.stated, now, timeout)
	return checkDeadline(d.deadline, d.notBefore, now)
}

// durations are the timeout and the estimate that somebody expects, zero for none. The error is invalid, with the path
// of the field in a send; an amendment puts it below changes.
func durations(expected *schemas.Expectations) (timeout, estimate time.Duration, err error) {
	e := schemas.OrZero(expected)
	if timeout, err = schemas.ParseDuration("expectations.timeout", e.Timeout); err != nil {
		return 0, 0, err
	}
	if e.Timeout != "" && timeout == 0 {
		return 0, 0, schemas.Invalidf("expectations.timeout", "%q leaves no time", e.Timeout).WithHint("Leave it out to set none.")
	}
	estimate, err = schemas.ParseDuration("expectations.estimated_duration", e.EstimatedDuration)
	return timeout, estimate, err
}

// deadline is the earlier of the one that was asked for and the end of the timeout, which counts from the send. Zero is
// none, for a timeout and for the result.
func deadline(stated, sent time.Time, timeout time.Duration) time.Time {
	if end := sent.Add(timeout); timeout > 0 && (stated.IsZero() || end.Before(stated)) {
		return end
	}
	return stated
}

// checkDeadline refuses a deadline that has passed, and one before which nobody may begin: such a handoff would end
// unread.
func checkDeadline(deadline, notBefore, now time.Time) error {
	switch {
	case deadline.IsZero():
		return nil
	case !deadline.After(now):
		return schemas.Invalidf("deadline", "%s is in the past", deadline.Format(time.RFC3339)).
			WithHint(`It is %s now. Give a later time, or a duration as "2h".`, now.UTC().Format(time.RFC3339))
	case !notBefore.IsZero() && !notBefore.Before(deadline):
		return schemas.Invalidf("options.not_before", "is not before the deadline").
			WithHint("Nobody could finish in time. Move one of them.")
	}
	return nil
}

// names checks what the caller names: the workflow, the agent for a failure, the schema, the limits, and a foreign id,
// which has 128 bytes at most. What these names lead to is looked up later, in the transaction: here only their form is
// judged.
func (d *draft) names(in schemas.SendIn) (err error) {
	if in.Workflow != "" {
		if d.workflow, err = schemas.ParseWorkflow("workflow", in.Workflow); err != nil {
			return err
		}
	}
	err = cmp.Or(checkNamed(in.Expectations, in.Rollback), schemas.CheckLimits("options.limits", in.Options.Limits))
	if err != nil {
		return err
	}
	d.parent, d.limits = in.Parent, in.Options.Limits
	if in.Origin != nil {
		return schemas.TooBig("origin.handoff_id", len(in.Origin.HandoffID), 128)
	}
	return nil
}

// onlyWork refuses in a message what only work has, so that nobody counts on it: a message is delivered at once, and
// nothing is owed for it. The error is invalid and names the first such field. Options that change nothing of a
// message, such as a reason, are let through.
func onlyWork(in schemas.SendIn) error {
	if in.Type != schemas.TypeMessage {
		return nil
	}
	opt := in.Options
	for _, f := range []struct {
		field string
		given bool
	}{
		{"context.references", in.Context != nil && slices.ContainsFunc(in.Context.References, sendsAlong)},
		{"expectations", in.Expectations != nil},
		{"rollback", in.Rollback != nil},
		{"deadline", in.Deadline != ""},
		{"workflow", in.Workflow != ""},
		{"options.after", len(opt.After) > 0},
		{"options.after_accepted", len(opt.AfterAccepted) > 0},
		{"options.needs_approval", opt.NeedsApproval},
		{"options.not_before", opt.NotBefore != ""},
		{"options.max_attempts", opt.MaxAttempts > 0},
		{"options.no_takers", opt.NoTakers != ""},
		{"options.limits", len(opt.Limits) > 0},
		{"options.each", opt.Each != nil},
		{"options.join", opt.Join != nil},
	} {
		if f.given {
			return schemas.Invalidf(f.field, "only work has this, and a message is only read").
				WithHint("Leave it out, or send work: any other type. Nothing was sent.")
		}
	}
	return nil
}

// foreignKey is the key of a message that has an id of its own: a sender that sends it again sends it once. It is ""
// for a message without an id.
func foreignKey(from *schemas.Origin) string {
	if id := schemas.OrZero(from).HandoffID; id != "" {
		return foreignPrefix + id
	}
	return ""
}

// foreignPrefix begins no key of a caller, since those have no control characters.
const foreignPrefix = "\x00handoff_id "

// checkNamed checks who takes the work back after a failure, the names of checks, who reviews, and the schema of the
// output.
func checkNamed(e *schemas.Expectations, rollback *schemas.Rollback) error {
	if to := schemas.OrZero(rollback).OnFailure; to != "" {
		if err := mailboxOf("rollback.on_failure", string(to)); err != nil {
			return err
		}
	}
	for i, name := range schemas.OrZero(e).Checks {
		if !schemas.IsWord(name) {
			return schemas.Invalidf(fmt.Sprintf("expectations.checks[%d]", i), "%q is no name of a check", schemas.Visible(schemas.Clip(name, 80))).
				WithHint("Name a check that .handoff/checks.yaml defines, as test: a handoff brings no commands. Nothing was sent.")
		}
	}
	if review := schemas.OrZero(e).Review; review != "" {
		if _, err := schemas.ParseAddress("expectations.review", review); err != nil {
			return err
		}
	}
	_, err := contract.Compile(schemas.OrZero(e).OutputSchema)
	return err
}

// mailboxOf checks that a name is of somebody who has a mailbox.
func mailboxOf(field, name string) error {
	address, err := schemas.ParseAddress(field, name)
	if err != nil {
		return err
	}
	if _, directed := address.Directed(); !directed {
		return schemas.Invalidf(field, "%q is not one agent", schemas.Visible(name)).WithHint("Name one agent, or human.")
	}
	return nil
}
