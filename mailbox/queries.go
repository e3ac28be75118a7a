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

// Get shows one handoff, as deep as the view says: brief, as its holder reads it (the default); full, all that was
// sent, where it stands and what came of it; outcome; events, the last 20, and earlier ones with an offset; checkpoint,
// where work stood last; reference, content that was sent along or a field of what was sent, or of what came of it
// below outcome/, a page a result. An id as no_7 shows a notice of the caller in full, and marks it read. Any caller
// calls it; nothing else changes. While the connection of the holder is open, its calls put off the end of the lease.
//
// With wait_seconds, at most 50, it first waits until the handoff changes; with view outcome, until it ended. Without a
// view it then shows what changed. A handoff that ended is shown at once, unless another agent reviews its result. So
// is a question that the caller is to answer, and to a session that asked the answer, with its claim. A wait that is
// taken up at another process begins where it was, and misses no change. What tells the caller of a handoff whose
// outcome or standing it is shown counts as read.
//
// Errors:
//   - not_found: a handoff, a notice, a checkpoint or a reference that does not exist.
//   - invalid: another view, and a notice without an agent.
//   - unavailable: the call was cut off while it waited.
//
// It can be repeated freely. That the holder was heard of is memory of this process; when it dies, leases count from
// the last change that is in the store.
func (s *Service) Get(ctx context.Context, by schemas.Caller, in schemas.GetIn) (out schemas.GetOut, err error) {
	if strings.HasPrefix(in.HandoffID, "no_") {
		return s.readNotice(ctx, by, in.HandoffID)
	}
	if in.Reference != "" {
		if in.View = cmp.Or(in.View, "reference"); in.View != "reference" {
			return out, schemas.Invalidf("reference", "the view %s has no references", schemas.Visible(string(in.View))).
				WithHint("Leave the view out to read what was sent, or what came of it as outcome/detail; or the reference to see the view.")
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
	out, err = operation.Read(ctx, s.engine, func(v *store.View) (schemas.GetOut, error) { return s.show(v, by, in, since) })
	if err != nil || !showsOutcome(in, out) {
		return out, err
	}
	if err := s.markShownRead(ctx, by, out.HandoffID); err != nil { // it is shown all the same, and told again
		s.Logger.WarnContext(ctx, "notices not marked", slog.Any("error", err))
	}
	return out, nil
}

// showsOutcome tells whether an answer shows where a handoff stands or what came of it, in its fields or as text.
func showsOutcome(in schemas.GetIn, out schemas.GetOut) bool {
	asText := (in.View == "full" || in.View == "outcome") && out.Content != ""
	return asText || out.Standing != nil || out.Completion != nil || out.Failure != nil
}

// show is what a caller gets to see on a snapshot. After a wait without a view that is what changed since an event. It
// notes that the holder was heard of.
func (s *Service) show(v *store.View, by schemas.Caller, in schemas.GetIn, since uint64) (out schemas.GetOut, err error) {
	r, err := reading.Find(v, in.HandoffID, by.Agent)
	if err != nil {
		return out, err
	}
	out.HandoffID, out.Status = r.ID, r.Status
	if err := addJudge(v, r, by.Agent, in.View, &out); err != nil {
		return out, err
	}
	holds := r.Status.Held() && r.Holder == by.Agent
	if holds && r.Conn == by.Conn && by.Scope != schemas.ScopeRead {
		s.here.NoteHeard(r.Token, s.Now())
	}
	out.MayTakeOver = holds && !sameSession(r, by) && by.Via != schemas.ViaCLI
	if out.Asked, err = isAsked(v, r, by.Agent); err != nil {
		return out, err
	}
	if in.View == "full" && in.MaxTokens == 0 && by.Via != schemas.ViaCLI {
		in.MaxTokens = fullTokens
	}
	if in.WaitSeconds > 0 && in.View == "" {
		err = s.reader.ShowChanges(v, r, since, &out)
		return out, err
	}
	err = cmp.Or(s.reader.Show(v, r, in, &out), s.addCandidates(v, r, &out))
	return out, err
}

// addJudge tells the sender of completed work, with its outcome, whether the sender judges it or waits for a reviewer.
func addJudge(v *store.View, r *store.Record, by schemas.Agent, view schemas.View, out *schemas.GetOut) error {
	if view != "outcome" || r.Status != schemas.Completed || r.Accepted != 0 {
		return nil
	}
	to, err := reading.Principal(v, r)
	if err == nil && to == by {
		out.MayJudge, out.AwaitsReview = r.Review == 0, r.Review != 0
	}
	return err
}

// fullTokens is how much of a view full a model gets at once, unless it asks for more: clients cut what is longer.
const fullTokens = 2500

// List shows rows of the caller's mail: what it may claim, in the order of claiming (box inbox, the default); what it
// holds, or held, for an ended status (claimed); what it sent (sent); its notices (notices); or all handoffs of the
// workspace (all), the newest first. Any caller calls it. Notices that are shown count as read, unless the caller may
// only read; otherwise nothing changes.
//
// Filters leave rows out: status, workflow, tags (one of them), type, a time since which it was sent or ended, and
// words of what was asked, decided and delivered. A result has ten rows, or limit, at most 50; 7,000 bytes, but at
// least one row; and looks at 1,000 rows. Where more may follow it has a cursor, which goes on behind the last row,
// also if that was claimed meanwhile. Damaged records are left out.
//
// The error is invalid for a query without a word, for a cursor that no list gave, for a workflow or a time that cannot
// be read, and for a box other than all without an agent. It can be repeated freely; a second list of notices shows the
// same ones, as read.
func (s *Service) List(ctx context.Context, by schemas.Caller, in schemas.ListIn) (out schemas.ListOut, err error) {
	f, err := listing.Parse(in, s.Now())
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
	behind := s.engine.ApplyTime(ctx)
	return operation.ReadSnapshot(ctx, s.engine, func(v *store.View) (schemas.ListOut, error) {
		out, err := f.Handoffs(v, by.Agent, s.offers(v).Boxes, s.addReason)
		if err == nil && in.Box != "all" && in.Query != "" {
			err = countElsewhere(v, in, s.Now(), &out)
		}
		out.Warnings = s.engine.OverdueWarning(v, behind)
		return out, err
	})
}

// countElsewhere counts in all boxes what a query does not find in one.
func countElsewhere(v *store.View, in schemas.ListIn, now time.Time, out *schemas.ListOut) error {
	if len(out.Items) > 0 || in.Cursor != "" {
		return nil
	}
	in.Box = "all"
	f, err := listing.Parse(in, now)
	if err != nil {
		return err
	}
	quiet := func(*store.View, *store.Record, *schemas.Item) {}
	all, err := f.Handoffs(v, "", nil, quiet)
	out.FoundElsewhere, out.UnmatchedWords, out.MatchedWords = max(all.Total, len(all.Items)), all.UnmatchedWords, all.MatchedWords
	return err
}

// maxReason is how much a row of a list says of why it stands so, in bytes.
const maxReason = 160

// addReason adds to a row why the handoff stands so, and when its holder was heard of. A reason that cannot be read is
// left out: it hides no row. The rework of returned work says why it was returned.
func (s *Service) addReason(v *store.View, r *store.Record, it *schemas.Item) {
	if it.LastSign = s.reader.LastSign(r); r.Status == schemas.Returned {
		return
	}
	reason, err := s.reader.Reason(v, r)
	if err != nil {
		s.Logger.Error("a reason was left out", slog.String("handoff", r.ID.String()), slog.Any("error", err))
	}
	it.Reason = schemas.Visible(schemas.Shorten(reason, maxReason))
}

// listNotices shows the caller's notices; with wait_seconds those that are unread, as soon as there are some or as
// something more may be claimed.
func (s *Service) listNotices(
	ctx context.Context, by schemas.Caller, in schemas.ListIn, f listing.Filter,
) (out schemas.ListOut, err error) {
	list, mail := f.Notices, false
	if in.WaitSeconds > 0 {
		list = f.Unread
		if mail, err = s.awaitNews(ctx, by, in.WaitSeconds); err != nil {
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

// Inbox counts the mail that an agent may claim, how much of it is urgent, and its unread notices. Package tools calls
// it after each call, to tell the caller. It reads a row for each mailbox of the agent, changes nothing, and does not
// apply what the clock has changed: a handoff whose delay has just ended is counted by the next call. The errors are
// those of the store.
func (s *Service) Inbox(ctx context.Context, agent schemas.Agent) (schemas.Inbox, error) {
	return operation.ReadSnapshot(ctx, s.engine, func(v *store.View) (schemas.Inbox, error) { return s.offers(v).Inbox(agent) })
}

// offers is what agents are offered in a snapshot.
func (e *env) offers(v *store.View) offer.Offers { return offer.Offers{View: v, Here: e.here} }

// History shows all handoffs of a workflow, as a tree, as rows or as a Mermaid diagram, with what came of each: the
// workflow of a given handoff, a given one, or that of the newest handoff. Any caller calls it; nothing changes.
//
// Verified tells whether each shown handoff agrees with its events in the registry; it is false where a record cannot
// be read. A result has 50 handoffs, or limit, at most 500; without a limit, as many as fit into 7,000 bytes. More
// counts those that are left out.
//
// The error is not_found for a handoff or a workflow that does not exist, and for a workspace in which nothing was
// sent; invalid for the name of a workflow that cannot be one. It can be repeated freely.
func (s *Service) History(ctx context.Context, _ schemas.Caller, in schemas.HistoryIn) (schemas.HistoryOut, error) {
	behind := s.engine.ApplyTime(ctx)
	return operation.ReadSnapshot(ctx, s.engine, func(v *store.View) (schemas.HistoryOut, error) {
		out, err := s.reader.History(v, in, s.Now())
		out.Warnings = s.engine.OverdueWarning(v, behind)
		return out, err
	})
}

// Overview tells what is going on in the workspace, for the person who looks after it: what needs the person, what
// agents are at work on, what is stuck and why, and how much there is, see [overview.Compute]. Any caller calls it; nothing
// changes but what the clock has changed, and no notice counts as read.
//
// A part has limit rows, 20 by default, and counts the others. The number of rows that are read is bounded, whatever the
// workspace holds. The only errors are those of the store. It can be repeated freely.
func (s *Service) Overview(ctx context.Context, _ schemas.Caller, in schemas.OverviewIn) (schemas.OverviewOut, error) {
	now, _ := s.clock.Read()
	behind := s.engine.ApplyTime(ctx)
	return operation.ReadSnapshot(ctx, s.engine, func(v *store.View) (schemas.OverviewOut, error) {
		known, unknown := s.knownAgents(v, now)
		set, err := s.currentRules(v)
		if err = cmp.Or(unknown, err); err != nil {
			return schemas.OverviewOut{}, err
		}
		leave := func(r *store.Record) string {
			if len(set.waiting.Plans()) == 0 {
				return "" // without reading what was sent
			}
			plan, _, _ := strings.Cut(stepOf(v, r), "/")
			return set.waitingFile(plan)
		}
		out, err := overview.Compute(v, overview.Config{
			Now: now, Limit: in.Limit, Silence: s.leases.SilenceLimit, Known: known, Reader: s.reader, Offers: s.offers(v), LeaveFile: leave,
		})
		out.Warnings = s.engine.OverdueWarning(v, behind)
		return out, err
	})
}

// hereAfterCall is for how long an agent counts as here after a call, where no connection shows whether it is.
const hereAfterCall = 5 * time.Minute

// knownAgents are the agents of a workspace, a thousand at most, with whether each is here as far as anybody knows.
func (s *Service) knownAgents(v *store.View, now time.Time) (known []offer.KnownAgent, err error) {
	for a, err := range reading.AtMost(reading.MaxScanned, s.allAgents(v)) {
		if err != nil {
			return nil, err
		}
		here := s.here.IsInUse(a) || a.Client == "" && now.Sub(a.Seen.Time()).Abs() < hereAfterCall
		known = append(known, offer.KnownAgent{Agent: a, Here: here})
	}
	return known, nil
}

// Declared gives the digest of what was declared last. Whoever would declare the same again need not: nothing but
// another declaration changes what a repetition would find.
func (s *Service) Declared(ctx context.Context, _ schemas.Caller, _ schemas.DeclaredIn) (schemas.DeclaredOut, error) {
	last, err := operation.ReadSnapshot(ctx, s.engine, (*store.View).Declared)
	return schemas.DeclaredOut{Digest: last}, err
}
