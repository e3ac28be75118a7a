package setup

import (
	"slices"

	"handoff/cmd/handoff/internal/client"
	"handoff/cmd/handoff/internal/setup/edit"
)

const hooksKey = "hooks"

// putHooks makes our hooks in a file those that are wished. The hooks of others keep their places.
func (w Wish) putHooks(c client.Client, doc *edit.JSON) error {
	wished := map[string][]any{}
	if w.Hooks {
		for _, f := range c.Groups(w.Call) {
			wished[f.Key] = f.Value.([]any)
		}
	}
	for _, event := range events(c, doc) {
		if edit.Same(ours(doc, event), wished[event]) {
			continue
		}
		if err := deleteHooks(doc, event); err != nil {
			return err
		}
		for _, group := range wished[event] {
			if err := doc.Append(group, hooksKey, event); err != nil {
				return err
			}
		}
	}
	return nil
}

// events gives the events for which there are hooks, or will be.
func events(c client.Client, doc *edit.JSON) (names []string) {
	seen := map[string]bool{}
	add := func(name string) {
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	for _, h := range c.Hooks.On {
		add(h.At)
	}
	there, _ := doc.Look(hooksKey)
	object, _ := there.(map[string]any)
	for name := range object { // those of older versions; the order does not matter, each is emptied alone
		add(name)
	}
	return names
}

// ours gives the groups of an event that hold nothing but hooks of ours. A group that we share counts as none, so
// that it is sorted out.
func ours(doc *edit.JSON, event string) []any {
	groups := []any(nil)
	all, _ := doc.Look(hooksKey, event)
	list, _ := all.([]any)
	for _, group := range list {
		mine, others := handlers(group)
		switch {
		case len(mine) > 0 && others > 0:
			return []any{"shared"}
		case len(mine) > 0:
			groups = append(groups, group)
		}
	}
	return groups
}

// handlers tells which commands of a group are ours, and how many are not.
func handlers(group any) (mine []int, others int) {
	object, _ := group.(map[string]any)
	list, _ := object[hooksKey].([]any)
	for i, h := range list {
		handler, _ := h.(map[string]any)
		if command, _ := handler["command"].(string); client.Made(command) {
			mine = append(mine, i)
		} else {
			others++
		}
	}
	return mine, others
}

// deleteHooks takes our hooks out of an event, from the last to the first.
func deleteHooks(doc *edit.JSON, event string) error {
	all, _ := doc.Look(hooksKey, event)
	list, _ := all.([]any)
	for g, group := range slices.Backward(list) {
		mine, others := handlers(group)
		if len(mine) > 0 && others == 0 {
			if err := doc.Delete(hooksKey, event, g); err != nil {
				return err
			}
			continue
		}
		for _, i := range slices.Backward(mine) {
			if err := doc.Delete(hooksKey, event, g, hooksKey, i); err != nil {
				return err
			}
		}
	}
	return nil
}
