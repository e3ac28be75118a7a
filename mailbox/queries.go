package mailbox

import (
	"cmp"
	"context"
	"log/slog"
	"strings"
	"time"

	"handoff/mailbox/listing"
	"handoff/mailbox/offer"
	"handoff/mailbox/operation"
	"handoff/mailbox/overview"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// Get shows one handoff. Any caller may call it. The argument view selects the part that it shows:
//
//   - brief, the default: the text that its holder reads.
//   - full: all sent content, the state and the outcome.
//   - outcome: the result or the failure.
//   - events: the last 20 events, and earlier events with an offset.
//   - checkpoint: the last checkpoint.
//   - reference: one page of attached content, of a field of the sent content, or, for a path that begins with
//     outcome/, of a field of the outcome.
//
// An id such as no_7 shows a notice of the caller in full, and marks the notice read. Notices about a handoff are
// marked read when Get shows its outcome or its state. A call of the holder shows that the holder is still there, so it
// puts off the end of the lease.
//
// With wait_seconds, at most 50, Get first waits until the handoff changes. Without a view it then shows only the
// changes. With the view "outcome" it waits until the handoff ends. It returns at once for a question that the caller
// should answer. It also returns at once for an ended handoff, unless another agent still reviews the result. The
// session that asked a question gets the answer, and holds the handoff again. A wait that continues at another process
// misses no change.
//
// Errors:
//   - not_found: the handoff, the notice, the checkpoint or the reference does not exist.
//   - invalid: an unknown view; the id of a notice from a caller without a name.
//   - unavailable: the call was cut off while it waited.
//
// Get can be repeated freely. When a holder last called Get is only in the memory of this process. When the process
// dies, leases count from the last change in the store.
func (s *Service) Get(ctx context.Context, by schemas.Caller, in schemas.GetIn) (out schemas.GetOut, err error) {
	if strings.HasPrefix(in.HandoffID, "no_") {
		return s.readNotice(ctx, by, in.HandoffID)
	}
	if in.Reference != "" {
		if in.View = cmp.Or(in.View, "reference"); in.View != "reference" {
			return out, schemas.Invalidf("reference", "the view %s has no references", schemas.EscapeHidden(string(in.View))).
				WithHint("Leave out view to read the texts of the handoff, or leave out the reference to see the view. outcome/detail is the text of its outcome.")
		}
	}
	var since uint64
	if in.WaitSeconds > 0 {
		if since, err = s.awaitChange(ctx, by, in); err != nil {
			return out, err
		}
		if out, taken, err := s.reclaimAnswered(ctx, by, in); taken || err != nil {
			return out, err
		}
	}
	out, err = operation.Read(ctx, s.engine, func(v *store.View) (schemas.GetOut, error) { return s.showHandoff(v, by, in, since) })
	if err != nil || !showsOutcome(in, out) {
		return out, err
	}
	if err := s.markShownNoticesRead(ctx, by, out.HandoffID); err != nil { // the notices are delivered again
		s.Logger.WarnContext(ctx, "notices not marked", slog.Any("error", err))
	}
	return out, nil
}

// showsOutcome reports whether the result of a Get shows the state or the outcome of a handoff.
func showsOutcome(in schemas.GetIn, out schemas.GetOut) bool {
	asText := (in.View == "full" || in.View == "outcome") && out.Content != ""
	return asText || out.Standing != nil || out.Completion != nil || out.Failure != nil
}

// showHandoff makes the result of [Service.Get] on a snapshot. After a wait without a view it shows the changes since
// the event with the number since. If the caller is the holder, it records that the holder is still there.
func (s *Service) showHandoff(v *store.View, by schemas.Caller, in schemas.GetIn, since uint64) (out schemas.GetOut, err error) {
	r, err := reading.FindHandoff(v, in.HandoffID, by.Agent)
	if err != nil {
		return out, err
	}
	out.HandoffID, out.Status = r.ID, r.Status
	if err := addMayJudge(v, r, by.Agent, in.View, &out); err != nil {
		return out, err
	}
	holds := r.Status.IsHeld() && r.Holder == by.Agent
	if holds && (r.Conn == by.Conn || s.isClaimingSession(r, by)) && by.Scope != schemas.ScopeRead {
		s.here.RecordHeard(r.Token, s.Now())
	}
	out.MayTakeOver = holds && !s.isClaimingSession(r, by) && by.Via != schemas.ViaCLI
	if out.Asked, err = shouldAnswerQuestion(v, r, by.Agent); err != nil {
		return out, err
	}
	if in.View == "full" && by.Via != schemas.ViaCLI {
		in.MaxTokens = cmp.Or(in.MaxTokens, maxFullViewTokens)
	}
	if in.WaitSeconds > 0 && in.View == "" {
		err = s.reader.ShowChanges(v, r, since, &out)
		return out, err
	}
	err = cmp.Or(s.reader.ShowView(v, r, in, &out), s.addCandidates(v, r, &out))
	asAgentsRead(by, in.View, out.Completion)
	return out, err
}

// asAgentsRead puts a result into the places where agents read it. The command line shows it as it was written.
func asAgentsRead(by schemas.Caller, view schemas.View, done *schemas.Completion) {
	if view == "outcome" && done != nil && by.Via != schemas.ViaCLI {
		done.Result = done.AsRead()
	}
}

// addMayJudge tells the sender of completed work whether the sender judges the result or waits for a reviewer. Only the
// view "outcome" has this.
func addMayJudge(v *store.View, r *store.Record, by schemas.Agent, view schemas.View, out *schemas.GetOut) error {
	if view != "outcome" || r.Status != schemas.Completed || r.Accepted != 0 {
		return nil
	}
	to, err := reading.AgentToNotify(v, r)
	if err == nil && to == by {
		out.MayJudge, out.AwaitsReview = r.Review == 0, r.Review != 0
	}
	return err
}

// maxFullViewTokens is the largest size, in tokens, of a result with the view "full", because clients cut longer
// results. The exception is a call that asks for more tokens.
const maxFullViewTokens = 2500

// List shows rows of the caller's mail. Any caller may call it. The argument box selects the mail:
//
//   - inbox, the default: handoffs that the caller may claim, in the order of its queue.
//   - claimed: handoffs that the caller holds, or held, if the filter is an ended status.
//   - sent: handoffs that the caller sent.
//   - notices: notices of the caller. They then count as read, unless the caller may only read.
//   - all: all handoffs of the workspace, the newest first.
//
// Filters leave rows out: status, workflow, tags (one of them), type, a time since which the handoff was sent or ended,
// and words of its texts, see [reading.SearchWords]. A result has ten rows, or as many as the argument limit says, at
// most 50. It ends earlier at 7,000 bytes, or after a search through 1,000 rows. If more rows may follow, the result
// has a cursor. A call with the cursor continues after the last row. Damaged records are left out.
//
// The error is invalid for a query without a word, for a cursor that no list returned, and for a malformed workflow or
// time. It is also invalid for a caller without a name, unless the box is "all". List can be repeated freely.
func (s *Service) List(ctx context.Context, by schemas.Caller, in schemas.ListIn) (out schemas.ListOut, err error) {
	f, err := listing.ParseFilter(in, s.Now())
	if err != nil {
		return out, err
	}
	if in.Box != "all" && by.Agent == "" {
		return out, schemas.Invalidf("agent", "is needed to know whose %s", cmp.Or(in.Box, "inbox")).
			WithHint("Say who you are.").WithNext(schemas.AdviseCall(schemas.ListIn{Box: "all"}, "lists what is of everybody"))
	}
	if in.Box == "notices" {
		return s.listNotices(ctx, by, in, f)
	}
	if in.WaitSeconds > 0 {
		return out, schemas.Invalidf("wait_seconds", "waits only where notices are listed").
			WithNext(schemas.AdviseCall(schemas.ListIn{Box: "notices", WaitSeconds: in.WaitSeconds}, "waits for anything of yours"))
	}
	behind := s.engine.TryApplyDueChanges(ctx)
	return operation.ReadSnapshot(ctx, s.engine, func(v *store.View) (schemas.ListOut, error) {
		out, err := f.HandoffPage(v, by.Agent, s.offers(v).Inbox, s.addReasonAndLastSign)
		if err == nil && in.Box != "all" && in.Query != "" {
			err = countMatchesElsewhere(v, in, s.Now(), &out)
		}
		out.Warnings = s.engine.OverdueWarning(v, behind)
		return out, err
	})
}

// countMatchesElsewhere counts the handoffs of the whole workspace that match a query, if no handoff in the box of the
// caller matches. The caller then learns that a list of the box "all" would find handoffs.
func countMatchesElsewhere(v *store.View, in schemas.ListIn, now time.Time, out *schemas.ListOut) error {
	if len(out.Items) > 0 || in.Cursor != "" {
		return nil
	}
	in.Box = "all"
	f, err := listing.ParseFilter(in, now)
	if err != nil {
		return err
	}
	quiet := func(*store.View, *store.Record, *schemas.ListItem) {}
	all, err := f.HandoffPage(v, "", nil, quiet)
	out.FoundElsewhere, out.UnmatchedWords, out.MatchedWords = max(all.Total, len(all.Items)), all.UnmatchedWords, all.MatchedWords
	return err
}

// maxReason is the longest reason in a row of a list, in bytes.
const maxReason = 160

// addReasonAndLastSign adds the reason for the state of a handoff, and the time at which the server last heard of its
// holder, to a row of a list. If the reason cannot be read, the row is shown without it. The row of returned work has
// no reason, because the row of its rework has the reason of the return.
func (s *Service) addReasonAndLastSign(v *store.View, r *store.Record, it *schemas.ListItem) {
	if it.LastSign = s.reader.LastSignOfLife(r); r.Status == schemas.Returned {
		return
	}
	reason, err := s.reader.StateReason(v, r)
	if err != nil {
		s.Logger.Error("a reason was left out", slog.String("handoff", r.ID.String()), slog.Any("error", err))
	}
	it.Reason = schemas.EscapeHidden(schemas.Shorten(reason, maxReason))
}

// listNotices shows the caller's notices. With wait_seconds it waits until the caller has an unread notice or more mail
// to claim, and then shows only unread notices.
func (s *Service) listNotices(
	ctx context.Context, by schemas.Caller, in schemas.ListIn, f listing.Filter,
) (out schemas.ListOut, err error) {
	if last, found, err := lastAnswer[schemas.ListOut](ctx, s, by); found || err != nil {
		return last, err
	}
	waits, mail := in.WaitSeconds > 0, false
	if waits {
		if mail, err = s.awaitMail(ctx, by, in.WaitSeconds); err != nil {
			return out, err
		}
	}
	err = s.showNotices(ctx, by, &out, func(v *store.View) (shown []schemas.NoticeID, err error) {
		out, shown, err = f.NoticePage(v, by.Agent, waits)
		out.Claimable = mail
		return shown, err
	})
	return out, err
}

// Inbox counts the mail that an agent may claim, its urgent mail, and its unread notices. Package tools calls it after
// each call, to tell the caller. It reads one row for each mailbox of the agent. It does not apply due changes, so it
// may count a handoff whose delay has just ended only at the next call. The errors come from the store.
func (s *Service) Inbox(ctx context.Context, agent schemas.Agent) (schemas.InboxCounts, error) {
	return operation.ReadSnapshot(ctx, s.engine, func(v *store.View) (schemas.InboxCounts, error) { return s.offers(v).CountInbox(agent) })
}

// offers returns the offers to agents in a snapshot.
func (e *env) offers(v *store.View) offer.Offers { return offer.Offers{View: v, Here: e.here} }

// History shows all handoffs of a workflow with their outcomes, as a tree, as rows or as a Mermaid diagram. The call
// names a handoff or a workflow. If it names neither, it gets the workflow of the newest handoff. Any caller may call
// History.
//
// The field verified reports whether each shown handoff agrees with its events in the registry. It is false if a record
// cannot be read. The argument limit is the largest number of handoffs in a result, and may be up to 500. Without it, a
// result has at most 50 handoffs, and ends earlier at 7,000 bytes. The field more counts the handoffs that were left
// out; the sums count them, too.
//
// The error is not_found for an unknown handoff or workflow and for an empty workspace, and invalid for a malformed
// name of a workflow. History changes nothing.
func (s *Service) History(ctx context.Context, _ schemas.Caller, in schemas.HistoryIn) (schemas.HistoryOut, error) {
	behind := s.engine.TryApplyDueChanges(ctx)
	return operation.ReadSnapshot(ctx, s.engine, func(v *store.View) (schemas.HistoryOut, error) {
		out, err := s.reader.History(v, in, s.Now())
		out.Warnings = s.engine.OverdueWarning(v, behind)
		return out, err
	})
}

// Overview shows the state of the workspace to the person that looks after it: handoffs that need the person, the
// current work of agents, stuck handoffs with the reasons, and counts, see [overview.Compute]. Any caller may call it.
// It applies due changes, and marks no notice read.
//
// Each part of the result has 20 rows at most, or as many as the argument limit says, and counts the rows that were
// left out. The only errors come from the store. Overview can be repeated freely.
func (s *Service) Overview(ctx context.Context, by schemas.Caller, in schemas.OverviewIn) (schemas.OverviewOut, error) {
	now, _ := s.clock.Read()
	behind := s.engine.TryApplyDueChanges(ctx)
	return operation.ReadSnapshot(ctx, s.engine, func(v *store.View) (schemas.OverviewOut, error) {
		known, unknown := s.knownAgents(v, now)
		set, err := s.currentRules(v)
		if err = cmp.Or(unknown, err); err != nil {
			return schemas.OverviewOut{}, err
		}
		leave := func(r *store.Record) string {
			if len(set.waiting.PlanNames()) == 0 {
				return "" // saves reading the content
			}
			plan, _, _ := strings.Cut(stepOf(v, r), "/")
			return set.unallowedFileOfWorkflow(plan)
		}
		out, err := overview.Compute(v, overview.Config{
			Now: now, Limit: in.Limit, Silence: s.leases.SilenceLimit, Known: known, Clients: by.Clients, Reader: s.reader, Offers: s.offers(v),
			FileAwaitingPermission: leave,
		})
		out.Warnings = s.engine.OverdueWarning(v, behind)
		return out, err
	})
}

// knownAgents returns the agents of a workspace, a thousand at most, and whether each agent is live or present now.
func (s *Service) knownAgents(v *store.View, now time.Time) (known []offer.KnownAgent, err error) {
	for a, err := range reading.AtMost(reading.MaxScanned, s.allAgents(v)) {
		if err != nil {
			return nil, err
		}
		present := s.here.IsNameInUse(a) || a.Client == "" && now.Sub(a.Seen.Time()).Abs() < overview.Patience
		live := s.here.IsActing(a.Card.Name) || s.here.NameFacts(a).IsHeld()
		known = append(known, offer.KnownAgent{Agent: a, IsLive: live, IsPresent: present})
	}
	return known, nil
}

// Declared returns the digest of the last declaration. A process whose declaration has the same digest need not call
// [Service.Declare], because nothing would change.
func (s *Service) Declared(ctx context.Context, _ schemas.Caller, _ schemas.DeclaredIn) (schemas.DeclaredOut, error) {
	last, err := operation.ReadSnapshot(ctx, s.engine, (*store.View).DeclarationDigest)
	return schemas.DeclaredOut{Digest: last}, err
}
