package mailbox

import (
	"context"

	"handoff/mailbox/operation"
	"handoff/mailbox/rules"
	"handoff/schemas"
	"handoff/store"
)

// op is an operation with what the rules of the mailbox keep of it while it lasts.
type op struct {
	*operation.Op
	*Service

	checked []schemas.Address // of which the caller is told in the answer whether somebody takes its work
	routed  *schemas.Routed   // who could take the handoff that was made last, nil for one that is for one agent
	begun   []*store.Record   // the handoffs that were begun with what is returned now

	ruled      int          // how many handoffs the rules of files have sent in it
	sentInTime int          // how many of these the clock caused, without those of the handoff to which it is applied now
	unsent     int          // of how many rules that could not send somebody was to be told
	cost       rules.Budget // what the expressions of the allowed rules have cost in it
	spent      string       // which budget refused what a rule sends because of time
	over       *overrun     // what a limit of a workflow refused, until somebody was told
}

// update runs fn in an operation of the engine, see [operation.Engine.Update].
func (s *Service) update(ctx context.Context, by schemas.Caller, fn func(*op) error) error {
	return s.engine.Update(ctx, by, func(o *operation.Op) error { return fn(of(o)) })
}

// mutate is [Service.update] for a call that is repeated with the same result, see [operation.Mutate].
func mutate[Out any](ctx context.Context, s *Service, by schemas.Caller, fn func(*op) (Out, error)) (Out, error) {
	return operation.Mutate(ctx, s.engine, by, func(o *operation.Op) (Out, error) { return fn(of(o)) })
}
