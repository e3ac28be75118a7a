package clients

import (
	"slices"
	"strings"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/installed"
	"handoff/schemas"
)

// PrintGettingStarted prints what handoff is, which clients on this machine are set up for it, and the next command to
// run. The root command calls this function in a project where no agent has sent a handoff yet.
func PrintGettingStarted(a *cli.App) error {
	told, elsewhere, others, m := clientsBySetup(a)
	untold := slices.DeleteFunc(others, func(c client.Client) bool { return !c.IsFoundOn(m) })
	stands, next, does := "No client was found on this machine.", "handoff demo", "plays a chain of work in a few seconds"
	switch {
	case len(told) > 0:
		stands = "It is set up in " + joinTitles(told) + ". Nothing was handed off in this project yet."
		next, does = "handoff send "+told[0].Name+" 'Say hello'", "Then tell it: take your handoff."
	case len(elsewhere) > 0:
		stands = "It is set up in " + joinTitles(elsewhere) + ", with a workspace on a server. Commands here do not show that workspace."
		next, does = "handoff doctor", "tests whether the server answers"
	case len(untold) > 0:
		stands = "It is not set up in " + joinTitles(untold) + " yet."
		next, does = "handoff setup", "shows what it would write into their files, and asks"
	}
	p := &cli.Page{Style: a.Style()}
	p.AddLine("%s", p.Bold("handoff passes work between coding agents and keeps it until it is done."))
	for _, line := range p.SplitAdvice(stands + "\n" + a.MovedWorkspaces()) {
		p.AddLine("%s", line)
	}
	p.AddLine("\n  %s  %s", p.Green(next), p.Quote(does, len(next)+4))
	return a.Write(p.String())
}

// clientsBySetup returns three lists. Told has the clients that are set up for handoff, by the user's files or by the
// project's. Elsewhere has the clients that reach a server at a URL. Others has the other clients, even if they are not
// on this machine. It starts no client. If there is no home directory, the lists are empty.
func clientsBySetup(a *cli.App) (told, elsewhere, others []client.Client, m client.Machine) {
	m, err := describeMachine(a)
	if err != nil {
		return nil, nil, nil, m
	}
	for _, c := range client.All() {
		entries, _ := installed.ServerEntries(c, m)
		switch {
		case len(entries) > 0 && entries[0].URL != "":
			elsewhere = append(elsewhere, c)
		case len(entries) > 0 || len(installed.EnabledPlugins(c, m)) > 0:
			told = append(told, c)
		default:
			others = append(others, c)
		}
	}
	return told, elsewhere, others, m
}

// SetUpNames returns the names of the clients that are set up for handoff on this machine.
func SetUpNames(a *cli.App) []schemas.Agent {
	told, _, _, _ := clientsBySetup(a)
	return schemas.Map(told, func(c client.Client) schemas.Agent { return schemas.Agent(c.Name) })
}

// joinTitles lists the titles of clients as a sentence does.
func joinTitles(all []client.Client) string {
	titles := schemas.Map(all, func(c client.Client) string { return c.Title })
	last := len(titles) - 1
	return strings.TrimPrefix(strings.Join(titles[:last], ", ")+" and "+titles[last], " and ")
}
