package doctor

import (
	"slices"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/installed"
	"handoff/cmd/handoff/internal/shell"
)

// trust examines whether a client runs what its files say: some clients ask a person first.
func (in *installation) trust() (all []Finding) {
	if in.client.Doubts == nil {
		return nil
	}
	for _, d := range in.client.Doubts(in.view()) {
		about, say := aboutClients, warning
		if d.OfHooks {
			about = aboutHooks
		}
		if d.Refused {
			say = failure
		}
		found := say(about, "%s %s", in.client.Title, d.Text)
		if d.Command != nil {
			found = found.try(in.within(client.Project) + shell.Line(d.Command))
		}
		all = append(all, found)
	}
	return all
}

// view is what the row of the client looks at.
func (in *installation) view() client.View {
	v := client.View{Machine: in.Machine, Plugin: in.plugin != "", Read: in.read}
	for _, f := range in.hooks {
		for _, h := range f.Handlers {
			v.Hooks = append(v.Hooks, client.HookPlace{Path: f.Path, At: h.Event, Group: h.Group, Number: h.Number})
		}
	}
	v.Project = slices.ContainsFunc(in.files(), func(f file) bool { return in.scopeOf(f.path) == client.Project })
	return v
}

func (in *installation) read(syntax client.Syntax, path client.Path, keys ...any) any {
	doc, err := installed.Open(syntax, path.At(in.Machine))
	if err != nil {
		return nil
	}
	value, _ := doc.Look(keys...)
	return value
}
