package installed

import (
	"fmt"
	"maps"
	"slices"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/edit"
)

// HooksKey is used twice in a file: the outer key holds the events, the inner one the handlers of a group. For example:
// {"hooks": {"Stop": [{"hooks": [{"command": "handoff hook stop"}]}]}}.
const HooksKey = "hooks"

// HookHandlers returns all handlers of a file, of any author. The events come in alphabetical order.
func HookHandlers(doc edit.Document) (all []client.HookHandler) {
	value, _ := doc.Lookup(HooksKey)
	events, _ := value.(map[string]any)
	for _, event := range slices.Sorted(maps.Keys(events)) {
		groups, _ := events[event].([]any)
		for g, group := range groups {
			for n, line := range commandLines(group) {
				all = append(all, client.HookHandler{Event: event, Group: g, Number: n, Line: line})
			}
		}
	}
	return all
}

func commandLines(group any) (all []string) {
	object, _ := group.(map[string]any)
	handlers, _ := object[HooksKey].([]any)
	for _, value := range handlers {
		handler, _ := value.(map[string]any)
		line, _ := handler["command"].(string)
		all = append(all, line)
	}
	return all
}

// MostHooks is the greatest number of our hooks that a file may have. Setup does not change a file with more. Setup
// itself writes fewer hooks, and a hostile file with many hooks would take long to change.
const MostHooks = 40

// ErrHooks says that a file has more than [MostHooks].
var ErrHooks = fmt.Errorf("it has more than %d hooks of handoff, which nobody needs", MostHooks)

// HookFiles returns the files in which a client has hooks of ours, and the files that it cannot read. A hook is ours if
// it runs handoff, by any path, or one of the given programs. A file that belongs to the project and to the user counts
// as the user's.
func HookFiles(c client.Client, m client.Machine, programs ...string) (all []client.HookFile, unread []UnreadableFile) {
	if c.Hooks == nil {
		return nil, nil
	}
	unread = readDocuments(c.Hooks.ConfigPaths, m, func(l listLocation, doc edit.Document) error {
		others := func(h client.HookHandler) bool { return !client.BeginsLikeHookLine(h.Line, programs...) }
		ours := slices.DeleteFunc(HookHandlers(doc), others)
		if len(ours) > MostHooks {
			return ErrHooks
		}
		if len(ours) > 0 {
			all = append(all, client.HookFile{Path: l.path, Handlers: ours})
		}
		return nil
	})
	return all, unread
}
