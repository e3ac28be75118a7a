package draft

import (
	"slices"

	"handoff/schemas"
)

// refuseWorkFields returns an error if a message has a field that only a handoff may have, such as a deadline. A
// message has no result, so the field would have no effect. The error is invalid and names the first of these fields.
func refuseWorkFields(in schemas.SendIn) error {
	if in.Type != schemas.TypeMessage {
		return nil
	}
	opt := in.Options
	for _, f := range []struct {
		field string
		given bool
	}{
		{"context.references", in.Context != nil && slices.ContainsFunc(in.Context.References, hasContent)},
		{"expectations", in.Expectations != nil},
		{"rollback", in.Rollback != nil},
		{"deadline", in.Deadline != ""},
		{"workflow", in.Workflow != ""},
		{"options.after", len(opt.After) > 0},
		{"options.after_accepted", len(opt.AfterAccepted) > 0},
		{"options.needs_approval", opt.NeedsApproval},
		{"options.not_before", opt.NotBefore != ""},
		{"options.max_attempts", opt.MaxAttempts > 0},
		{"options.no_takers", opt.NoTakers != ""},
		{"options.limits", len(opt.Limits) > 0},
		{"options.each", opt.Each != nil},
		{"options.join", opt.Join != nil},
	} {
		if f.given {
			return schemas.Invalidf(f.field, "only work has this, and a message is only read").
				WithHint("Leave it out, or send work: any other type. Nothing was sent.")
		}
	}
	return nil
}

// refuseMultiPartOptions returns an error if opt has an option for several parts. It is called for the next step of a
// completion and for an amendment, because each of these concerns one handoff.
func refuseMultiPartOptions(opt *schemas.SendOptions) error {
	if opt == nil || opt.Each == nil && opt.Join == nil {
		return nil
	}
	return schemas.Invalidf("options", "each and join are only for a send").
		WithHint("Leave them out, and send the parts with %s.", schemas.SendIn{}.Tool())
}
