package mailbox

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"handoff/mailbox/compose"
	"handoff/mailbox/operation"
	"handoff/schemas"
	"handoff/schemas/closest"
	"handoff/store"
)

// unknownNameText returns a sentence for a command that claims under an unknown name for which nothing waits, or "". The
// name may be mistyped, so this claim must not make it known. A claim that waits makes it known, and so does one under a
// name from the connection or the environment.
func (s *Service) unknownNameText(ctx context.Context, by schemas.Caller, in schemas.ClaimIn) (string, error) {
	if in.HandoffID != "" || in.WaitSeconds > 0 || by.Via != schemas.ViaCLI || by.Conn != "" || !by.Borrowed {
		return "", nil
	}
	return operation.Read(ctx, s.engine, func(v *store.View) (string, error) { // applies due changes, as a claim does
		unknown, err := s.isNameUnknown(v, by.Agent)
		if !unknown || err != nil {
			return "", err
		}
		blocked, err := s.offers(v).WithheldText(by.Agent)
		id, failed := s.searchQueue(v, by, compose.SplitTags(in.Tags))
		if err = cmp.Or(err, failed); err != nil || blocked != "" || id != 0 {
			return "", err
		}
		return textForUnknownName(v, by)
	})
}

// textForUnknownName tells a caller that no agent has its name, and which agent or mailbox has a similar one.
func textForUnknownName(v *store.View, by schemas.Caller) (string, error) {
	names, err := v.AgentNames()
	for box, broken := range v.MailboxesWithWork("") {
		err = cmp.Or(err, broken)
		names = append(names, schemas.Agent(box))
	}
	said := fmt.Sprintf("No agent is called %s, and this claim made none.", by.Agent)
	if likely := closest.LikelyNames(by.Agent, slices.Concat(names, by.Clients)); len(likely) > 0 {
		said += fmt.Sprintf(" Did you mean %s?", likely[0])
	}
	return said + " An agent with a new name registers first.", err
}
