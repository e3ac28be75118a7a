package card

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"handoff/mailbox/rules"
	"handoff/mailbox/sessions"
	"handoff/schemas"
	"handoff/store"
)

// Declared is what some files say of agents, and their rules. [ParseDeclared] makes it. Files has each file that was
// read, also one that declares nobody now, so that what it declared before is taken back.
type Declared struct {
	Rules map[string]store.DeclaredRules // by file

	files []string
	of    map[schemas.Agent]declaration
}

// ParseDeclared checks what files say, before any transaction. Where two files declare one name the later one counts.
// The error is that of [Check]; the first one ends it, so all of it is kept or nothing. Rules are checked by
// [Declared.CheckRules] alone.
func ParseDeclared(in schemas.DeclareIn) (Declared, error) {
	d := Declared{Rules: map[string]store.DeclaredRules{}, of: map[schemas.Agent]declaration{}}
	for i, f := range in.Files {
		d.files, f.Unallowed = append(d.files, f.Name), f.Unallowed || !in.Leave
		for _, earlier := range in.Files[:i] { // a plan of the same name takes the place of an earlier one, unless only that has leave
			of := d.Rules[earlier.Name]
			if f.Unallowed && !of.Unallowed {
				continue
			}
			of.Plans = slices.DeleteFunc(of.Plans, func(p schemas.Plan) bool {
				return slices.ContainsFunc(f.Plans, func(later schemas.Plan) bool { return p.Name == later.Name })
			})
			d.Rules[earlier.Name] = of
		}
		d.Rules[f.Name] = store.DeclaredRules{
			Routes: f.Routes, Plans: slices.Clone(f.Plans), Unallowed: f.Unallowed && len(f.Routes)+len(f.Plans) > 0,
		}
		for _, a := range f.Agents {
			name, err := Check(a)
			if err != nil {
				return Declared{}, err
			}
			d.of[name] = declaration{f.Name, a}
		}
	}
	return d, nil
}

// Changes gives the rows of agents that are to be others, as they are to be.
//
// Known agents come by name, then the new ones by name, so the events have the same order each time. It reads the rows
// of all agents. What another file declared is left alone, unless one of these declares it, too.
func (d Declared) Changes(v *store.View) (changed []store.Agent, err error) {
	known := map[schemas.Agent]bool{}
	for a, err := range v.Agents() {
		if err != nil {
			return nil, err
		}
		known[a.Card.Name] = true
		now, is := d.of[a.Card.Name]
		if !is && (a.Declared != nil || !a.Card.Registered) {
			role := sessions.RolePrefix(a.Card.Name, func(role schemas.Agent) bool { return d.of[role].said.Role == string(role) })
			now, is = d.of[role]
		}
		switch {
		case is && (a.Declared == nil || a.Card.DeclaredIn != now.file || !reflect.DeepEqual(*a.Declared, now.said)):
			changed = append(changed, now.declare(a))
		case !is && slices.Contains(d.files, a.Card.DeclaredIn):
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

// OtherRules tells whether a file declares other rules than before.
func (d Declared) OtherRules(v *store.View) (bool, error) {
	for name, said := range d.Rules {
		before, err := v.RulesOf(name)
		if err != nil || !reflect.DeepEqual(schemas.OrZero(before), said) {
			return true, err
		}
	}
	return false, nil
}

// CheckRules refuses rules that cannot be read: those of each file, and then those of all that have leave and of all
// that wait for it, since they are compiled together. The error is that of [rules.Check].
func (d Declared) CheckRules() error {
	all := map[bool]store.DeclaredRules{}
	for i, name := range d.files {
		of := d.Rules[name]
		if err := rules.Check(fmt.Sprintf("files[%d].", i), of.Routes, of.Plans); err != nil {
			return err
		}
		so := all[of.Unallowed]
		all[of.Unallowed] = store.DeclaredRules{Routes: append(so.Routes, of.Routes...), Plans: append(so.Plans, of.Plans...)}
	}
	return cmp.Or(rules.Check("", all[false].Routes, all[false].Plans), rules.Check("", all[true].Routes, all[true].Plans))
}

// declaration is what a file says of one agent. It may be about a role, and then stands for each agent whose name
// begins with that.
type declaration struct {
	file string
	said schemas.RegisterIn
}

// declare gives the row of an agent as a file says. The name, when it was seen, its claims and its session stay. Away
// stays, too, whoever said it: an agent that is away is back when it registers, and not when a file leaves the word
// out.
func (d declaration) declare(a store.Agent) store.Agent {
	away := a.Card.Away
	a.Card, a.Declared = schemas.Card{Name: a.Card.Name, DeclaredIn: d.file}, &d.said
	Register(&a.Card, d.said)
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
