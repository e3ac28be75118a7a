package mailbox

import (
	"handoff/mailbox/compose"
	"handoff/mailbox/listing"
	"handoff/schemas"
	"handoff/store"
)

// reoption brings the record in line with the options that an amendment changes: for what it waits, from when it may be
// begun, how often it is tried and how long its chain may be. What decides when it may be claimed is changed only while
// it is pending: the error is conflict for one that is held, and for one that would wait for itself. Then it is ready or
// blocked as the new options say.
func (o *op) reoption(r, now *store.Record, opt *schemas.SendOptions) (err error) {
	if opt == nil {
		return nil
	}
	gated := opt.After != nil || opt.AfterAccepted != nil || opt.NotBefore != "" || opt.NeedsApproval
	if gated && r.Status != schemas.Pending {
		return schemas.Errorf(schemas.Conflict, "%s is %s, so it is too late to say when it may be begun", r.ID, r.Status).
			About(r.ID, r.Status, 0).WithField("options").WithHint("%s holds it: answer what it asks.", r.Holder)
	}
	if err := checkLimits(opt.Limits); err != nil {
		return err
	}
	w, err := o.waitsFor(waitsOf(now), opt.After, opt.AfterAccepted)
	if err != nil {
		return err
	}
	if err := o.noCircle(now, w); err != nil {
		return err
	}
	w.on(now)
	now.NeedsApproval = now.NeedsApproval || opt.NeedsApproval
	if err := renumber(now, *opt); err != nil {
		return err
	}
	return o.postpone(now, opt.NotBefore)
}

// postpone sets the time before which nobody may claim a pending handoff. One that is over puts it into its mailbox.
func (o *op) postpone(now *store.Record, notBefore string) error {
	t, err := schemas.ParseTime("options.not_before", notBefore, o.now)
	switch {
	case err != nil || notBefore == "":
		return err
	case t.After(o.now):
		now.Box, now.NotBefore, now.Reserved = "", store.At(t), 0
	case now.NotBefore != 0:
		now.Box, now.NotBefore = now.To, 0
	}
	return nil
}

// renumber changes how often work is tried, and how long its chain may be. The error is invalid for fewer attempts than
// were made, and limit for a chain that is longer already.
func renumber(now *store.Record, opt schemas.SendOptions) error {
	if n := opt.MaxAttempts; n != 0 {
		if n < now.Attempt || n == now.Attempt && now.Status == schemas.Pending && !now.Uncharged {
			return schemas.Invalidf("options.max_attempts", "%d attempts of %s were made", now.Attempt, now.ID).
				WithHint("Give more than %d, or cancel it.", now.Attempt)
		}
		now.MaxAttempts = n
	}
	most := int(opt.Limits["max_handoffs"])
	if most != 0 && now.Depth > most {
		return schemas.Errorf(schemas.Limit, "%s is number %d of its chain", now.ID, now.Depth).
			WithField("options.limits.max_handoffs").WithHint("Give at least %d.", now.Depth)
	}
	if most != 0 && (now.MaxDepth == 0 || most < now.MaxDepth) { // a stricter limit of those before stays
		now.MaxDepth = most
	}
	return nil
}

// tellOptions says in the result of an amendment what came of the options: for what the handoff waits now, and which
// have no effect.
func tellOptions(now *store.Record, h *schemas.Handoff, opt *schemas.SendOptions, out *schemas.UpdateOut) {
	if opt == nil {
		return
	}
	if out.BlockedBy = listing.BlockedBy(now); out.BlockedBy == nil && (opt.After != nil || opt.AfterAccepted != nil) {
		out.BlockedBy = []string{}
	}
	named := len(opt.After) + len(opt.AfterAccepted)
	if named > 0 && len(out.BlockedBy) > named && !compose.Empties(opt.After) && !compose.Empties(opt.AfterAccepted) {
		out.Warnings = append(out.Warnings, "it waits for what it waited for before, too: a list that begins with "+
			compose.None+" replaces that")
	}
	out.Warnings = append(out.Warnings, withoutEffect(schemas.SendIn{Options: opt, Summary: h.Summary})...)
}
