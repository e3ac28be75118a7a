package installed

import (
	"fmt"
	"iter"
	"maps"
	"slices"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/edit"
)

// HooksKey is used twice in a file: the outer key holds the events, the inner one the handlers of a group. For example:
// {"hooks": {"Stop": [{"hooks": [{"command": "handoff hook stop"}]}]}}.
const HooksKey = "hooks"

// A HookHandler is one command of a client on an event.
type HookHandler struct {
	Event         string
	Group, Number int    // of the group in the list of the event, and of the handler in the group; from 0
	Line          string // the shell command; empty if the handler has none
}

// HookHandlers yields all handlers of a file, of any author. The events come in alphabetical order.
func HookHandlers(doc edit.Document) iter.Seq[HookHandler] {
	value, _ := doc.Lookup(HooksKey)
	events, _ := value.(map[string]any)
	return func(yield func(HookHandler) bool) {
		for _, event := range slices.Sorted(maps.Keys(events)) {
			groups, _ := events[event].([]any)
			for g, group := range groups {
				for n, line := range commandLines(group) {
					if !yield(HookHandler{event, g, n, line}) {
						return
					}
				}
			}
		}
	}
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

// A HookFile is a file with at least one hook of ours, as [client.BeginsLikeHookLine] recognises it.
type HookFile struct {
	Path     string
	Handlers []HookHandler
}

// MostHooks is the greatest number of our hooks that a file may have. Setup does not change a file with more. Setup
// itself writes fewer hooks, and a hostile file with many hooks would take long to change.
const MostHooks = 40

// ErrHooks says that a file has more than [MostHooks].
var ErrHooks = fmt.Errorf("it has more than %d hooks of handoff, which nobody needs", MostHooks)

// HookFiles returns the files in which a client has hooks of ours, and the files that it cannot read. A hook is ours if
// it runs handoff, by any path, or one of the given programs. A file that belongs to the project and to the user counts
// as the user's.
func HookFiles(c client.Client, m client.Machine, programs ...string) (all []HookFile, unread []UnreadableFile) {
	if c.Hooks == nil {
		return nil, nil
	}
	for _, l := range listLocations(c.Hooks.ConfigPaths, m) {
		doc, err := l.openDocument(c.Hooks.Syntax, m)
		if err != nil {
			unread = append(unread, UnreadableFile{l.path, err})
			continue
		}
		f := HookFile{Path: l.path}
		for h := range HookHandlers(doc) {
			if client.BeginsLikeHookLine(h.Line, programs...) {
				f.Handlers = append(f.Handlers, h)
			}
		}
		switch {
		case len(f.Handlers) > MostHooks:
			unread = append(unread, UnreadableFile{l.path, ErrHooks})
		case len(f.Handlers) > 0:
			all = append(all, f)
		}
	}
	return all, unread
}
