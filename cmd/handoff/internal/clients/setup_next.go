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
	var working []*clientSetup
	for _, c := range s.clients {
		if slices.ContainsFunc(c.Files, hasState(fileChanged)) {
			lines = append(lines, c.clientSteps()...)
			if c.Live == nil || c.Live.Problem == "" {
				working = append(working, c)
			}
		}
	}
	return append(lines, s.trySteps(working)...)
}

// trySteps returns the first handoff that a person may try with clients that work. The commands of this machine do not
// reach a server elsewhere, so there a client sends it.
func (s *setupRun) trySteps(working []*clientSetup) (lines []string) {
	if len(working) == 0 {
		return nil
	}
	first, second := working[0], working[len(working)-1]
	if first.desired.Server.URL == "" {
		name := schemas.EscapeHidden(cmp.Or(first.desired.Call.Agent, first.Name))
		return []string{"To try it: handoff send " + name + " 'Say hello'. Then tell " + name + ": take your handoff."}
	}
	more := slices.Clone(s.agents)
	for _, c := range working {
		if len(s.agents) > 0 && !slices.Contains(s.agents, c.desired.Server.Agent) {
			more = append(more, c.Name)
		}
	}
	if lacking := more[len(s.agents):]; len(lacking) > 0 {
		lines = append(lines,
			"The token has no agent for "+strings.Join(lacking, " and ")+", so clients share the mail of "+s.agents[0]+". To end that:",
			"  there: handoff token add NAME --agents "+strings.Join(more, ","), "  here: this command again, with the new token")
	}
	to := cmp.Or(second.desired.Server.Agent, "yourself")
	return append(lines, "To try it, tell "+first.Title+": send "+to+" the handoff 'Say hello'. Then tell "+second.Title+": take your handoff.",
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
