package mailbox

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"handoff/mailbox/life"
	"handoff/mailbox/reading"
	"handoff/mailbox/rules"
	"handoff/schemas"
	"handoff/schemas/closest"
	"handoff/store"
)

// routed are the actions for which the files of a project may have rules, and how those call them. What a person
// refused, and what a holder failed with a way on of its own choice, no rule sends on.
var routed = map[life.Action]string{
	life.Send: "sent", life.Complete: "completed", life.Accept: "accepted", life.Return: "returned", life.Fail: "failed",
	life.Reject: "rejected", life.Expire: "timed_out", life.Exhaust: "timed_out", life.Cancel: "cancelled",
}

// compiledRules are the rules of the files as they were read last, so that they are compiled once.
type compiledRules struct {
	mu  sync.Mutex
	raw []byte
	set *rules.Set
}

// rules are the rules of all files as they stand in a snapshot, nil for none. It costs a scan of as many rows as there
// are files with rules.
func (s *Service) rules(v *store.View) (*rules.Set, error) {
	var raw []byte
	for row, err := range v.AllRules() {
		if err != nil {
			return nil, err
		}
		raw = append(append(raw, row.Value...), '\n')
	}
	if raw == nil {
		return nil, nil
	}
	c := s.compiled
	c.mu.Lock()
	defer c.mu.Unlock()
	if bytes.Equal(c.raw, raw) {
		return c.set, nil
	}
	var all store.DeclaredRules
	for d := json.NewDecoder(bytes.NewReader(raw)); d.More(); {
		var of store.DeclaredRules
		if err := d.Decode(&of); err != nil {
			return nil, err
		}
		all.Routes, all.Plans = append(all.Routes, of.Routes...), append(all.Plans, of.Plans...)
	}
	set, problems := rules.Compile(all.Routes, all.Plans)
	for _, p := range problems { // of a newer version that knew more
		s.Logger.Error("a rule was passed over", slog.String("problem", p.What))
	}
	c.raw, c.set = raw, set
	return set, nil
}

// checkRules refuses rules that cannot be read, with the path of what is wrong.
func checkRules(at string, of store.DeclaredRules) error {
	_, problems := rules.Compile(of.Routes, of.Plans)
	if len(problems) == 0 {
		return nil
	}
	p, list := problems[0], "routes"
	if p.Plan {
		list = "plans"
	}
	return schemas.Invalidf(strings.TrimSuffix(fmt.Sprintf("%s%s[%d].%s", at, list, p.At, p.Path), "."), "%s", p.What)
}

// firing gives what the rules send because of what happened, nil for nothing. What happened is committed already, so
// that its content can be read. Content that cannot be read fires nothing.
func (o *op) firing(h *happening) ([]rules.Sends, error) {
	on := routed[h.action]
	if on == "" || h.chosen {
		return nil, nil
	}
	set, err := o.rules(o.View)
	if err != nil || set.Empty(on) {
		return nil, err
	}
	facts, err := factsOf(o.View, h.now)
	if err != nil {
		o.Logger.Error("rules were passed over", slog.String("handoff", h.now.ID.String()), slog.Any("error", err))
		return nil, nil
	}
	return set.Fire(on, facts), nil
}

// factsOf gathers what rules know of a handoff.
func factsOf(v *store.View, r *store.Record) (*rules.Facts, error) {
	h, err := reading.Handoff(v, r)
	if err != nil {
		return nil, err
	}
	root, err := rootOf(v, r, h)
	if err != nil {
		return nil, err
	}
	f := rules.Facts{Handoff: rules.HandoffOf(h, r.To, r.Holder, r.Status), Root: root}
	f.Handoff.Round = max(r.Round, 1)
	switch r.Status { //nolint:exhaustive // nothing came of the others
	case schemas.Completed, schemas.Returned:
		var done schemas.Completion
		err = v.Saying(r.ID, r.Result, &done)
		f.Outcome = rules.Completed(done)
	case schemas.Failed, schemas.Rejected:
		var failure schemas.Failure
		err = v.Saying(r.ID, r.Result, &failure)
		f.Outcome = rules.Failed(failure)
	case schemas.TimedOut:
		f.Outcome.Summary = reading.WhyTimedOut(r)
	}
	f.Outcome.Status = cmp.Or(f.Outcome.Status, string(r.Status))
	return &f, err
}

// rootOf is the handoff at which the chain of another begins; within a plan, the first step of that. Its task is what was
// asked for first.
func rootOf(v *store.View, r *store.Record, h schemas.Handoff) (rules.Handoff, error) {
	plan, _, within := strings.Cut(h.Metadata.Step, "/")
	for r.Parent != 0 {
		parent, err := v.Record(r.Parent)
		if parent == nil || err != nil {
			return rules.Handoff{}, err
		}
		sent, err := reading.Handoff(v, parent)
		if err != nil {
			return rules.Handoff{}, err
		}
		if within && !strings.HasPrefix(sent.Metadata.Step, plan+"/") {
			break
		}
		r, h = parent, sent
	}
	root := rules.HandoffOf(h, r.To, r.Holder, r.Status)
	if h.Context != nil {
		root.Task = cmp.Or(h.Context.OriginalRequest, root.Task)
	}
	return root, nil
}

// sendRouted sends what the rules say, as children of the handoff to which something happened, and notes the first of
// them on it: as passed on where it was completed, else as what goes on in its place. It comes from system, so the owner
// of the workflow is asked and told.
//
// Each rule is carried out or not as a whole. One whose sends are refused, as at the end of a chain or of a budget,
// stops nothing: the owner of the workflow and human are told of it with the reason.
func (o *op) sendRouted(h *happening) (came outcome, err error) {
	for _, rule := range h.sends {
		var sent []schemas.SendOut
		err := o.alone(func() error {
			return o.actingAs(clockCaller, func() (err error) {
				sent, err = o.sendRule(h.now, rule)
				return err
			})
		})
		if err != nil {
			if err := o.tellUnsent(h.now, fmt.Sprintf("The rule %q could not send what follows %s", rule.Route, h.now.ID), err); err != nil {
				return came, err
			}
			continue
		}
		if came.forwarded == nil {
			came.forwarded = &sent[0]
			sent = sent[1:]
		}
		for _, other := range sent {
			came.forwarded.Warnings = append(came.forwarded.Warnings, fmt.Sprintf("%s sent %s to %s, too", rule.Route, other.HandoffID, other.To))
		}
	}
	if came.forwarded == nil || came.forwarded.HandoffID == 0 {
		return came, nil
	}
	return o.noteRouted(h.now.ID, came)
}

// noteRouted notes on a handoff what the rules sent because of it.
func (o *op) noteRouted(id schemas.ID, came outcome) (outcome, error) {
	r, err := o.Record(id)
	if err != nil || !r.Status.Ended() {
		return came, err
	}
	if came.successor, err = o.Record(came.forwarded.HandoffID); err != nil {
		return came, err
	}
	now := r.Clone()
	if r.Status == schemas.Completed {
		now.Forwarded = cmp.Or(r.Forwarded, came.successor.ID)
	} else {
		now.Successor = cmp.Or(r.Successor, came.successor.ID)
	}
	return came, o.commit(happening{action: life.Forward, was: r, now: &now, other: came.successor.ID})
}

// sendRule sends what one rule says.
func (o *op) sendRule(r *store.Record, rule rules.Sends) (sent []schemas.SendOut, err error) {
	var ids []string
	for _, part := range rule.Parts {
		out, err := o.sendPart(r, rule.Route, part, nil)
		if err != nil {
			return nil, err
		}
		sent, ids = append(sent, out), append(ids, ends(out)...)
	}
	if rule.Join == nil {
		return sent, nil
	}
	join, err := o.sendPart(r, rule.Route, *rule.Join, ids)
	return append(sent, join), err
}

// mostRuled is how many handoffs the rules send in one operation: rules for what is sent follow from each other.
const mostRuled = 100

// sendPart sends one handoff of a rule, with what came of the one before it: its summary, or why it did not end well.
func (o *op) sendPart(r *store.Record, route string, in schemas.SendIn, after []string) (schemas.SendOut, error) {
	if o.ruled++; o.ruled > mostRuled {
		return schemas.SendOut{}, schemas.Errorf(schemas.Limit, "the rules sent %d handoffs because of one call, the limit", mostRuled).
			WithHint("Rules for sent follow from what rules send: give them a condition that ends.")
	}
	in.Parent, in.Title = cmp.Or(in.Parent, r.ID.String()), strings.TrimSpace(schemas.Clip(in.Title, o.Limits.Title))
	in.Task = schemas.Clip(in.Task, o.Limits.Task) // what it says of the one before can be read there
	options := orZero(in.Options)
	options.Reason, options.After = cmp.Or(options.Reason, "by the rule "+route), append(options.After, after...)
	options.NoTakers = cmp.Or(options.NoTakers, "wait") // nobody watches it, so somebody is told
	in.Options = &options
	d, err := o.drafts(o.by, in, o.now)
	if err != nil {
		return schemas.SendOut{}, err
	}
	o.ruled += len(d.parts)
	for _, one := range append([]*draft{&d}, d.parts...) {
		if err := o.follows(r, one); err != nil {
			return schemas.SendOut{}, err
		}
	}
	out, err := o.deliver(&d)
	out.Warnings = nil // they speak to a sender, and not to who ended the handoff before
	return out, err
}

// follows puts into a draft of a rule what came of the handoff before it.
func (o *op) follows(r *store.Record, d *draft) error {
	switch r.Status { //nolint:exhaustive // the others say nothing that goes on
	case schemas.Completed:
		if d.handoff.Rollback == nil { // what fails goes back to who did the work before
			d.handoff.Rollback = &schemas.Rollback{OnFailure: r.Holder}
		}
		var done schemas.Completion
		if err := o.Saying(r.ID, r.Result, &done); err != nil {
			return err
		}
		d.handoff.Summary = cmp.Or(d.handoff.Summary, schemas.Clip(done.Summary, schemas.MaxSummary))
	case schemas.Failed, schemas.Rejected, schemas.TimedOut:
		why, err := o.lossOf(r)
		if err = cmp.Or(err, o.explain(r, &d.handoff, why)); err != nil {
			return err
		}
	}
	return o.encode(d)
}

// stepBack puts a handoff that takes work back to the step of a plan before that of r: when it is done, the step of r
// comes again, and what fails there goes back one step more. Outside of plans, and where a handoff on the way cannot be
// read, nothing is changed. The way is the chain of parents, which is short.
func (o *op) stepBack(r *store.Record, next *schemas.Handoff) {
	failed, err := reading.Handoff(o.View, r)
	plan, _, within := strings.Cut(failed.Metadata.Step, "/")
	at := failed.Metadata.Step
	for within && err == nil {
		parent := reading.Readable(o.View, r.Parent)
		if parent == nil {
			return
		}
		var before schemas.Handoff
		before, err = reading.Handoff(o.View, parent)
		if at == failed.Metadata.Step && parent.Status == schemas.Completed && strings.HasPrefix(before.Metadata.Step, plan+"/") {
			next.Metadata.Step, next.Rollback = before.Metadata.Step, before.Rollback
			return
		}
		r, at = parent, before.Metadata.Step
	}
}

// tellUnsent tells the owner of the workflow and human what was not sent, and why.
func (o *op) tellUnsent(r *store.Record, what string, why error) error {
	if _, err := o.markOver(); err != nil {
		return err
	}
	e := schemas.AsError(why)
	n := noticeOf(noticeTooDeep, r, fmt.Sprintf("%s: %s. %s", what, e.Error(), e.Hint))
	owner, err := reading.Principal(o.View, &store.Record{From: schemas.System, Workflow: r.Workflow})
	if err != nil || owner == schemas.Human {
		return cmp.Or(err, o.notify(schemas.Human, n))
	}
	return cmp.Or(o.notify(owner, n), o.notify(schemas.Human, n))
}

// begin gives the first step of the workflow that a send names as its address, and any other send as it is. The error
// is not_found for a workflow that no file declares.
func (s *Service) begin(ctx context.Context, in schemas.SendIn) (first schemas.SendIn, err error) {
	kind, name := schemas.Address(in.To).Kind()
	if kind != "workflow" {
		return in, nil
	}
	set, err := read(ctx, s, s.rules)
	if err != nil {
		return in, err
	}
	if first, ok := set.Begin(name, in); ok {
		first.Title = schemas.Clip(first.Title, s.Limits.Title)
		return first, nil
	}
	e := schemas.Errorf(schemas.NotFound, "there is no workflow %q", schemas.Visible(schemas.Clip(name, 80))).WithField("to").
		WithKnown(set.Plans()...)
	if meant := closest.Meant(name, set.Plans()); len(meant) > 0 {
		return in, e.WithHint("Closest: workflow:%s. Nothing was sent.", meant[0])
	}
	return in, e.WithHint("Files declare them under workflows: in .handoff/agents.yaml. Nothing was sent.").
		WithNext(schemas.Call(schemas.AgentsIn{}, "tells what is wrong with such a file"))
}

// warnOfName warns a sender that gave its chain the name of a workflow that a file declares: that name begins nothing.
func (o *op) warnOfName(in schemas.SendIn, out *schemas.SendOut) error {
	begun := in.Options != nil && in.Options.Step != ""
	if in.Workflow == "" || out.Parent != 0 || begun {
		return nil
	}
	set, err := o.rules(o.View)
	if err == nil && slices.Contains(set.Plans(), in.Workflow) {
		out.Warnings = append(out.Warnings, fmt.Sprintf("this is not a step of the workflow %s: a send to workflow:%s begins that",
			in.Workflow, in.Workflow))
	}
	return err
}

// TryRules says what rules would send because of what happened to a handoff last, and why others send nothing. Without
// rules those are tried that the files of the project declared. It changes nothing. The errors are not_found for the
// handoff, and invalid for a rule that cannot be read.
func (s *Service) TryRules(ctx context.Context, by schemas.Caller, in schemas.RulesTryIn) (schemas.RulesTryOut, error) {
	if err := checkRules("", store.DeclaredRules{Routes: in.Routes, Plans: in.Plans}); err != nil {
		return schemas.RulesTryOut{}, err
	}
	return read(ctx, s, func(v *store.View) (out schemas.RulesTryOut, err error) {
		r, err := reading.Find(v, in.HandoffID, by.Agent)
		if err != nil {
			return out, err
		}
		set, _ := rules.Compile(in.Routes, in.Plans)
		if len(in.Routes)+len(in.Plans) == 0 {
			if set, err = s.rules(v); set == nil || err != nil {
				return out, err
			}
		}
		facts, err := factsOf(v, r)
		if err != nil {
			return out, err
		}
		out = schemas.RulesTryOut{HandoffID: r.ID, On: string(r.Status)}
		if !r.Status.Ended() {
			out.On = routed[life.Send]
		}
		out.Routes = set.Try(out.On, facts)
		return out, nil
	})
}
