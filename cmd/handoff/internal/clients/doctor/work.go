package doctor

import (
	"context"
	"strings"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/terminal"
	"handoff/schemas"
	"handoff/tools"
)

const (
	maxConcerns = 200 // concerns of a part that doctor reads
	maxFindings = 10  // findings at most
)

// ExamineHandoffs finds the open handoffs that need an action of an agent or a person, from the overview of the
// workspace, which alone decides what is stuck. The argument clients has the clients that are set up on this machine.
// Spell returns the command line for a call that the overview advises.
func ExamineHandoffs(
	ctx context.Context, boxes tools.Invoker, clients []schemas.Agent, sh CommandBuilder, spell func(schemas.Advice) string,
) (all []Finding) {
	call := tools.Call{Caller: schemas.Caller{Via: schemas.ViaCLI, Clients: clients}, Tool: "workspace_overview"}
	out, err := tools.InvokeTyped[schemas.OverviewOut](ctx, boxes, call, schemas.OverviewIn{Limit: maxConcerns})
	if err != nil {
		return []Finding{failure(aboutWork, "the handoffs cannot be looked at: %s", schemas.AsError(err).Message).
			withCommand(sh.commandLine("list"))}
	}
	for _, c := range out.Stuck.Items {
		remedy := sh.Program.ShellCommand() + strings.TrimPrefix(spell(c.Next[0]), client.ServerName)
		all = append(all, warning(aboutWork, "%s is stuck for %s: %s", c.HandoffID, terminal.FormatAge(out.At.Sub(c.Since)), c.Reason).withCommand(remedy))
	}
	if need := out.NeedsYou.Total; need > 0 {
		defer func() {
			all = append(all, ok(aboutWork, "%s for a person: handoff status", schemas.CountNoun(need, "thing")))
		}()
	}
	switch more := len(all) - maxFindings; {
	case len(all) == 0:
		open := out.Counts.Claimable + out.Counts.Held + out.Counts.Blocked
		return []Finding{ok(aboutWork, "%s under way, and nothing is stuck", schemas.CountNoun(open, "handoff"))}
	case more > 0:
		return append(all[:maxFindings], warning(aboutWork, "and %d more", more).withCommand(sh.commandLine("status")))
	}
	return all
}
