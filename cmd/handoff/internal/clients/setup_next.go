package clients

import (
	"cmp"
	"slices"
	"strings"

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
	var first *clientSetup
	for _, c := range s.clients {
		if !slices.ContainsFunc(c.Files, hasState(fileChanged)) {
			continue
		}
		lines = append(lines, c.clientSteps()...)
		if works := c.Live == nil || c.Live.Problem == ""; works && first == nil {
			first = c
		}
	}
	return append(lines, s.trySteps(first)...)
}

// trySteps returns the first handoff that a person may try with a client; c is nil if no client works. The commands of
// this machine do not reach a server elsewhere, so there the client sends it.
func (s *setupRun) trySteps(c *clientSetup) (lines []string) {
	if c == nil {
		return nil
	}
	if c.desired.Server.URL == "" {
		name := schemas.EscapeHidden(cmp.Or(c.desired.Call.Agent, c.Name))
		return []string{"To try it: handoff send " + name + " 'Say hello'. Then tell " + name + ": take your handoff."}
	}
	if len(s.lacking) > 0 {
		lines = []string{
			"The token has no agent for " + strings.Join(s.lacking, " and ") + ", so clients share the mail of " + s.agents[0] + ". To end that:",
			"  there: handoff token add NAME --agents " + strings.Join(append(s.agents, s.lacking...), ","),
			"  here: this command again, with the new token",
		}
	}
	return append(lines, "To try it, tell "+c.Title+": send yourself the handoff 'Say hello'. Then: take your handoff.",
		"handoff status and other commands reach that workspace only on the machine of the server.")
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
