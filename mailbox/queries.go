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

// Get shows one handoff. The view says how much of it: brief, the text that its holder reads (the default); full, all
// sent content, the state and the outcome; outcome; events, the last 20 events, and earlier ones with an offset;
// checkpoint, the last checkpoint; reference, one page of attached content, of a field of the sent content, or, for a
// path that begins with outcome/, of a field of the outcome. An id such as no_7 shows a notice of the caller in full,
// and marks it read. Any caller may call Get; it changes nothing else. A call of the holder counts as a sign of the
// holder and so puts off the end of the lease.
//
// With wait_seconds, at most 50, it first waits until the handoff changes; with view outcome, until it ended. Without a
// view it then shows the changes. It returns at once if the handoff has ended, unless another agent still reviews its
// result, and if the caller should answer a question. The session that asked a question gets the answer as soon as
// there is one, and holds the handoff again. A wait that continues at another process counts from its first beginning,
// and misses no change. Notices about a handoff count as read when its outcome or its state is shown.
//
// Errors:
//   - not_found: a handoff, a notice, a checkpoint or a reference that does not exist.
//   - invalid: another view, and a notice without an agent.
//   - unavailable: the call was cut off while it waited.
//
// Get can be repeated freely. The signs of the holder are in the memory of this process; when the process dies, leases
// count from the last change in the store.
func (s *Service) Get(ctx context.Context, by schemas.Caller, in schemas.GetIn) (out schemas.GetOut, err error) {
	if strings.HasPrefix(in.HandoffID, "no_") {
		return s.readNotice(ctx, by, in.HandoffID)
	}
	if in.Reference != "" {
		if in.View = cmp.Or(in.View, "reference"); in.View != "reference" {
			return out, schemas.Invalidf("reference", "the view %s has no references", schemas.Visible(string(in.View))).
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

// showsOutcome reports whether the result of a Get shows the state or the outcome of a handoff, in its fields or as
// text.
func showsOutcome(in schemas.GetIn, out schemas.GetOut) bool {
	asText := (in.View == "full" || in.View == "outcome") && out.Content != ""
	return asText || out.Standing != nil || out.Completion != nil || out.Failure != nil
}

// showHandoff makes the result of [Service.Get] on a snapshot. After a wait without a view it shows the changes since the
// event with the number since. If the caller is the holder, it notes a sign of the holder.
func (s *Service) showHandoff(v *store.View, by schemas.Caller, in schemas.GetIn, since uint64) (out schemas.GetOut, err error) {
	r, err := reading.Find(v, in.HandoffID, by.Agent)
	if err != nil {
		return out, err
	}
	out.HandoffID, out.Status = r.ID, r.Status
	if err := addWhoJudges(v, r, by.Agent, in.View, &out); err != nil {
		return out, err
	}
	holds := r.Status.Held() && r.Holder == by.Agent
	if holds && r.Conn == by.Conn && by.Scope != schemas.ScopeRead {
		s.here.NoteHeard(r.Token, s.Now())
	}
	out.MayTakeOver = holds && !isClaimingSession(r, by) && by.Via != schemas.ViaCLI
	if out.Asked, err = shouldAnswerQuestion(v, r, by.Agent); err != nil {
		return out, err
	}
	if in.View == "full" && in.MaxTokens == 0 && by.Via != schemas.ViaCLI {
		in.MaxTokens = fullTokens
	}
	if in.WaitSeconds > 0 && in.View == "" {
		err = s.reader.ShowChanges(v, r, since, &out)
		return out, err
	}
	err = cmp.Or(s.reader.ShowView(v, r, in, &out), s.addCandidates(v, r, &out))
	return out, err
}

// addWhoJudges tells the sender of completed work, with its outcome, whether the sender judges it or waits for a reviewer.
func addWhoJudges(v *store.View, r *store.Record, by schemas.Agent, view schemas.View, out *schemas.GetOut) error {
	if view != "outcome" || r.Status != schemas.Completed || r.Accepted != 0 {
		return nil
	}
	to, err := reading.AgentToNotify(v, r)
	if err == nil && to == by {
		out.MayJudge, out.AwaitsReview = r.Review == 0, r.Review != 0
	}
	return err
}

// fullTokens is the largest size, in tokens, of a result of view full, unless the caller asks for more: clients cut
// longer results.
const fullTokens = 2500

// List shows rows of the caller's mail: handoffs that it may claim, in the order of its queue (box inbox, the default);
// handoffs that it holds, or held, for an ended status (claimed); handoffs that it sent (sent); its notices (notices);
// or all handoffs of the workspace (all), the newest first. Any caller calls it. Shown notices count as read, unless
// the caller may only read; otherwise nothing changes.
//
// Filters leave rows out: status, workflow, tags (one of them), type, a time since which it was sent or ended, and
// words of its task, decisions and result. A result has ten rows, or the number limit, at most 50. It ends earlier at
// 7,000 bytes, but has at least one row, and after a search through 1,000 rows. If more rows may follow, it has a
// cursor; a call with the cursor continues behind the last row, even if that handoff was claimed meanwhile. Damaged
// records are left out.
//
// The error is invalid for a query without a word, for a cursor that no list returned, for a workflow or a time that
// cannot be read, and for a box other than all without an agent. List can be repeated freely; a second list of notices
// shows the same notices, now as read.
func (s *Service) List(ctx context.Context, by schemas.Caller, in schemas.ListIn) (out schemas.ListOut, err error) {
	f, err := listing.ParseFilter(in, s.Now())
	if err != nil {
		return out, err
	}
	if in.Box != "all" && by.Agent == "" {
		return out, schemas.Invalidf("agent", "is needed to know whose %s", cmp.Or(in.Box, "inbox")).
			WithHint("Say who you are.").WithNext(schemas.Call(schemas.ListIn{Box: "all"}, "lists what is of everybody"))
	}
	if in.Box == "notices" {
		return s.listNotices(ctx, by, in, f)
	}
	if in.WaitSeconds > 0 {
		return out, schemas.Invalidf("wait_seconds", "waits only where notices are listed").
			WithNext(schemas.Call(schemas.ListIn{Box: "notices", WaitSeconds: in.WaitSeconds}, "waits for anything of yours"))
	}
	behind := s.engine.TryApplyDueChanges(ctx)
	return operation.ReadSnapshot(ctx, s.engine, func(v *store.View) (schemas.ListOut, error) {
		out, err := f.HandoffPage(v, by.Agent, s.offers(v).AgentBoxes, s.addReason)
		if err == nil && in.Box != "all" && in.Query != "" {
			err = countMatchesElsewhere(v, in, s.Now(), &out)
		}
		out.Warnings = s.engine.OverdueWarning(v, behind)
		return out, err
	})
}

// countMatchesElsewhere runs when a query matches nothing in the box of the caller. It counts the handoffs of the whole
// workspace that match the query, so that the result can name that number.
func countMatchesElsewhere(v *store.View, in schemas.ListIn, now time.Time, out *schemas.ListOut) error {
	if len(out.Items) > 0 || in.Cursor != "" {
		return nil
	}
	in.Box = "all"
	f, err := listing.ParseFilter(in, now)
	if err != nil {
		return err
	}
	quiet := func(*store.View, *store.Record, *schemas.Item) {}
	all, err := f.HandoffPage(v, "", nil, quiet)
	out.FoundElsewhere, out.UnmatchedWords, out.MatchedWords = max(all.Total, len(all.Items)), all.UnmatchedWords, all.MatchedWords
	return err
}

// maxReason is the longest reason in a row of a list, in bytes.
const maxReason = 160

// addReason adds to a row the reason for its state, and the last sign of its holder. If the reason cannot be read, the
// row is shown without it. The row of returned work has no reason; the row of its rework has the reason of the return.
func (s *Service) addReason(v *store.View, r *store.Record, it *schemas.Item) {
	if it.LastSign = s.reader.LastSignOfLife(r); r.Status == schemas.Returned {
		return
	}
	reason, err := s.reader.StateReason(v, r)
	if err != nil {
		s.Logger.Error("a reason was left out", slog.String("handoff", r.ID.String()), slog.Any("error", err))
	}
	it.Reason = schemas.Visible(schemas.Shorten(reason, maxReason))
}

// listNotices shows the caller's notices. With wait_seconds it waits until the caller has an unread notice or more mail
// to claim, and then shows only the unread notices.
func (s *Service) listNotices(
	ctx context.Context, by schemas.Caller, in schemas.ListIn, f listing.Filter,
) (out schemas.ListOut, err error) {
	list, mail := f.NoticePage, false
	if in.WaitSeconds > 0 {
		list = f.UnreadNoticePage
		if mail, err = s.awaitMail(ctx, by, in.WaitSeconds); err != nil {
			return out, err
		}
	}
	err = s.showNotices(ctx, by, func(v *store.View) (shown []schemas.NoticeID, err error) {
		out, shown, err = list(v, by.Agent)
		out.Claimable = mail
		return shown, err
	})
	return out, err
}

// Inbox counts the mail that an agent may claim, the urgent mail among it, and its unread notices. Package tools calls
// it after each call, to tell the caller. Inbox is cheap, one row for each mailbox of the agent. It changes nothing and
// does not apply due changes, so a handoff whose delay has just ended may only be counted at the next call. The errors
// come from the store.
func (s *Service) Inbox(ctx context.Context, agent schemas.Agent) (schemas.Inbox, error) {
	return operation.ReadSnapshot(ctx, s.engine, func(v *store.View) (schemas.Inbox, error) { return s.offers(v).CountInbox(agent) })
}

// offers returns the offers to agents in a snapshot.
func (e *env) offers(v *store.View) offer.Offers { return offer.Offers{View: v, Here: e.here} }

// History shows all handoffs of a workflow, as a tree, as rows or as a Mermaid diagram, each with its outcome: the
// workflow of a given handoff, a given workflow, or the workflow of the newest handoff. Any caller calls it; nothing
// changes.
//
// The field verified reports whether each shown handoff agrees with its events in the registry; it is false if a record
// cannot be read. A result has at most limit handoffs, which may be up to 500. Without limit it has at most 50, and
// ends earlier at 7,000 bytes. The field more counts the handoffs that are left out.
//
// The error is not_found for a handoff or a workflow that does not exist, and for a workspace without handoffs; invalid
// for the name of a workflow that cannot be one. It can be repeated freely.
func (s *Service) History(ctx context.Context, _ schemas.Caller, in schemas.HistoryIn) (schemas.HistoryOut, error) {
	behind := s.engine.TryApplyDueChanges(ctx)
	return operation.ReadSnapshot(ctx, s.engine, func(v *store.View) (schemas.HistoryOut, error) {
		out, err := s.reader.History(v, in, s.Now())
		out.Warnings = s.engine.OverdueWarning(v, behind)
		return out, err
	})
}

// Overview shows the state of the workspace to the person that looks after it: handoffs that need the person, the
// current work of agents, stuck handoffs with the reasons, and counts, see [overview.Compute]. Any caller calls it. It
// changes nothing but applies due changes, and marks no notice as read.
//
// Each part of the result has at most limit rows, 20 by default, and counts the others. Overview reads a bounded number
// of rows, however large the workspace is. The only errors come from the store. Overview can be repeated freely.
func (s *Service) Overview(ctx context.Context, _ schemas.Caller, in schemas.OverviewIn) (schemas.OverviewOut, error) {
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
			return set.unallowedFileOf(plan)
		}
		out, err := overview.Compute(v, overview.Config{
			Now: now, Limit: in.Limit, Silence: s.leases.SilenceLimit, Known: known, Reader: s.reader, Offers: s.offers(v), LeaveFile: leave,
		})
		out.Warnings = s.engine.OverdueWarning(v, behind)
		return out, err
	})
}

// hereAfterCall is how long an agent counts as present after a call, if no connection shows whether the agent is still
// there.
const hereAfterCall = 5 * time.Minute

// knownAgents returns the agents of a workspace, a thousand at most. For each it says whether the agent is present now,
// as far as the server can tell.
func (s *Service) knownAgents(v *store.View, now time.Time) (known []offer.KnownAgent, err error) {
	for a, err := range reading.AtMost(reading.MaxScanned, s.allAgents(v)) {
		if err != nil {
			return nil, err
		}
		here := s.here.IsNameInUse(a) || a.Client == "" && now.Sub(a.Seen.Time()).Abs() < hereAfterCall
		known = append(known, offer.KnownAgent{Agent: a, Here: here})
	}
	return known, nil
}

// Declared returns the digest of the last declaration. A process whose declaration has the same digest need not declare
// it again, because that would change nothing.
func (s *Service) Declared(ctx context.Context, _ schemas.Caller, _ schemas.DeclaredIn) (schemas.DeclaredOut, error) {
	last, err := operation.ReadSnapshot(ctx, s.engine, (*store.View).DeclarationDigest)
	return schemas.DeclaredOut{Digest: last}, err
}
