package clients

import (
	"cmp"
	"slices"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
)

// printNextSteps prints the person's next steps at the end of the page. If there are no steps, it prints nothing.
func (s *setupRun) printNextSteps(p *cli.Page) {
	lines := s.nextSteps()
	if len(lines) == 0 {
		return
	}
	p.AddLine("%s", p.Bold("Next"))
	for _, line := range lines {
		p.AddLine("  %s", line)
	}
}

func (s *setupRun) nextSteps() (lines []string) {
	has := func(states ...fileState) bool {
		return slices.ContainsFunc(s.allFiles(), func(f *fileSetup) bool { return slices.Contains(states, f.State) })
	}
	switch {
	case s.flags.dryRun && has(fileToChange):
		return []string{"The same command without --dry-run does it."}
	case s.flags.remove && has(fileRestored, fileRemoved, fileCleared):
		return []string{"End the sessions that are open: they keep handoff until then."}
	case !has(fileChanged):
		return nil
	}
	first := ""
	for _, c := range s.clients {
		if slices.ContainsFunc(c.Files, hasState(fileChanged)) {
			lines = append(lines, c.clientSteps()...)
			first = cmp.Or(first, c.desired.Call.Agent, c.Name)
		}
	}
	first = schemas.EscapeHidden(first)
	return append(lines, "To try it: handoff send "+first+" 'Say hello'. Then tell "+first+": take your handoff.")
}

// clientSteps returns the next steps of the person for one client, and the questions that the client will ask.
func (c *clientSetup) clientSteps() []string {
	lines := []string{c.Title + ": " + c.Next}
	if c.Hooks != nil && c.Hooks.Next != "" && c.desired.Hooks {
		lines = append(lines, "  "+c.Hooks.Next)
	}
	trusted := c.desired.Server.Trust && c.HasTrustOption()
	if c.Asks != "" && !trusted {
		lines = append(lines, "  "+c.Asks)
	}
	if c.desired.Server.Trust && !trusted {
		lines = append(lines, "  It has no setting for --trust.")
	}
	return lines
}
