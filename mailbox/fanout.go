package mailbox

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"handoff/mailbox/compose"
	"handoff/schemas"
)

// drafts is [Service.draft] for a send that may have several parts, and a handoff that waits for them. Then the draft is
// that of the first part and has them all, with the digest of the whole. The errors about what waits have their field
// below options.join.
func (s *Service) drafts(by schemas.Caller, in schemas.SendIn, now time.Time) (d draft, err error) {
	opt := schemas.OrZero(in.Options)
	if opt.Each == nil && opt.Join == nil {
		return s.draft(by, in, now)
	}
	if err := cmp.Or(onlyWork(in), checkSeveral(opt)); err != nil {
		return d, err
	}
	all, join, err := compose.Parts(in, s.Limits.Title)
	if err != nil {
		return d, err
	}
	var parts []*draft
	var digests []string
	for _, in := range all {
		part, err := s.draft(by, in, now)
		if err != nil {
			return d, err
		}
		parts, digests = append(parts, &part), append(digests, part.digest)
	}
	d = *parts[0]
	if d.parts = parts; join != nil {
		last, err := s.draft(by, *join, now)
		if err != nil {
			return d, schemas.Within("options.join", err)
		}
		d.join, digests = &last, append(digests, last.digest)
	}
	d.digest, err = digestOf(digests)
	return d, err
}

// checkSeveral checks the texts of which each gets a part: each is there once, so that the parts differ. What joins
// them is work, since a message waits for nothing.
func checkSeveral(opt schemas.SendOptions) error {
	switch {
	case opt.Each != nil && len(opt.Each) == 0:
		return schemas.Invalidf("options.each", "names nothing").WithHint("Give a text, or leave it out. Nothing was sent.")
	case schemas.OrZero(opt.Join).Type == schemas.TypeMessage:
		return schemas.Invalidf("options.join.type", "a message waits for nothing").WithHint("Send work: any other type. Nothing was sent.")
	}
	for i, text := range opt.Each {
		field := fmt.Sprintf("options.each[%d]", i)
		if strings.TrimSpace(text) == "" || slices.Contains(opt.Each[:i], text) {
			return schemas.Invalidf(field, "%q is empty or comes twice", schemas.Visible(schemas.Clip(text, 80))).WithHint("Nothing was sent.")
		}
		if err := schemas.TooBig(field, len(text), schemas.MaxEach); err != nil {
			return err
		}
	}
	return nil
}

// fanOut sends parts beside each other, and then join, nil for none, which waits for all of them in their order, before
// what it names itself. The first part finds where they stand, and the others stand there too: under its parent and in
// its workflow, so the chain grows by one. Each is checked as if it came alone, and any error undoes the operation, so
// all are sent or none. The drafts are not changed. The result is that of the first, with the ids and warnings of all.
func (o *op) fanOut(parts []*draft, join *draft) (out schemas.SendOut, err error) {
	var warnings []string
	beside := func(d draft) (schemas.ID, error) {
		d.key = "" // that of the whole
		if out.HandoffID != 0 {
			d.workflow, d.parent = out.Workflow, cmp.Or(out.Parent.String(), "none")
		}
		sent, err := o.deliver(&d)
		if warnings = append(warnings, sent.Warnings...); out.HandoffID == 0 {
			out = sent
		}
		return sent.HandoffID, err
	}
	for _, part := range parts {
		id, err := beside(*part)
		if err != nil {
			return out, err
		}
		out.Parts = append(out.Parts, id)
	}
	if join != nil {
		last := *join
		m := &last.handoff.Metadata
		m.After = slices.Concat(schemas.Texts(out.Parts), m.After)
		if err := o.encode(&last); err != nil {
			return out, err
		}
		if out.Joined, err = beside(last); err != nil {
			return out, schemas.Within("options.join", err)
		}
	}
	slices.Sort(warnings) // most are the same for all
	out.Warnings = slices.Compact(warnings)
	return out, nil
}

// ends are for what one waits that waits for all that a send has sent.
func ends(out schemas.SendOut) []string {
	if out.Joined != 0 || out.Parts == nil {
		return []string{cmp.Or(out.Joined, out.HandoffID).String()}
	}
	return schemas.Texts(out.Parts)
}

// oneHandoff refuses options of a send to several where one handoff is said: in a continuation, and in what changes one.
func oneHandoff(opt *schemas.SendOptions) error {
	if opt == nil || opt.Each == nil && opt.Join == nil {
		return nil
	}
	return schemas.Invalidf("options", "each and join are only for a send").
		WithHint("Leave them out, and send the parts with %s.", schemas.SendIn{}.Tool())
}
