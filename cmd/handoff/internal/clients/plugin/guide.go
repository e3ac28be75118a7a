package plugin

import "handoff/cmd/handoff/internal/clients/client"

// A guide is what the README of a plugin, and the context that it brings, are filled in with.
type guide struct {
	Title    string // of the client
	Client   string // its name for setup
	Next     string // what a person does after installing
	Commands []row  // as a person types them, and what they are for
	Hooks    []row  // the events of the client, and what runs on them
}

type row struct{ Shown, About string }

func newGuide(s Source, c client.Client, before string) guide {
	g := guide{Title: c.Title, Client: c.Name, Next: c.Next}
	for _, cmd := range commands(s.Prompts) {
		g.Commands = append(g.Commands, row{before + cmd.Name + " " + cmd.Usage(), cmd.Description})
	}
	for _, h := range c.Hooks.On {
		if !h.Wake {
			g.Hooks = append(g.Hooks, row{h.At, c.Command(h, client.Call{Program: client.ServerName})})
		}
	}
	return g
}
