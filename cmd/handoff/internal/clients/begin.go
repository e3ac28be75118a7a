package clients

import (
	"strings"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/installed"
	"handoff/schemas"
)

// Begin says what this program is and how the clients on this machine stand to it, in two lines, and the one command
// that comes next. It is for who calls the program in a project where nothing was handed off yet.
func Begin(a *cli.App) error {
	told, untold := knowing(a)
	stands, next, does := "No client was found on this machine.", "handoff demo", "plays a chain of work in a few seconds"
	switch {
	case len(told) > 0:
		stands = "It is set up in " + named(told) + ". Nothing was handed off in this project yet."
		next, does = "handoff send "+told[0].Name+" 'Say hello'", "Then tell it: take your handoff."
	case len(untold) > 0:
		stands = "It is not set up in " + named(untold) + " yet."
		next, does = "handoff setup", "shows what it would write into their files, and asks"
	}
	p := &cli.Page{Style: a.Style()}
	p.Line("%s", p.Bold("handoff passes work between coding agents and keeps it until it is done."))
	for _, line := range p.Lines(stands, 0) {
		p.Line("%s", line)
	}
	p.Line("\n  %s  %s", p.Green(next), p.Quote(does, len(next)+4))
	return a.Write(p.String())
}

// knowing gives the clients that list handoff, for the user or in the project, and the others that are on this machine.
// None is started, so nobody knows whether it works there. Without a home directory none is found.
func knowing(a *cli.App) (told, untold []client.Client) {
	m, err := machineOf(a)
	if err != nil {
		return nil, nil
	}
	for _, c := range client.All() {
		entries, _ := installed.Entries(c, m)
		switch {
		case len(entries) > 0 || len(installed.Plugins(c, m)) > 0:
			told = append(told, c)
		case c.Detect(m):
			untold = append(untold, c)
		}
	}
	return told, untold
}

// named lists clients as a sentence does.
func named(all []client.Client) string {
	titles := schemas.Map(all, func(c client.Client) string { return c.Title })
	last := len(titles) - 1
	return strings.TrimPrefix(strings.Join(titles[:last], ", ")+" and "+titles[last], " and ")
}
