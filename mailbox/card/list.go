package card

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"handoff/mailbox/compose"
	"handoff/mailbox/listing"
	"handoff/mailbox/roster"
	"handoff/schemas"
	"handoff/store"
)

// IsListed reports whether a list of agents shows the agent a, whose present card is c. It does if the agent has the
// requested capability, the requested role, and one of the requested tags among its skills. An agent that accepts
// anything has every capability. The list does not show an ended session with a numbered name and an empty mailbox,
// unless it registered, because others may send work to a registered agent.
func IsListed(a store.Agent, c schemas.Card, in schemas.AgentsIn) bool {
	pool := func(kind, name string) schemas.Address { return schemas.Address(kind + strings.TrimPrefix(name, kind)) }
	switch {
	case a.Client != "" && a.Client != c.Name && !c.Live && !c.Registered && c.Pending+c.Held+c.Notices == 0,
		in.Capability != "" && !roster.Qualifies(c, pool("capability:", in.Capability), true),
		in.Role != "" && !slices.Contains(roster.BoxesForCard(c), pool("role:", in.Role)):
		return false
	}
	return compose.HasAnyTag(c.Skills, in.Tags)
}

// SortAndLimit sorts the agents in out: connected agents first, then by the time when each was last seen. It keeps the
// first limit agents and counts the others. If limit is zero, it keeps as many agents as fit into one result, at least
// one.
func SortAndLimit(limit int, out *schemas.AgentsOut) {
	slices.SortStableFunc(out.Agents, compareForList)
	all := out.Agents
	if limit > 0 {
		out.Agents = all[:min(len(all), limit)]
	}
	for i, size := 0, 0; limit == 0 && i < len(all); i++ {
		b, _ := json.Marshal(all[i]) // in the encoding of the result
		if size += len(b); size > listing.MaxBytes && i > 0 {
			out.Agents = all[:i]
			break
		}
	}
	out.More = len(all) - len(out.Agents)
}

// compareForList compares two agents for a list: connected agents come first, then recently seen agents. Names decide
// last.
func compareForList(a, b schemas.Card) int {
	switch {
	case a.Live == b.Live:
		return cmp.Or(b.Seen.Compare(a.Seen), cmp.Compare(a.Name, b.Name))
	case a.Live:
		return -1
	}
	return 1
}
