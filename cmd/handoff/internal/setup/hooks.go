package setup

import (
	"slices"

	"handoff/cmd/handoff/internal/client"
	"handoff/cmd/handoff/internal/edit"
	"handoff/cmd/handoff/internal/installed"
)

// putHooks makes our hooks in a file those that are wished. The hooks of others keep their places.
func (w Wish) putHooks(c client.Client, doc *edit.JSON) error {
	wished := map[string][]any{}
	if w.Hooks {
		for _, f := range c.Groups(w.Call) {
			wished[f.Key] = f.Value.([]any)
		}
	}
	for _, event := range events(c, doc) {
		if edit.Same(ourGroups(doc, event), wished[event]) {
			continue
		}
		if err := deleteHooks(doc, event); err != nil {
			return err
		}
		for _, group := range wished[event] {
			if err := doc.Append(group, installed.HooksKey, event); err != nil {
				return err
			}
		}
	}
	return nil
}

// events gives the events on which we run something, or did.
func events(c client.Client, doc *edit.JSON) (names []string) {
	add := func(name string) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, h := range c.Hooks.On {
		add(h.At)
	}
	for h := range installed.Handlers(doc) { // of older versions too
		if client.IsHookLine(h.Line) {
			add(h.Event)
		}
	}
	return names
}

// ourHandlers gives those of an event that run nothing but a hook of ours.
func ourHandlers(doc *edit.JSON, event string) (all []installed.Handler) {
	for h := range installed.Handlers(doc) {
		if h.Event == event && client.IsHookLine(h.Line) {
			all = append(all, h)
		}
	}
	return all
}

// ourGroups gives the groups of an event in which there are hooks of ours. One that others share is none that we make, so
// that it is sorted out.
func ourGroups(doc *edit.JSON, event string) (groups []any) {
	last := -1
	for _, h := range ourHandlers(doc, event) {
		if h.Group == last {
			continue
		}
		last = h.Group
		group, _ := doc.Look(installed.HooksKey, event, h.Group)
		groups = append(groups, group)
	}
	return groups
}

// deleteHooks takes our hooks out of an event, from the last to the first, and the groups that are empty then.
func deleteHooks(doc *edit.JSON, event string) error {
	for _, h := range slices.Backward(ourHandlers(doc, event)) {
		group := way{installed.HooksKey, event, h.Group}
		if err := doc.Delete(group.to(installed.HooksKey, h.Number)...); err != nil {
			return err
		}
		if left, _ := doc.Look(group.to(installed.HooksKey)...); !edit.IsEmpty(left) {
			continue
		}
		if err := doc.Delete(group...); err != nil {
			return err
		}
	}
	return nil
}
