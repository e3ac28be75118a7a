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

// Declarations holds the agents and rules that files declare. [ParseDeclarations] makes it. It also lists the files
// that no longer declare an agent.
type Declarations struct {
	Rules map[string]store.DeclaredRules // by file

	files  []string
	byName map[schemas.Agent]declaration
}

// ParseDeclarations checks the agents that files declare. If two files declare the same name, the later file counts. It
// stops at the first error, so that the store gets all files or none. The error comes from [CheckRegistration]. It does
// not check rules, see [Declarations.CheckRules].
func ParseDeclarations(in schemas.DeclareIn) (Declarations, error) {
	d := Declarations{Rules: map[string]store.DeclaredRules{}, byName: map[schemas.Agent]declaration{}}
	for i, f := range in.Files {
		d.files, f.Unallowed = append(d.files, f.Name), f.Unallowed || !in.Leave
		for _, earlier := range in.Files[:i] { // a plan replaces an earlier plan of the same name, unless a person permitted only the earlier plan
			rows := d.Rules[earlier.Name]
			if f.Unallowed && !rows.Unallowed {
				continue
			}
			rows.Plans = slices.DeleteFunc(rows.Plans, func(p schemas.Plan) bool {
				return slices.ContainsFunc(f.Plans, func(later schemas.Plan) bool { return p.Name == later.Name })
			})
			d.Rules[earlier.Name] = rows
		}
		d.Rules[f.Name] = store.DeclaredRules{
			Routes: f.Routes, Plans: slices.Clone(f.Plans), Unallowed: f.Unallowed && len(f.Routes)+len(f.Plans) > 0,
		}
		for _, a := range f.Agents {
			name, err := CheckRegistration(a)
			if err != nil {
				return Declarations{}, err
			}
			d.byName[name] = declaration{f.Name, a}
		}
	}
	return d, nil
}

// ChangedAgents returns the new rows of the agents that change: first agents that the store knows, then new agents.
// Each of these two groups is sorted by name. It does not change an agent that only a file outside of d declares.
func (d Declarations) ChangedAgents(v *store.View) (changed []store.Agent, err error) {
	known := map[schemas.Agent]bool{}
	for a, err := range v.Agents() {
		if err != nil {
			return nil, err
		}
		known[a.Card.Name] = true
		declared, ok := d.byName[a.Card.Name]
		if !ok && (a.Declared != nil || !a.Card.Registered) {
			role := sessions.RolePrefix(a.Card.Name, func(role schemas.Agent) bool { return d.byName[role].entry.Role == string(role) })
			declared, ok = d.byName[role]
		}
		switch {
		case ok && (a.Declared == nil || a.Card.DeclaredIn != declared.file || !reflect.DeepEqual(*a.Declared, declared.entry)):
			changed = append(changed, declared.applyTo(a))
		case !ok && slices.Contains(d.files, a.Card.DeclaredIn):
			changed = append(changed, removeDeclaration(a))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.byName)) {
		if !known[name] {
			changed = append(changed, d.byName[name].applyTo(store.Agent{Card: schemas.Card{Name: name}}))
		}
	}
	return changed, nil
}

// HasNewRules reports whether a file declares other rules than the store has for this file.
func (d Declarations) HasNewRules(v *store.View) (bool, error) {
	for name, declared := range d.Rules {
		stored, err := v.DeclaredRules(name)
		if err != nil || !reflect.DeepEqual(schemas.ValueOrZero(stored), declared) {
			return true, err
		}
	}
	return false, nil
}

// CheckRules returns an error if rules cannot be compiled. It checks each file alone, then all permitted files
// together, then all files that wait for permission together, as the server will compile them. The error comes from
// [rules.Check].
func (d Declarations) CheckRules() error {
	all := map[bool]store.DeclaredRules{}
	for i, name := range d.files {
		rows := d.Rules[name]
		if err := rules.Check(fmt.Sprintf("files[%d].", i), rows.Routes, rows.Plans); err != nil {
			return err
		}
		set := all[rows.Unallowed]
		all[rows.Unallowed] = store.DeclaredRules{Routes: append(set.Routes, rows.Routes...), Plans: append(set.Plans, rows.Plans...)}
	}
	return cmp.Or(rules.Check("", all[false].Routes, all[false].Plans), rules.Check("", all[true].Routes, all[true].Plans))
}

// declaration holds a file's entry for one agent. The entry for a role applies to each agent whose name begins with the
// role.
type declaration struct {
	file  string
	entry schemas.RegisterIn
}

// applyTo returns the row of an agent whose card comes from the file. The name, the claims, the session and the field
// Away stay. Only a registration of the agent changes Away.
func (d declaration) applyTo(a store.Agent) store.Agent {
	away := a.Card.Away
	a.Card, a.Declared = schemas.Card{Name: a.Card.Name, DeclaredIn: d.file}, &d.entry
	UpdateCard(&a.Card, d.entry)
	a.Card.Away = away || d.entry.Away
	return a
}

// removeDeclaration returns the row of an agent without the file's declaration. If the agent registered itself after
// the file declared it, its whole card stays, because the card does not say which fields came from the file.
func removeDeclaration(a store.Agent) store.Agent {
	was := declaration{a.Card.DeclaredIn, *a.Declared}.applyTo(a).Card
	own := !reflect.DeepEqual(was, a.Card)
	a.Card.DeclaredIn, a.Declared = "", nil
	if !own {
		a.Card = schemas.Card{Name: a.Card.Name, Away: a.Card.Away}
	}
	return a
}
