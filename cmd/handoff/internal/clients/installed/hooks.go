package installed

import (
	"fmt"
	"iter"
	"maps"
	"slices"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/edit"
)

// HooksKey leads to the object with a list for each event, and in a group of such a list to its handlers.
const HooksKey = "hooks"

// A Handler is what a client runs on an event.
type Handler struct {
	Event         string
	Group, Number int    // of the group in the list of the event, and of the handler in the group; from 0
	Line          string // of a shell; empty where it is something else
}

// Handlers walks over what a client runs, ours or not. The events come in the order of their letters.
func Handlers(doc edit.Document) iter.Seq[Handler] {
	value, _ := doc.Look(HooksKey)
	events, _ := value.(map[string]any)
	return func(yield func(Handler) bool) {
		for _, event := range slices.Sorted(maps.Keys(events)) {
			groups, _ := events[event].([]any)
			for g, group := range groups {
				for n, line := range lines(group) {
					if !yield(Handler{event, g, n, line}) {
						return
					}
				}
			}
		}
	}
}

func lines(group any) (all []string) {
	object, _ := group.(map[string]any)
	handlers, _ := object[HooksKey].([]any)
	for _, value := range handlers {
		handler, _ := value.(map[string]any)
		line, _ := handler["command"].(string)
		all = append(all, line)
	}
	return all
}

// A HookFile is a file with hooks that begin as ours do.
type HookFile struct {
	Client   client.Client
	Path     string
	Shared   bool // it came with the project, and is not the user's
	Handlers []Handler
}

// MostHooks is how many hooks of ours a file may have. Setup writes fewer, and each of them may be tried or taken
// out.
const MostHooks = 40

// ErrHooks says that a file has more than [MostHooks].
var ErrHooks = fmt.Errorf("it has more than %d hooks of handoff, which nobody needs", MostHooks)

// Hooks gives the files in which a client has hooks of ours, and those that do not tell. Where the same file is that
// of the user and of the project, it is the user's. Ours are those that run handoff, by any path, or one of these
// programs.
func Hooks(c client.Client, m client.Machine, programs ...string) (all []HookFile, unread []Unread) {
	if c.Hooks == nil {
		return nil, nil
	}
	for _, p := range places(c.Hooks.Files, m) {
		doc, err := p.open(c.Hooks.Syntax, m)
		if err != nil {
			unread = append(unread, Unread{p.path, err})
			continue
		}
		f := HookFile{Client: c, Path: p.path, Shared: p.isShared(m)}
		for h := range Handlers(doc) {
			if client.BeginsAsHookLine(h.Line, programs...) {
				f.Handlers = append(f.Handlers, h)
			}
		}
		switch {
		case len(f.Handlers) > MostHooks:
			unread = append(unread, Unread{p.path, ErrHooks})
		case len(f.Handlers) > 0:
			all = append(all, f)
		}
	}
	return all, unread
}
