package setup

import (
	"slices"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/edit"
	"handoff/cmd/handoff/internal/clients/installed"
	"handoff/schemas"
)

// ours are the hooks of handoff in a file. They run handoff, by any path, or one of the programs.
type ours struct {
	*edit.JSON

	client   client.Client
	programs []string
	receipt  receipt
}

// oursIn gives our hooks. The programs are those of desired and of the receipt: handoff may have another name there.
// The error is [installed.ErrHooks] if there are more than anybody needs: each of them would be taken out by itself.
func (d Desired) oursIn(doc *edit.JSON, c client.Client, r receipt) (ours, error) {
	o := ours{doc, c, []string{d.Call.Program, r.Told.Call.Program}, r}
	if len(o.all()) > installed.MostHooks {
		return o, installed.ErrHooks
	}
	return o, nil
}

// all gives our hooks in all events, or in some of them.
func (o ours) all(events ...string) (all []installed.Handler) {
	for h := range installed.Handlers(o) {
		if client.IsHookLine(h.Line, o.programs...) && (events == nil || slices.Contains(events, h.Event)) {
			all = append(all, h)
		}
	}
	return all
}

// put makes our hooks those that are desired. It moves no hook of others.
func (o ours) put(d Desired) error {
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

// events gives the events on which we run something, or did.
func (o ours) events() []string {
	now := schemas.Map(o.client.Hooks.Commands, func(h client.Hook) string { return h.EventName })
	there := schemas.Map(o.all(), func(h installed.Handler) string { return h.Event }) // of older versions too
	return schemas.Unique(append(now, there...))
}

// groups gives the groups of an event in which there are hooks of ours. One that others share is none that we make,
// so that it is sorted out.
func (o ours) groups(event string) (groups []any) {
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

// clear takes our hooks out of an event, and what is empty without them: the list of the event, and the object of all
// events. What a receipt does not name as made by setup stays.
func (o ours) clear(event string) error {
	if len(o.all(event)) == 0 {
		return nil
	}
	if err := o.delete(event); err != nil {
		return err
	}
	for _, path := range []keyPath{{installed.HooksKey, event}, {installed.HooksKey}} {
		if left, _ := o.Look(path...); !edit.IsEmpty(left) || !o.receipt.made(path) {
			return nil
		}
		if err := o.Delete(path...); err != nil {
			return err
		}
	}
	return nil
}

// delete takes our hooks out of an event, from the last to the first, and the groups that are empty then.
func (o ours) delete(event string) error {
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
