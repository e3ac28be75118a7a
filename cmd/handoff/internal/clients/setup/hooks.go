package setup

import (
	"cmp"
	"slices"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/edit"
	"handoff/cmd/handoff/internal/clients/installed"
	"handoff/schemas"
)

// ourHooks gives access to our hooks in a file. A hook is ours if it runs handoff, by any path, or one of the programs
// in the field programs.
type ourHooks struct {
	*edit.JSON

	client   client.Client
	programs []string
	receipt  receipt
}

// handlersOn returns our hooks on the given events. Without events it returns all our hooks.
func (o ourHooks) handlersOn(events ...string) []client.HookHandler {
	return slices.DeleteFunc(installed.HookHandlers(o), func(h client.HookHandler) bool {
		_, ours := client.ParseHookLine(h.Line, o.programs...)
		return !ours || events != nil && !slices.Contains(events, h.Event)
	})
}

// replaceWith replaces our hooks by the hooks of the desired setup. It leaves the hooks of other authors in their
// places. It removes an event's list and the object of all events if they are empty and setup made them. The error is
// [installed.ErrHooks] if the file has more than [installed.MostHooks] of our hooks. After an error the document must
// not be used.
func (o ourHooks) replaceWith(d DesiredSetup) (err error) {
	there := o.handlersOn()
	if len(there) > installed.MostHooks {
		return installed.ErrHooks
	}
	events := schemas.Map(there, func(h client.HookHandler) string { return h.Event }) // an earlier version may have had others
	groups := map[string][]any{}
	if d.Hooks {
		for _, f := range o.client.HookGroups(d.Call) {
			events, groups[f.Key] = append(events, f.Key), f.Value.([]any)
		}
	}
	for _, event := range schemas.Unique(events) {
		if edit.SameValue(o.groupsOn(event), groups[event]) {
			continue
		}
		err = cmp.Or(err, o.deleteHandlers(event))
		for _, group := range groups[event] {
			err = cmp.Or(err, o.Append(group, installed.HooksKey, event))
		}
		for _, path := range []keyPath{{installed.HooksKey, event}, {installed.HooksKey}} {
			if left, _ := o.Lookup(path...); edit.IsEmptyContainer(left) && o.receipt.createdBySetup(path) {
				err = cmp.Or(err, o.Delete(path...))
			}
		}
	}
	return err
}

// groupsOn returns the groups on an event that contain one of our hooks. A group may also contain hooks of other
// authors. Such a group differs from every group that setup writes, so [ourHooks.replaceWith] takes our hooks out of
// it.
func (o ourHooks) groupsOn(event string) []any {
	indices := schemas.Map(o.handlersOn(event), func(h client.HookHandler) int { return h.Group })
	return schemas.Map(schemas.Unique(indices), func(i int) any {
		group, _ := o.Lookup(installed.HooksKey, event, i)
		return group
	})
}

// deleteHandlers removes our hooks from an event, beginning with the last one, so that the indices of the others stay
// valid. It also removes groups that become empty.
func (o ourHooks) deleteHandlers(event string) (err error) {
	for _, h := range slices.Backward(o.handlersOn(event)) {
		group := keyPath{installed.HooksKey, event, h.Group}
		err = cmp.Or(err, o.Delete(group.withSteps(installed.HooksKey, h.Number)...))
		if left, _ := o.Lookup(group.withSteps(installed.HooksKey)...); edit.IsEmptyContainer(left) {
			err = cmp.Or(err, o.Delete(group...))
		}
	}
	return err
}
