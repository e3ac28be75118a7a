package mailbox

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"handoff/mailbox/life"
	"handoff/mailbox/roster"
	"handoff/mailbox/sessions"
	"handoff/schemas"
	"handoff/store"
)

// Declare keeps what files say of agents. The process that has a project calls it with all that the files of the project
// say, and only what is new or differs from what was declared before is kept, so that a repetition costs no write. An
// agent that a file declares is known before anybody saw it, and qualifies for pools as if it had registered. A
// declaration that differs takes the place of all that is known of the agent but whether it is away; one that does not
// leaves what the agent said of itself since.
//
// What a role says holds for each agent whose name begins with it, unless that one is declared or registered itself. Of
// an agent that no file of these declares any more only what it said itself stays.
//
// The rules of a file take the place of those that it declared before.
//
// The digest of the declaration is kept with it, see [Service.Declared].
//
// The error is that of [Service.Register] for the first agent that could not register so, and invalid for a rule that
// cannot be read. Then nothing is changed.
//
// What differs is looked for on a snapshot first and again in the transaction, because another process may have
// declared the same in between. Each agent that changes is one event, in the name of system, and wakes those who wait
// for mail of its pools. The result names these agents.
func (s *Service) Declare(ctx context.Context, by schemas.Caller, in schemas.DeclareIn) (schemas.DeclareOut, error) {
	said, err := declarations(in)
	if err != nil {
		return schemas.DeclareOut{}, err
	}
	last, err := look(ctx, s, (*store.View).Declared)
	if err != nil {
		return schemas.DeclareOut{}, err
	}
	agents, err := read(ctx, s, said.changes)
	if err != nil {
		return schemas.DeclareOut{}, err
	}
	rules, err := look(ctx, s, said.otherRules)
	if err != nil || len(agents) == 0 && !rules && in.Digest == last {
		return schemas.DeclareOut{}, err
	}
	if rules {
		var all store.DeclaredRules // they are compiled together
		for i, f := range in.Files {
			of := said.rules[f.Name]
			if err := checkRules(fmt.Sprintf("files[%d].", i), of); err != nil {
				return schemas.DeclareOut{}, err
			}
			all.Routes, all.Plans = append(all.Routes, of.Routes...), append(all.Plans, of.Plans...)
		}
		if err := checkRules("", all); err != nil {
			return schemas.DeclareOut{}, err
		}
	}
	by.Agent = schemas.System // a file speaks, whoever made the call after which it was read
	return mutate(ctx, s, by, func(o *op) (out schemas.DeclareOut, err error) {
		changed, err := said.changes(o.View)
		if err != nil {
			return out, err
		}
		for _, a := range changed {
			out.Changed = append(out.Changed, a.Card.Name)
			if err := cmp.Or(o.putDeclared(a), o.record(life.Register, a.Card)); err != nil {
				return out, err
			}
			o.boxes = append(o.boxes, roster.Boxes(a.Card)...)
		}
		for _, name := range slices.Sorted(maps.Keys(said.rules)) {
			changed, err := o.tx.PutRules(name, said.rules[name])
			if err != nil {
				return out, err
			}
			if changed {
				out.Rules = append(out.Rules, name)
				if err := o.record(life.Declare, said.rules[name]); err != nil {
					return out, err
				}
			}
		}
		return out, o.tx.PutDeclared(in.Digest)
	})
}

// Declared gives the digest of what was declared last. Whoever would declare the same again need not: nothing but
// another declaration changes what a repetition would find.
func (s *Service) Declared(ctx context.Context, _ schemas.Caller, _ schemas.DeclaredIn) (schemas.DeclaredOut, error) {
	last, err := look(ctx, s, (*store.View).Declared)
	return schemas.DeclaredOut{Digest: last}, err
}

// otherRules tells whether a file declares other rules than before.
func (d declared) otherRules(v *store.View) (bool, error) {
	for name, said := range d.rules {
		before, err := v.RulesOf(name)
		if err != nil || !reflect.DeepEqual(schemas.OrZero(before), said) {
			return true, err
		}
	}
	return false, nil
}

// putDeclared keeps the row of an agent, unless nothing is known of it any more. The row goes where nobody was seen
// under the name or claimed, and nothing is said of it. Mail of that name stays, and whoever acts as it later begins a
// new row.
func (o *op) putDeclared(a store.Agent) error {
	if a.Seen == 0 && a.Claims == 0 && !a.Card.Registered && !a.Card.Away {
		return o.tx.DropAgent(a.Card.Name)
	}
	return o.tx.PutAgent(a)
}

// declared is what some files say of agents. Files has each file that was read, also one that declares nobody now, so
// that what it declared before is taken back.
type declared struct {
	files map[string]bool
	of    map[schemas.Agent]declaration
	rules map[string]store.DeclaredRules // by file
}

// declaration is what a file says of one agent. It may be about a role, and then stands for each agent whose name
// begins with that.
type declaration struct {
	file string
	said schemas.RegisterIn
}

// declarations checks what files say, before any transaction. Where two files declare one name the later one counts.
// The error is that of [Service.Register]; the first one ends it, so all of it is kept or nothing.
func declarations(in schemas.DeclareIn) (declared, error) {
	d := declared{map[string]bool{}, map[schemas.Agent]declaration{}, map[string]store.DeclaredRules{}}
	for i, f := range in.Files {
		d.files[f.Name] = true
		for _, earlier := range in.Files[:i] { // a plan of the same name takes the place of an earlier one
			of := d.rules[earlier.Name]
			of.Plans = slices.DeleteFunc(of.Plans, func(p schemas.Plan) bool {
				return slices.ContainsFunc(f.Plans, func(later schemas.Plan) bool { return p.Name == later.Name })
			})
			d.rules[earlier.Name] = of
		}
		d.rules[f.Name] = store.DeclaredRules{Routes: f.Routes, Plans: slices.Clone(f.Plans)}
		for _, a := range f.Agents {
			name, err := checkRegistration(a)
			if err != nil {
				return declared{}, err
			}
			d.of[name] = declaration{f.Name, a}
		}
	}
	return d, nil
}

// changes gives the rows that are to be others, as they are to be.
//
// Known agents come by name, then the new ones by name, so the events have the same order each time. It reads the rows
// of all agents. What another file declared is left alone, unless one of these declares it, too.
func (d declared) changes(v *store.View) (changed []store.Agent, err error) {
	known := map[schemas.Agent]bool{}
	for a, err := range v.Agents() {
		if err != nil {
			return nil, err
		}
		known[a.Card.Name] = true
		now, is := d.of[a.Card.Name]
		if !is && (a.Declared != nil || !a.Card.Registered) {
			role := sessions.RoleOf(a.Card.Name, func(role schemas.Agent) bool { return d.of[role].said.Role == string(role) })
			now, is = d.of[role]
		}
		switch {
		case is && (a.Declared == nil || a.Card.DeclaredIn != now.file || !reflect.DeepEqual(*a.Declared, now.said)):
			changed = append(changed, now.declare(a))
		case !is && d.files[a.Card.DeclaredIn]:
			changed = append(changed, undeclare(a))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.of)) {
		if !known[name] {
			changed = append(changed, d.of[name].declare(store.Agent{Card: schemas.Card{Name: name}}))
		}
	}
	return changed, nil
}

// declare gives the row of an agent as a file says. The name, when it was seen, its claims and its session stay. Away
// stays, too, whoever said it: an agent that is away is back when it registers, and not when a file leaves the word
// out.
func (d declaration) declare(a store.Agent) store.Agent {
	away := a.Card.Away
	a.Card, a.Declared = schemas.Card{Name: a.Card.Name, DeclaredIn: d.file}, &d.said
	register(&a.Card, d.said)
	a.Card.Away = away || d.said.Away
	return a
}

// undeclare gives the row of an agent as it is without a file: what the agent said of itself since stays.
//
// It makes anew what the declaration alone would give, and compares that with the card: where they differ the agent
// said something since, and the whole card stays, with what the file said, since the two cannot be told apart.
func undeclare(a store.Agent) store.Agent {
	was := declaration{a.Card.DeclaredIn, *a.Declared}.declare(a).Card
	own := !reflect.DeepEqual(was, a.Card)
	a.Card.DeclaredIn, a.Declared = "", nil
	if !own {
		a.Card = schemas.Card{Name: a.Card.Name, Away: a.Card.Away}
	}
	return a
}
