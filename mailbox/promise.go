package mailbox

import (
	"context"
	"errors"

	"handoff/mailbox/contract"
	"handoff/schemas"
	"handoff/store"
)

// promise is what a completion answers to what a handoff asked for, compared before the transaction: a
// schema may take long to check.
type promise struct {
	body     uint64 // the event whose content was compared
	criteria []schemas.Answered
	err      error // told only to the holder
}

// errNotCompared means that a handoff asked for something and nobody has compared yet.
var errNotCompared = errors.New("what was asked for is to be compared first")

// compare holds what came back against what was asked for.
func (s *Service) compare(ctx context.Context, id string, in schemas.CompleteIn) (p promise, err error) {
	err = s.Store.View(ctx, func(v *store.View) error {
		p = promise{}
		r, err := find(v, id)
		if err != nil || !r.Promises {
			return err
		}
		var h schemas.Handoff
		if err := v.Saying(r.ID, r.Body, &h); err != nil {
			return err
		}
		p.body = r.Body
		p.criteria, p.err = answers(h.Expectations, in)
		return nil
	})
	return p, s.coded(err)
}

func answers(e *schemas.Expectations, in schemas.CompleteIn) ([]schemas.Answered, error) {
	answered, err := contract.Compare(e, in.Verification)
	if err != nil || len(e.OutputSchema) == 0 {
		return answered, err
	}
	schema, err := contract.Compile(e.OutputSchema)
	if err != nil {
		return nil, err
	}
	return answered, schema.Check(in.Output)
}

// answered gives the criteria as they were answered, or why the completion is refused.
func (p promise) answered(r *store.Record) ([]schemas.Answered, error) {
	switch {
	case !r.Promises:
		return nil, nil
	case p.body == 0:
		return nil, errNotCompared
	case p.body != r.Body:
		return nil, schemas.Errorf(schemas.Conflict, "what %s asks for was changed just now", r.ID).
			About(r.ID, r.Status, 0).WithHint("Read it again with get_handoff, then complete it.")
	case p.err != nil:
		return nil, schemas.AsError(p.err).About(r.ID, r.Status, 0)
	}
	return p.criteria, nil
}
