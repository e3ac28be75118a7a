package mailbox

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"

	"handoff/mailbox/life"
	"handoff/mailbox/operation"
	"handoff/mailbox/reading"
	"handoff/mailbox/rules"
	"handoff/schemas"
	"handoff/schemas/closest"
	"handoff/store"
)

// ruleSet is the rules of the files: those that send, and those that wait for a person's leave and send nothing.
type ruleSet struct {
	*rules.Set
	waiting *rules.Set
}

// compiledRules are the rules of the files as they were read last, so that they are compiled once.
type compiledRules struct {
	mu   sync.Mutex
	rows []store.Row
	set  ruleSet
}

// rules are the rules of all files as they stand in a snapshot. It costs a scan of as many rows as there are files with
// rules. What cannot be read is passed over and logged once, so that it stops nothing.
func (s *Service) rules(v *store.View) (ruleSet, error) {
	var rows []store.Row
	for row, err := range v.AllRules() {
		if err != nil {
			return ruleSet{}, err
		}
		rows = append(rows, store.Row{Key: bytes.Clone(row.Key), Value: bytes.Clone(row.Value)})
	}
	c := s.compiled
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.set.Set == nil || !slices.EqualFunc(c.rows, rows, sameRow) {
		c.rows, c.set = rows, s.compile(rows)
	}
	return c.set, nil
}

func sameRow(a, b store.Row) bool { return bytes.Equal(a.Key, b.Key) && bytes.Equal(a.Value, b.Value) }

// compile reads the rows of files.
func (s *Service) compile(rows []store.Row) ruleSet {
	all := ruleSet{&rules.Set{}, &rules.Set{Unread: true}}
	for _, row := range rows {
		var of store.DeclaredRules
		if err := schemas.Decode(row.Value, &of); err != nil {
			s.Logger.Error("the rules of a file were passed over", slog.Any("error", err))
			continue
		}
		set := all.Set
		if of.Unallowed {
			set = all.waiting
		}
		problems := append(all.waiting.Add(string(row.Key), nil, of.Earlier), set.Add(string(row.Key), of.Routes, of.Plans)...)
		for _, p := range problems { // of a newer version that knew more
			s.Logger.Error("a rule was passed over", slog.String("problem", p.What))
		}
	}
	return all
}

// begin gives the first step of the workflow that a send names as its address, in whose words it is, and any other send
// as it is. The error is not_found for a workflow that no file declares, and denied for one that waits for leave.
func (s *Service) begin(ctx context.Context, in schemas.SendIn) (first schemas.SendIn, words *schemas.SentBy, err error) {
	kind, name := schemas.Address(in.To).Kind()
	if kind != "workflow" {
		return in, nil, nil
	}
	set, err := operation.Read(ctx, s.engine, s.rules)
	if err != nil {
		return in, nil, err
	}
	if file := set.FileOf(name); file != "" {
		if first, err = set.Begin(name, in); err != nil {
			return in, nil, err
		}
		first.Title = schemas.Clip(first.Title, s.Limits.Title)
		return first, &schemas.SentBy{Rule: first.Options.Step, File: file}, nil
	}
	if file := set.waitingFile(name); file != "" {
		return in, nil, schemas.Errorf(schemas.Denied, "the workflow %s of %s waits for a person's leave", name, schemas.Visible(file)).
			WithField("to").WithHint("A person gives it on the command line: handoff allow. Nothing was sent.")
	}
	e := schemas.Errorf(schemas.NotFound, "there is no workflow %q", schemas.Visible(schemas.Clip(name, 80))).WithField("to").
		WithKnown(set.Plans()...)
	if meant := closest.Meant(name, set.Plans()); len(meant) > 0 {
		return in, nil, e.WithHint("Closest: workflow:%s. Nothing was sent.", meant[0])
	}
	return in, nil, e.WithHint("Files declare them under workflows: in .handoff/agents.yaml. Nothing was sent.").
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
	if err := rules.Check("", in.Routes, in.Plans); err != nil {
		return schemas.RulesTryOut{}, err
	}
	return operation.Read(ctx, s.engine, func(v *store.View) (out schemas.RulesTryOut, err error) {
		r, err := reading.Find(v, in.HandoffID, by.Agent)
		if err != nil {
			return out, err
		}
		set := ruleSet{waiting: &rules.Set{}}
		set.Set, _ = rules.Compile(in.Routes, in.Plans)
		if len(in.Routes)+len(in.Plans) == 0 {
			if set, err = s.rules(v); err != nil {
				return out, err
			}
		}
		facts, err := factsOf(v, r)
		if err != nil {
			return out, err
		}
		out = schemas.RulesTryOut{HandoffID: r.ID, On: string(r.Status)}
		if !r.Status.Ended() {
			out.On = occasions[life.Send]
		}
		out.Routes = append(set.Try(out.On, facts), set.waiting.Try(out.On, facts)...)
		return out, nil
	})
}
