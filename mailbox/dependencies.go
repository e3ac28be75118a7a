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

// dependencies are the handoffs that a handoff waits for. Open dependencies are in the list `after`. Met dependencies
// are in the list `freed`, because their results may still be returned. A dependency is met when it is done well, see
// [reading.IsDoneWell]. The sender of a dependency in the list `accepted` must also accept its result.
type dependencies struct {
	after, freed, accepted []schemas.ID
}

// dependenciesOf returns the dependencies of r. The lists are copies, so callers may change them before the commit.
func dependenciesOf(r *store.Record) dependencies {
	c := r.Clone()
	return dependencies{c.After, c.Freed, c.AfterAccepted}
}

// writeTo writes d to the record r, which must be a copy that is not committed yet.
func (d dependencies) writeTo(r *store.Record) {
	r.After, r.Freed, r.AfterAccepted = d.after, d.freed, d.accepted
}

// addDependencies adds the handoffs that a sender names by id to deps. In place of a returned handoff it adds the
// rework of that handoff. If a list begins with "none" (see [compose.ReplacesList]), it first removes the old
// dependencies of that list.
//
// The error names the entry of the list. It is not_found for an id without a handoff. It is conflict for a handoff that
// ended without a completion, because the wait for that handoff would never end.
func (o *op) addDependencies(deps dependencies, after, accepted []string) (dependencies, error) {
	lists := []struct {
		field    string
		ids      []string
		accepted bool
	}{{"options.after_accepted", accepted, true}, {"options.after", after, false}}
	for _, list := range lists {
		empties := compose.ReplacesList(list.ids)
		if empties {
			deps = deps.withoutKind(list.accepted)
		}
		for i, id := range list.ids {
			if i == 0 && empties {
				continue
			}
			if err := o.addDependency(&deps, id, list.accepted); err != nil {
				return deps, schemas.AsError(err).WithField(fmt.Sprintf("%s[%d]", list.field, i))
			}
		}
	}
	return deps, nil
}

// removeNamed removes the dependencies that gone names, and returns a copy of opt whose lists replace the dependencies
// in the content by those that remain. It returns opt itself if nothing was removed. The error is invalid for a handoff
// that is not in d.
func (d *dependencies) removeNamed(gone schemas.Removal, opt *schemas.SendOptions) (*schemas.SendOptions, error) {
	before, less := slices.Concat(d.after, d.freed), schemas.ValueOrZero(opt)
	for _, text := range compose.SplitTags(slices.Concat(gone["after"], gone["after_accepted"])) {
		id, _ := schemas.ParseID(text)
		if !slices.Contains(before, id) {
			return nil, schemas.Invalidf("remove.after", "it does not wait for %q", schemas.EscapeHidden(schemas.Clip(text, 80))).
				WithChoices(schemas.FormatAll(before)...).WithHint("Nothing was changed.")
		}
		d.remove(id)
	}
	for name, list := range map[string]*[]string{"after": &less.After, "after_accepted": &less.AfterAccepted} {
		needsAcceptance := name == "after_accepted"
		if named, ok := gone[name]; ok && len(named) == 0 {
			*d = d.withoutKind(needsAcceptance)
		}
		kept := slices.DeleteFunc(slices.Concat(d.after, d.freed), func(id schemas.ID) bool {
			return slices.Contains(d.accepted, id) != needsAcceptance
		})
		if !compose.ReplacesList(*list) {
			*list = slices.Concat([]string{compose.None}, schemas.FormatAll(kept), *list)
		}
	}
	if len(d.after)+len(d.freed) == len(before) {
		return opt, nil
	}
	return &less, nil
}

// withoutKind returns d without one kind of dependencies. If `accepted` is true, it removes the dependencies that need
// acceptance. Otherwise it removes those that need none.
func (d dependencies) withoutKind(accepted bool) dependencies {
	gone := func(id schemas.ID) bool { return slices.Contains(d.accepted, id) == accepted }
	d.after, d.freed = slices.DeleteFunc(d.after, gone), slices.DeleteFunc(d.freed, gone)
	if accepted {
		d.accepted = nil
	}
	return d
}

// addDependency adds one handoff to deps, by its id as a caller wrote it. It applies due changes to that handoff first.
// The error comes from [operation.Op.FindHandoff], or is conflict for a handoff that ended without a completion. After
// an error, deps is unchanged.
func (o *op) addDependency(deps *dependencies, id string, accepted bool) error {
	dep, err := o.FindHandoff(id)
	if err != nil {
		return err
	}
	dep = reading.NewestRework(o.View, dep)
	if dep.Status.HasEnded() && dep.Status != schemas.Completed {
		return operation.ConflictError(dep, "%s is %s and will not be completed", dep.ID, dep.Status).
			WithHint("Name a handoff that is open, or leave it out.")
	}
	deps.add(dep, accepted)
	return nil
}

// add adds a handoff to the open or to the freed dependencies. A handoff that was a dependency already still needs
// acceptance if it needed acceptance before.
func (d *dependencies) add(dep *store.Record, accepted bool) {
	if accepted = d.remove(dep.ID) || accepted; accepted {
		d.accepted = append(d.accepted, dep.ID)
	}
	if isDependencyMet(dep, accepted) {
		d.freed = append(d.freed, dep.ID)
	} else {
		d.after = append(d.after, dep.ID)
	}
}

// remove removes a dependency, and reports whether its acceptance was needed.
func (d *dependencies) remove(dep schemas.ID) (accepted bool) {
	is := func(id schemas.ID) bool { return id == dep }
	accepted = slices.ContainsFunc(d.accepted, is)
	d.after, d.freed = slices.DeleteFunc(d.after, is), slices.DeleteFunc(d.freed, is)
	d.accepted = slices.DeleteFunc(d.accepted, is)
	return accepted
}

// isDependencyMet reports whether a dependency is met. An ended dependency that is not met stays open until another
// handoff takes its place, its sender accepts the result, or an amendment changes the dependencies.
func isDependencyMet(dep *store.Record, accepted bool) bool {
	return reading.IsDoneWell(dep) && (!accepted || dep.Accepted != 0)
}

// warnOfPartialDependencies warns of dependencies that were completed with the outcome partial. A partial dependency
// blocks r until its sender accepts it, or until its rework is done.
func (o *op) warnOfPartialDependencies(r *store.Record) (warnings []string) {
	for _, id := range r.After {
		if dep := o.UsableRecord(id); dep != nil && dep.Status == schemas.Completed && reading.KeepsDependentsBlocked(dep) {
			warnings = append(warnings, fmt.Sprintf("%s ended partial: %s waits until that is accepted", id, r.ID))
		}
	}
	return warnings
}

// reportStillBlocked says which handoffs and rules a partial completion leaves blocked, and which action unblocks them.
// It adds this to the notice for the sender and to the result of the call.
func (o *op) reportStillBlocked(h *operation.RecordChange, out *schemas.CompleteOut) {
	waiting, _ := reading.Collect(reading.AtMost(schemas.MaxNamed, o.OldestFirst(store.IndexByDependency(h.Now.ID), 0))) // as far as readable
	shut := append(schemas.FormatAll(waiting), schemas.Map(h.HeldSends, func(by rules.RuleSends) string { return "what the rule " + by.Route + " sends" })...)
	if len(shut) > 0 && reading.KeepsDependentsBlocked(h.Now) {
		what := strings.Join(shut, ", ")
		h.Text = fmt.Sprintf("Not opened: %s, until this is accepted. %s", what, h.Text)
		out.Warnings = append(out.Warnings, fmt.Sprintf("not opened: %s. What waits goes on after a success, or once the sender accepts this", what))
	}
}

// originalDependencies returns the dependencies of work that is done again: the dependencies that the content of the
// first attempt names. It leaves out handoffs that ended without a completion, because they would block the work for
// ever. It returns no error, because the clock may cause a new attempt, and the clock cannot correct the list.
func (o *op) originalDependencies(m schemas.Metadata) (deps dependencies) {
	for _, id := range slices.Concat(m.AfterAccepted, m.After) {
		_ = o.addDependency(&deps, id, slices.Contains(m.AfterAccepted, id)) // on an error the dependency is left out
	}
	return deps
}

// checkDependencyCycle refuses dependencies of r that depend on r themselves, directly or through other handoffs,
// because no handoff of the cycle could ever begin. The error is conflict and names the cycle. Amendments and retries
// call it. A send cannot make a cycle, because no handoff depends on a new handoff yet.
func (o *op) checkDependencyCycle(r *store.Record, deps dependencies) error {
	circle := o.findDependencyPath(r.ID, []schemas.ID{r.ID}, deps.after, map[schemas.ID]bool{})
	if circle == nil {
		return nil
	}
	way := strings.Join(schemas.FormatAll(circle), " waits for ")
	e := schemas.Errorf(schemas.Conflict, "%s would wait for itself: %s", r.ID, way).WithField("options.after")
	if len(circle) == 2 {
		return e.WithHint("Leave it out.")
	}
	return e.WithHint("Leave %s out, or amend %s first, so that it no longer waits for %s: "+
		"a list that begins with the word %s has only the words after it.",
		circle[1], circle[len(circle)-2], r.ID, compose.None)
}

// findDependencyPath looks for a path of dependencies from one of the handoffs in deps to the target handoff. It
// returns the parameter `way`, extended by this path, or nil if there is no path. It follows only the dependencies of
// pending handoffs, because other handoffs do not wait. It also follows freed dependencies, because a return can make
// them open again.
func (o *op) findDependencyPath(to schemas.ID, way, deps []schemas.ID, seen map[schemas.ID]bool) []schemas.ID {
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
		if back := o.findDependencyPath(to, on, slices.Concat(dep.After, dep.Freed), seen); back != nil {
			return back
		}
	}
	return nil
}

// tellSenderOfDeadDependency tells the sender of r that a dependency of r did not end well. r stays blocked until its
// sender decides, because only the sender knows whether r makes sense without the dependency. The notice comes in the
// name of the clock, so a sender that ended the dependency itself gets the notice, too.
func (o *op) tellSenderOfDeadDependency(r, dead *store.Record) error {
	list := "after"
	if slices.Contains(r.AfterAccepted, dead.ID) {
		list = "after_accepted"
	}
	state, way := string(dead.Status), "Retry that one"
	if dead.Status == schemas.Completed {
		state, way = "completed in part", "Accept that one, which opens this one, or return it with points to mend; or else"
	}
	text := fmt.Sprintf("%s, for which it waits, is %s. %s, cancel this one, or amend this one: "+
		"changes.remove {%s: [%s]} lets it go on without.", dead.ID, state, way, list, dead.ID)
	return o.RunAs(operation.ClockCaller, func() error { return o.NotifySender(r, operation.NoticeOf(noticeBlocked, r, text)) })
}

// unblock frees the dependency of r on a handoff that was completed or accepted. If the dependency is not met, r stays
// blocked. If the dependency was returned meanwhile, r waits for the rework. If an amendment removed the dependency
// meanwhile, unblock does nothing.
func (o *op) unblock(r, dep *store.Record) error {
	switch {
	case !slices.Contains(r.After, dep.ID):
		return nil
	case dep.Status == schemas.Returned: // a return came in between, if this consequence was put off
		return o.replaceDependency(r, dep)
	case !isDependencyMet(dep, slices.Contains(r.AfterAccepted, dep.ID)):
		return nil
	}
	return o.exchangeDependency(r, dep.ID, dep)
}

// unblockAfterRollback unblocks r, which depends on failed work, after the rollback of that work was completed. It does
// so only if the completion is enough, see [op.doesRollbackCountAsDone]. If the failed work was retried since, r waits
// for the retry.
func (o *op) unblockAfterRollback(r, done *store.Record) error {
	failed := o.UsableRecord(done.Parent)
	if failed == nil || failed.Rollback != done.ID || failed.Successor != done.ID {
		return nil
	}
	if may, err := o.doesRollbackCountAsDone(failed, done.Holder); !may || err != nil {
		return err
	}
	return o.replaceDependency(r, failed)
}

// doesRollbackCountAsDone reports whether failed work counts as done after an agent completed its rollback. The server
// does not compare a rollback with the criteria of the work. A completion by the sender or by human is enough, because
// both may accept any result. A completion by the agent that the sender named for a failure is enough if that agent did
// not fail itself, and if the work has no criterion, check or review.
func (o *op) doesRollbackCountAsDone(failed *store.Record, by schemas.Agent) (bool, error) {
	sender, err := reading.AgentToNotify(o.View, failed)
	named := by == failed.OnFailure && by != failed.Holder && !failed.Promises && failed.Reviewer == ""
	return by == schemas.Human || by == sender || named, err
}

// replaceDependency makes r depend on the successor of a dependency that ended badly or was returned. Without a
// successor, r waits again for the same dependency, whose result no longer counts. A successor that is done well
// unblocks r. If the successor ended badly, the sender of r is told. If an agent has claimed r already, the work on r
// goes on, and its holder and the caller are told.
func (o *op) replaceDependency(r, gone *store.Record) error {
	if r.Status != schemas.Pending {
		return o.recordBegunDependent(r, gone)
	}
	successor, err := o.Record(cmp.Or(gone.Successor, gone.ID))
	if err != nil {
		return err
	}
	successor = reading.NewestRework(o.View, successor)
	if err := o.exchangeDependency(r, gone.ID, successor); err != nil {
		return err
	}
	if reading.KeepsDependentsBlocked(successor) {
		return o.tellSenderOfDeadDependency(r, successor)
	}
	return nil
}

// restoreDependencies makes r wait again when r loses its holder. r then waits for each freed dependency whose result
// stopped counting as done after r was claimed. For a returned dependency, r waits for the rework, unless the rework
// depends on r itself.
func (o *op) restoreDependencies(r *store.Record) error {
	for _, id := range slices.Clone(r.Freed) {
		gone := o.UsableRecord(id)
		if gone == nil || reading.IsDoneWell(gone) {
			continue
		}
		again := reading.NewestRework(o.View, gone)
		if o.findDependencyPath(r.ID, nil, []schemas.ID{again.ID}, map[schemas.ID]bool{}) != nil {
			continue
		}
		now, err := o.Record(r.ID)
		if err != nil {
			return err
		}
		if err := o.replaceDependency(now, gone); err != nil {
			return err
		}
	}
	return nil
}

// recordBegunDependent records that r was claimed or completed with a result that was returned or no longer counts as
// done. The holder of r is told.
func (o *op) recordBegunDependent(r, gone *store.Record) error {
	if r.Status == schemas.Completed || r.Status.IsHeld() {
		o.begunDependents = append(o.begunDependents, r)
	}
	if !r.Status.IsHeld() {
		return nil
	}
	what := fmt.Sprintf("was returned: %s does it again", gone.Successor)
	if gone.Status == schemas.Completed {
		what = "was seen not to pass its checks"
	}
	text := fmt.Sprintf("%s, with whose result you began, %s. Ask if that concerns your work, or release it: then it waits for that.", gone.ID, what)
	return o.NotifyAgent(r.Holder, operation.NoticeOf(life.Return, r, text))
}

// warnOfBegunDependents returns warnings that name the handoffs that were begun with the result of a handoff that is
// returned now, and its continuation.
func (o *op) warnOfBegunDependents(returned *store.Record) (warnings []string) {
	if next := reading.RecordOrNil(o.View, returned.Forwarded); next != nil && next.Status != schemas.Cancelled {
		warnings = append(warnings, fmt.Sprintf("%s, which continues the old result, is %s, for %s", next.ID, next.Status, next.To))
	}
	for _, r := range o.begunDependents {
		text := "%s waited for %s and was begun with the old result: %s holds it"
		if r.Status.HasEnded() {
			text = "%s waited for %s and is completed with the old result, by %s"
		}
		warnings = append(warnings, fmt.Sprintf(text, r.ID, returned.ID, r.Holder))
	}
	return warnings
}

// exchangeDependency replaces one dependency of r by another handoff. If `instead` is the same handoff as before, it
// records whether that dependency is met now. The change is one event of r, [life.Ready], which lists the dependencies
// that are still open. The change is made in the name of the clock, because the agent that changed the dependency need
// not have any right to r.
func (o *op) exchangeDependency(r *store.Record, dep schemas.ID, instead *store.Record) error {
	return o.RunAs(operation.ClockCaller, func() error {
		ready := &operation.RecordChange{Action: life.Ready, Other: dep}
		return o.ChangeRecord(ready, r, func(now *store.Record) {
			deps := dependenciesOf(now)
			deps.add(instead, deps.remove(dep))
			deps.writeTo(now)
			if blocked := listing.BlockerTexts(now); blocked != nil {
				ready.Content = schemas.UpdateIn{Note: "it waits for " + strings.Join(blocked, ", ")}
			}
		})
	})
}
