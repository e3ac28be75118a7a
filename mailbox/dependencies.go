package mailbox

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"handoff/mailbox/compose"
	"handoff/mailbox/life"
	"handoff/mailbox/listing"
	"handoff/mailbox/operation"
	"handoff/mailbox/reading"
	"handoff/mailbox/rules"
	"handoff/schemas"
	"handoff/store"
)

// dependencies is for which other handoffs a handoff waits: until each is done well, see [reading.DoneWell], and those of
// accepted until they are accepted. What is there already is freed, and is remembered because it may be returned. A
// handoff is in one of after and freed, and besides in accepted where that is asked for.
type dependencies struct {
	after, freed, accepted []schemas.ID
}

// dependenciesOf is for what a handoff waits by now. The lists are copies, so they may be changed before anything is
// committed.
func dependenciesOf(r *store.Record) dependencies {
	c := r.Clone()
	return dependencies{c.After, c.Freed, c.AfterAccepted}
}

// on writes w to a record, which is a copy that is not committed yet.
func (w dependencies) writeTo(r *store.Record) {
	r.After, r.Freed, r.AfterAccepted = w.after, w.freed, w.accepted
}

// addDependencies adds to w what a sender names, by id. What was returned stands for its rework. A list that
// [compose.Empties] takes away first what w has of its kind.
//
// The error names the entry of the list: not_found for no handoff,
// conflict for one that ended without a completion, since it would be waited for in vain.
func (o *op) addDependencies(w dependencies, after, accepted []string) (dependencies, error) {
	lists := []struct {
		field    string
		ids      []string
		accepted bool
	}{{"options.after_accepted", accepted, true}, {"options.after", after, false}}
	for _, list := range lists {
		empties := compose.Empties(list.ids)
		if empties {
			w = w.without(list.accepted)
		}
		for i, id := range list.ids {
			if i == 0 && empties {
				continue
			}
			if err := o.addDependency(&w, id, list.accepted); err != nil {
				return w, schemas.AsError(err).WithField(fmt.Sprintf("%s[%d]", list.field, i))
			}
		}
	}
	return w, nil
}

// without leaves out what is waited for in one of the two ways.
func (w dependencies) without(accepted bool) dependencies {
	gone := func(id schemas.ID) bool { return slices.Contains(w.accepted, id) == accepted }
	w.after, w.freed = slices.DeleteFunc(w.after, gone), slices.DeleteFunc(w.freed, gone)
	if accepted {
		w.accepted = nil
	}
	return w
}

// addDependency adds one handoff to w, by its id as a caller wrote it. The clock is applied to it first, so one whose
// deadline passed is not waited for. The error is that of [operation.Op.Find], or conflict for one that ended and is not
// completed. Then w is as it was.
func (o *op) addDependency(w *dependencies, id string, accepted bool) error {
	dep, err := o.Find(id)
	if err != nil {
		return err
	}
	dep = reading.LastRound(o.View, dep)
	if dep.Status.Ended() && dep.Status != schemas.Completed {
		return operation.Conflict(dep, "%s is %s and will not be completed", dep.ID, dep.Status).
			WithHint("Name a handoff that is open, or leave it out.")
	}
	w.add(dep, accepted)
	return nil
}

// put adds a handoff to those that are waited for, or to those that are freed. Of the two ways the stricter one counts.
func (w *dependencies) add(dep *store.Record, accepted bool) {
	if accepted = w.remove(dep.ID) || accepted; accepted {
		w.accepted = append(w.accepted, dep.ID)
	}
	if isDone(dep, accepted) {
		w.freed = append(w.freed, dep.ID)
	} else {
		w.after = append(w.after, dep.ID)
	}
}

// take takes a handoff off what is waited for, and tells whether its acceptance was waited for.
func (w *dependencies) remove(dep schemas.ID) (accepted bool) {
	is := func(id schemas.ID) bool { return id == dep }
	accepted = slices.ContainsFunc(w.accepted, is)
	w.after, w.freed = slices.DeleteFunc(w.after, is), slices.DeleteFunc(w.freed, is)
	w.accepted = slices.DeleteFunc(w.accepted, is)
	return accepted
}

// isDone tells whether nobody needs to wait for a handoff any more. What waits for one that ended otherwise stays blocked
// until another handoff takes its place, somebody accepts it, or somebody changes for what is waited.
func isDone(dep *store.Record, accepted bool) bool {
	return reading.DoneWell(dep) && (!accepted || dep.Accepted != 0)
}

// warnOfPartial warns of those that are waited for and stay shut until somebody decides.
func (o *op) warnOfPartial(r *store.Record) (warnings []string) {
	for _, id := range r.After {
		if dep := o.UsableRecord(id); dep != nil && dep.Status == schemas.Completed && reading.StaysBlocked(dep) {
			warnings = append(warnings, fmt.Sprintf("%s ended partial: %s waits until that is accepted", id, r.ID))
		}
	}
	return warnings
}

// tellStillBlocked says in the notice and in the result of a completion what does not go on after it, and what opens that.
func (o *op) tellStillBlocked(h *operation.Happening, out *schemas.CompleteOut) {
	waiting, _ := reading.Collect(reading.AtMost(schemas.MaxNamed, o.Oldest(store.DependentsOf(h.Now.ID), 0))) // those that are read
	shut := append(schemas.Texts(waiting), schemas.Map(h.HeldSends, func(by rules.Sends) string { return "what the rule " + by.Route + " sends" })...)
	if len(shut) > 0 && reading.StaysBlocked(h.Now) {
		what := strings.Join(shut, ", ")
		h.Text = fmt.Sprintf("Not opened: %s, until this is accepted. %s", what, h.Text)
		out.Warnings = append(out.Warnings, fmt.Sprintf("not opened: %s. What waits goes on after a success, or once the sender accepts this", what))
	}
}

// originalDependencies is for what work that is done again waits: for what the content of the first attempt names, as far as that
// can still be had. It refuses nothing, because the clock may be who does the work again: what ended without a
// completion meanwhile is left out, and the work is not held up by it.
func (o *op) originalDependencies(m schemas.Metadata) (w dependencies) {
	for _, id := range slices.Concat(m.AfterAccepted, m.After) {
		_ = o.addDependency(&w, id, slices.Contains(m.AfterAccepted, id)) // else it is gone, and waited for no longer
	}
	return w
}

// checkCycle refuses handoffs to wait for that wait for r themselves: nobody could begin. It goes through all that they
// wait for, and names the way back to r.
//
// A send needs no such check: nothing can wait yet for a handoff that has no id. An amendment and a retry do. What
// waits for a dead handoff waits for its retry from then on, so a retry that waited for that would wait for itself. The
// error is conflict.
func (o *op) checkCycle(r *store.Record, w dependencies) error {
	circle := o.pathTo(r.ID, []schemas.ID{r.ID}, w.after, map[schemas.ID]bool{})
	if circle == nil {
		return nil
	}
	way := strings.Join(schemas.Texts(circle), " waits for ")
	e := schemas.Errorf(schemas.Conflict, "%s would wait for itself: %s", r.ID, way).WithField("options.after")
	if len(circle) == 2 {
		return e.WithHint("Leave it out.")
	}
	return e.WithHint("Leave %s out, or amend %s first, so that it no longer waits for %s: "+
		"a list that begins with the word %s holds only what follows it.",
		circle[1], circle[len(circle)-2], r.ID, compose.None)
}

// pathTo is a way from deps to a handoff along what each waits for, behind the way so far; nil for none.
//
// Only what is pending waits, so the way ends at anything else. Freed ones count, too, as they are waited for again
// where their result is returned. Each handoff is looked at once.
func (o *op) pathTo(to schemas.ID, way, deps []schemas.ID, seen map[schemas.ID]bool) []schemas.ID {
	for _, id := range deps {
		on := append(slices.Clone(way), id)
		if id == to {
			return on
		}
		dep := o.UsableRecord(id)
		if seen[id] || dep == nil || dep.Status != schemas.Pending {
			continue
		}
		seen[id] = true
		if back := o.pathTo(to, on, slices.Concat(dep.After, dep.Freed), seen); back != nil {
			return back
		}
	}
	return nil
}

// tellBlocked tells the sender of r that a handoff for which it waits was not done well. It is told in the name of the
// clock, because nobody did anything to r itself, and it hears of it also where it ended the other handoff. Nothing is
// written on r: it stays blocked until somebody decides, because only its sender knows whether it makes sense without
// that one.
func (o *op) tellBlocked(r, dead *store.Record) error {
	list := "after"
	if slices.Contains(r.AfterAccepted, dead.ID) {
		list = "after_accepted"
	}
	state, way := string(dead.Status), "Retry that one"
	if dead.Status == schemas.Completed {
		state, way = "completed in part", "Accept that one, which opens this one, or return it with points to mend; or else"
	}
	text := fmt.Sprintf("%s, for which it waits, is %s. %s, cancel this one, or amend this one: "+
		"options.%s of [none], or of [none, ids], replaces that for which it waits.", dead.ID, state, way, list)
	return o.ActingAs(operation.ClockCaller, func() error { return o.NotifySender(r, operation.NoticeOf(noticeBlocked, r, text)) })
}

// unblock lets r wait no longer for a handoff that was completed or accepted. Where that was not done well, or r waits
// for its acceptance, r goes on waiting. The record is read anew in the transaction, so it does nothing where r was
// amended since and waits for dep no more.
func (o *op) unblock(r, dep *store.Record) error {
	switch {
	case !slices.Contains(r.After, dep.ID):
		return nil
	case dep.Status == schemas.Returned: // meanwhile, where many were gone through before
		return o.replaceDependency(r, dep)
	case !isDone(dep, slices.Contains(r.AfterAccepted, dep.ID)):
		return nil
	}
	return o.exchangeDependency(r, dep.ID, dep)
}

// freeTakenBack lets what waits for failed work go on when it was taken back and done by an agent whose word is enough, see
// [op.mayTakeBack]. It does so only where done is the latest that took the place of the failed handoff: where a person
// retried that one, its retry is waited for.
func (o *op) freeTakenBack(r, done *store.Record) error {
	failed := o.UsableRecord(done.Parent)
	if failed == nil || failed.Rollback != done.ID || failed.Successor != done.ID {
		return nil
	}
	if may, err := o.mayTakeBack(failed, done.Holder); !may || err != nil {
		return err
	}
	return o.replaceDependency(r, failed)
}

// mayTakeBack tells whether the word of an agent is enough that failed work was done after all: nobody compares a rollback
// with what was asked for. It is enough of the sender and of human, who may accept any result, and of the agent that the
// sender named for a failure, where no criterion, check or review was asked for and that agent did not fail itself.
func (o *op) mayTakeBack(failed *store.Record, by schemas.Agent) (bool, error) {
	sender, err := reading.Principal(o.View, failed)
	named := by == failed.OnFailure && by != failed.Holder && !failed.Promises && failed.Reviewer == ""
	return by == schemas.Human || by == sender || named, err
}

// replaceDependency lets r wait for the handoff that takes the place of one that is dead or was returned, and for the same one
// where that counts no more as done. The new one may have ended by now, where many were gone through before: if it was
// done well, it frees r; else it stays on the list of r, and the sender of r is told. What was begun is not stopped: its
// holder is told, and so is the caller.
func (o *op) replaceDependency(r, gone *store.Record) error {
	if r.Status != schemas.Pending {
		return o.noteBegun(r, gone)
	}
	successor, err := o.Record(cmp.Or(gone.Successor, gone.ID))
	if err != nil {
		return err
	}
	successor = reading.LastRound(o.View, successor)
	if err := o.exchangeDependency(r, gone.ID, successor); err != nil {
		return err
	}
	if reading.StaysBlocked(successor) {
		return o.tellBlocked(r, successor)
	}
	return nil
}

// restoreDependencies lets r, which nobody holds any more, wait again for what counts no more as done since it was claimed: for the
// rework of what was returned, but not where that waits for r itself.
func (o *op) restoreDependencies(r *store.Record) error {
	for _, id := range slices.Clone(r.Freed) {
		gone := o.UsableRecord(id)
		if gone == nil || reading.DoneWell(gone) {
			continue
		}
		again := reading.LastRound(o.View, gone)
		if o.pathTo(r.ID, nil, []schemas.ID{again.ID}, map[schemas.ID]bool{}) != nil {
			continue
		}
		var err error
		if r, err = o.Record(r.ID); err != nil {
			return err
		}
		if err := o.replaceDependency(r, gone); err != nil {
			return err
		}
	}
	return nil
}

// noteBegun notes that r was begun, or done, with a result that is returned now, or counts no more as done.
func (o *op) noteBegun(r, gone *store.Record) error {
	if r.Status == schemas.Completed || r.Status.Held() {
		o.begunDependents = append(o.begunDependents, r)
	}
	if !r.Status.Held() {
		return nil
	}
	what := fmt.Sprintf("was returned: %s does it again", gone.Successor)
	if gone.Status == schemas.Completed {
		what = "was seen not to pass its checks"
	}
	text := fmt.Sprintf("%s, with whose result you began, %s. Ask if that concerns your work, or release it: then it waits for that.", gone.ID, what)
	return o.NotifyAgent(r.Holder, operation.NoticeOf(life.Return, r, text))
}

// warnOfBegun name the handoffs that were begun with a result before it was returned.
func (o *op) warnOfBegun(returned schemas.ID) (warnings []string) {
	for _, r := range o.begunDependents {
		text := "%s waited for %s and was begun with the old result: %s holds it"
		if r.Status.Ended() {
			text = "%s waited for %s and is completed with the old result, by %s"
		}
		warnings = append(warnings, fmt.Sprintf(text, r.ID, returned, r.Holder))
	}
	return warnings
}

// exchangeDependency takes one handoff off what r waits for and puts another in its place, or the same one where it is done. The
// clock does it, whoever acted on that one: r is another's. When nothing is left to wait for, r may be claimed; else the
// event says for what it waits now. It is one event of r, life.Ready, which names dep. The record of dep is not
// changed.
func (o *op) exchangeDependency(r *store.Record, dep schemas.ID, instead *store.Record) error {
	return o.ActingAs(operation.ClockCaller, func() error {
		ready := &operation.Happening{Action: life.Ready, Other: dep}
		return o.Change(ready, r, func(now *store.Record) {
			w := dependenciesOf(now)
			w.add(instead, w.remove(dep))
			w.writeTo(now)
			if blocked := listing.BlockedBy(now); blocked != nil {
				ready.Content = schemas.UpdateIn{Note: "it waits for " + strings.Join(blocked, ", ")}
			}
		})
	})
}
