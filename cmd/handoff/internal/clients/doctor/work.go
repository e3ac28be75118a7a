package doctor

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/terminal"
	"handoff/schemas"
	"handoff/tools"
)

// minAge has the kinds of concern that doctor reports, each with the age from which doctor reports it. A concern (such
// as a question without an answer) is a row of the overview.
var minAge = map[schemas.OverviewEntryKind]time.Duration{
	schemas.ConcernDead: 0, schemas.ConcernSilent: 0, schemas.ConcernLapsed: 0, schemas.ConcernBlocked: 0,
	schemas.ConcernNoTakers: 15 * time.Minute,
	schemas.ConcernQuestion: time.Hour, schemas.ConcernUnanswered: time.Hour, schemas.ConcernApproval: time.Hour, schemas.ConcernLeave: time.Hour,
}

const (
	maxConcerns = 200 // concerns of a part that doctor reads
	maxFindings = 10  // findings at most
)

// ExamineHandoffs finds the open handoffs that need an action of an agent or a person, from the overview of the
// workspace. Spell returns the command line for a call that the overview advises.
func ExamineHandoffs(ctx context.Context, boxes tools.Invoker, sh CommandBuilder, spell func(schemas.Advice) string) (all []Finding) {
	call := tools.Call{Caller: schemas.Caller{Via: schemas.ViaCLI}, Tool: "workspace_overview"}
	out, err := tools.InvokeTyped[schemas.OverviewOut](ctx, boxes, call, schemas.OverviewIn{Limit: maxConcerns})
	if err != nil {
		return []Finding{failure(aboutWork, "the handoffs cannot be looked at: %s", schemas.AsError(err).Message).
			withCommand(sh.commandLine("list"))}
	}
	for _, c := range slices.Concat(out.NeedsYou.Items, out.Stuck.Items) {
		age := out.At.Sub(c.Since)
		if wait, counts := minAge[c.Kind]; counts && age >= wait {
			why := cmp.Or(c.Reason, "a person has to approve it")
			remedy := sh.Program.ShellCommand() + strings.TrimPrefix(spell(c.Next[0]), client.ServerName)
			all = append(all, warning(aboutWork, "%s is stuck for %s: %s", c.HandoffID, terminal.FormatAge(age), why).withCommand(remedy))
		}
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
