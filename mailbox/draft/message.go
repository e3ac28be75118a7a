package draft

import (
	"slices"
	"strings"

	"handoff/mailbox/content"
	"handoff/schemas"
)

// refuseWorkFields returns an error if a message has a field that only a handoff may have, such as a deadline. A
// message has no result, so the field would have no effect. The error is invalid and names the first of these fields.
func refuseWorkFields(in schemas.SendIn) error {
	if in.Type != schemas.TypeMessage {
		return nil
	}
	given, err := schemas.Encode(in)
	for field := range strings.FieldsSeq(workFields) {
		_, absent := content.ValueAtPointer(given, strings.ReplaceAll(field, ".", "/"))
		linked := field == "context.references" && !slices.ContainsFunc(schemas.ValueOrZero(in.Context).References, hasContent)
		if absent == nil && !linked {
			return schemas.Invalidf(field, "only work has this, and a message is only read").
				WithHint("Leave it out, or send work: any other type. Nothing was sent.")
		}
	}
	return err
}

// workFields are the fields that a message cannot have. It can have references without content.
const workFields = "context.references expectations rollback deadline workflow options.after options.after_accepted options.needs_approval " +
	"options.not_before options.max_attempts options.no_takers options.no_takers_after options.requires options.limits options.each options.join"

// refuseMultiPartOptions returns an error if opt has an option for several parts. It is called for the next step of a
// completion and for an amendment, because each of these concerns one handoff.
func refuseMultiPartOptions(opt *schemas.SendOptions) error {
	if opt == nil || opt.Each == nil && opt.Join == nil {
		return nil
	}
	return schemas.Invalidf("options", "each and join are only for a send").
		WithHint("Leave them out, and send the parts with %s.", schemas.SendIn{}.Tool())
}
