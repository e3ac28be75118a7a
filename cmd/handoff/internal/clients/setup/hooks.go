package setup

import (
	"slices"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/edit"
	"handoff/cmd/handoff/internal/clients/installed"
	"handoff/schemas"
)

// ownParts gives access to our hooks in a file. A hook is ours if it runs handoff, by any path, or one of the programs
// in the field programs.
type ownParts struct {
	*edit.JSON

	client   client.Client
	programs []string
	receipt  receipt
}

// oursIn finds our hooks in a file. They may run the program of the desired setup or the program of the receipt, and
// these programs may have other names than handoff. The error is [installed.ErrHooks] if there are more than
// [installed.MostHooks], because setup removes each hook in a step of its own.
func (d Desired) oursIn(doc *edit.JSON, c client.Client, r receipt) (ownParts, error) {
	o := ownParts{doc, c, []string{d.Call.Program, r.Options.Call.Program}, r}
	if len(o.all()) > installed.MostHooks {
		return o, installed.ErrHooks
	}
	return o, nil
}

// all returns our hooks on the given events, or on all events if none is given.
func (o ownParts) all(events ...string) (all []installed.Handler) {
	for h := range installed.Handlers(o) {
		if client.IsHookLine(h.Line, o.programs...) && (events == nil || slices.Contains(events, h.Event)) {
			all = append(all, h)
		}
	}
	return all
}

// put replaces our hooks by the hooks of the desired setup. The hooks of other authors stay in their places.
func (o ownParts) put(d Desired) error {
	groups := map[string][]any{}
	if d.Hooks {
		for _, f := range o.client.Groups(d.Call) {
			groups[f.Key] = f.Value.([]any)
		}
	}
	for _, event := range o.events() {
		if edit.Same(o.groups(event), groups[event]) {
			continue
		}
		take := o.delete
		if len(groups[event]) == 0 {
			take = o.clear
		}
		if err := take(event); err != nil {
			return err
		}
		for _, group := range groups[event] {
			if err := o.Append(group, installed.HooksKey, event); err != nil {
				return err
			}
		}
	}
	return nil
}

// events returns the events on which this version sets a hook, and the events on which an earlier version left one in
// the file.
func (o ownParts) events() []string {
	now := schemas.Map(o.client.Hooks.Commands, func(h client.Hook) string { return h.EventName })
	there := schemas.Map(o.all(), func(h installed.Handler) string { return h.Event }) // of older versions too
	return schemas.Unique(append(now, there...))
}

// groups returns the groups on an event that contain hooks of ours. A group with hooks of other authors in it never
// equals a group that setup writes, so put removes our hooks from it.
func (o ownParts) groups(event string) (groups []any) {
	last := -1
	for _, h := range o.all(event) {
		if h.Group == last {
			continue
		}
		last = h.Group
		group, _ := o.Look(installed.HooksKey, event, h.Group)
		groups = append(groups, group)
	}
	return groups
}

// clear removes our hooks from an event. If the list of the event is then empty, it removes the list as well, and in
// the same way the object of all events. It removes only lists and objects that setup made, according to the receipt.
func (o ownParts) clear(event string) error {
	if len(o.all(event)) == 0 {
		return nil
	}
	if err := o.delete(event); err != nil {
		return err
	}
	for _, path := range []keyPath{{installed.HooksKey, event}, {installed.HooksKey}} {
		if left, _ := o.Look(path...); !edit.IsEmpty(left) || !o.receipt.createdBySetup(path) {
			return nil
		}
		if err := o.Delete(path...); err != nil {
			return err
		}
	}
	return nil
}

// delete removes our hooks from an event, beginning with the last one, and removes the groups that become empty.
func (o ownParts) delete(event string) error {
	for _, h := range slices.Backward(o.all(event)) {
		group := keyPath{installed.HooksKey, event, h.Group}
		if err := o.Delete(group.to(installed.HooksKey, h.Number)...); err != nil {
			return err
		}
		if left, _ := o.Look(group.to(installed.HooksKey)...); !edit.IsEmpty(left) {
			continue
		}
		if err := o.Delete(group...); err != nil {
			return err
		}
	}
	return nil
}
