package mailbox

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
	"sync"
	"time"

	"handoff/mailbox/life"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// changesRead is how many events are read in one snapshot.
const changesRead = 256

// Changes yields the events of the registry after a number, in their order and without a gap, and then waits for more.
// A watcher calls it: the command watch, the figures and traces, the notifications over MCP, another process of the
// same workspace. It writes nothing but what the clock has changed, and looks at least once a minute.
//
// It ends when ctx is done, with the error of ctx last; with unavailable or internal, if events cannot be read; or when
// the loop around it breaks. Whoever begins again after the last number that it saw, also at another process, misses
// nothing and sees nothing twice. An event whose handoff cannot be read comes without what the record would add; what a
// record adds is how it is now, not how it was at the event. A watcher that is slow holds up nobody: events are read in
// snapshots of 256.
func (s *Service) Changes(ctx context.Context, after uint64) iter.Seq2[schemas.Change, error] {
	return func(yield func(schemas.Change, error) bool) {
		for {
			more := s.hub.NextChange()
			changes, err := s.changesAfter(ctx, after)
			if err != nil {
				yield(schemas.Change{}, err)
				return
			}
			for _, c := range changes {
				if !yield(c, nil) {
					return
				}
				after = c.N
			}
			if len(changes) > 0 {
				continue
			}
			if err := s.sleep(ctx, more, s.Now().Add(time.Minute)); err != nil {
				yield(schemas.Change{}, err)
				return
			}
		}
	}
}

// changesAfter reads the next events, 256 at most, with what their records say now.
func (s *Service) changesAfter(ctx context.Context, after uint64) ([]schemas.Change, error) {
	return read(ctx, s, func(v *store.View) (changes []schemas.Change, err error) {
		for e, err := range v.EventsAfter(after) {
			if err != nil || len(changes) == changesRead {
				return changes, err
			}
			changes = append(changes, changeOf(v, e))
		}
		return changes, nil
	})
}

// changeOf adds to an event what its record says now; of the holder only what was so by then. A message has no record:
// what was sent names its recipient.
func changeOf(v *store.View, e schemas.Event) schemas.Change {
	c := schemas.Change{Event: e, Text: reading.Text(v, e)}
	if life.Action(e.Action) == life.Message {
		var sent schemas.Handoff
		if v.Saying(e.Handoff, e.N, &sent) == nil { // else it was erased
			c.Box, c.Sender, c.Title = schemas.Address(sent.Target.Agent), e.Agent, sent.Title
			c.Text, c.Notice = schemas.Shorten(sent.Task, reading.MostOfText), noticeAt(v, sent.Target.Agent, e)
		}
		return c
	}
	r := reading.Readable(v, e.Handoff)
	if r == nil {
		return c
	}
	c.Workflow, c.Box, c.Sender, c.Holder, c.Title = r.Workflow, r.To, r.From, r.Holder, r.Title
	switch life.Action(e.Action) { //nolint:exhaustive // at the others the holder may be the one of now
	case life.Claim, life.Reclaim:
		c.Holder = e.Agent
	case life.Send:
		c.Holder = ""
	}
	return c
}

// noticeAt is the notice that the event of a message left, 0 where it is not found among the last ones.
func noticeAt(v *store.View, to schemas.Agent, e schemas.Event) schemas.NoticeID {
	looked := 0
	for n, err := range v.Notices(to, 0) {
		if looked++; err != nil || n.At.Before(e.At) || looked > mostLooked {
			break
		}
		if n.At.Equal(e.At) && n.From == e.Agent && n.Kind == schemas.TypeMessage {
			return n.ID
		}
	}
	return 0
}

// Head gives the number of the newest event, 0 for none, and tells why the last commit could not be kept, if one could
// not. A watcher calls it to begin with what comes from now on, and whoever checks the health of a server. It neither
// writes nor applies what the clock has changed, so it answers on a full disk, too. The errors are those of the store.
func (s *Service) Head(ctx context.Context, _ schemas.Caller, _ schemas.NewestIn) (out schemas.NewestOut, err error) {
	out.Event, err = look(ctx, s, (*store.View).Events)
	if err == nil && s.Failed != nil {
		if failed := s.Failed(); failed != nil {
			out.Failing = schemas.AsError(coded(failed)).Message
		}
	}
	return out, err
}

// Audit walks the whole registry, from the first event, and compares it with the records and with what was said. A
// person calls it with handoff audit verify; it takes about as long as reading the whole store, and nobody is kept from
// working meanwhile. It changes nothing and can be repeated. What does not agree is in the result; an error is only
// that the store cannot be read.
func (s *Service) Audit(ctx context.Context, _ schemas.Caller, in schemas.AuditIn) (schemas.AuditOut, error) {
	out, err := s.Store.Audit(ctx, in.Sizes...)
	return out, coded(err)
}

// Check looks at the whole store: how its rows lie on the disk, index rows, counters and all that can be held against
// something, and the registry as [Service.Audit] does. A person calls it with handoff check. It takes about twice as
// long as an audit. It changes nothing and can be repeated; what is wrong is in the result.
func (s *Service) Check(ctx context.Context, _ schemas.Caller, _ schemas.CheckIn) (schemas.CheckOut, error) {
	out, err := s.Store.Examine(ctx, reading.Words)
	return out, coded(err)
}

// Backup writes the store as it is now into a file that the caller made, whose path is absolute. The command handoff
// backup calls it, verifies the file and gives it its name. Nobody is kept from working meanwhile. The error is
// conflict where the store is in no file, and not_found where the owner does not see the file that the caller made, as
// in another container.
func (s *Service) Backup(ctx context.Context, _ schemas.Caller, in schemas.BackupIn) (out schemas.BackupOut, err error) {
	if s.WriteFile == nil {
		return out, schemas.Errorf(schemas.Conflict, "the workspace is in no file of its owner").
			WithHint("With HANDOFF_STORE handoff backup reads it from the database by itself.")
	}
	return out, coded(s.WriteFile(ctx, in.File))
}

// Tree gives the head of the registry, or an older one, and proofs in its tree. The commands audit call it, which sign
// and check. It reads about log2 of the events, changes nothing, and applies nothing that the clock has changed. The
// error is invalid where the registry has no such event or tree, not_found where it has no such handoff, and else that
// of the store.
func (s *Service) Tree(ctx context.Context, by schemas.Caller, in schemas.TreeIn) (schemas.TreeOut, error) {
	return look(ctx, s, func(v *store.View) (out schemas.TreeOut, err error) {
		events, err := v.Events()
		if err != nil {
			return out, err
		}
		out.Size, out.Event = cmp.Or(in.Size, events), in.Event
		if in.HandoffID != "" {
			r, err := reading.Find(v, in.HandoffID, by.Agent)
			if err != nil {
				return out, err
			}
			out.Event = r.Event
		}
		if err := atMost("size", out.Size, events); err != nil {
			return out, err
		}
		if err := cmp.Or(atMost("event", out.Event, out.Size), atMost("old", in.Old, out.Size)); err != nil {
			return out, err
		}
		return out, prove(v, in.Old, &out)
	})
}

// atMost refuses a number of events that is more than there are.
func atMost(field string, n, most uint64) error {
	if n <= most {
		return nil
	}
	return schemas.Invalidf(field, "there are %d events, and not %d", most, n).
		WithHint("handoff audit log lists them.")
}

// prove adds to a size what is asked about the tree over so many events.
func prove(v *store.View, old uint64, out *schemas.TreeOut) (err error) {
	size, tree := int64(out.Size), v.Tree() //nolint:gosec // events are counted
	if out.Root, err = tree.Root(size); err != nil {
		return err
	}
	if out.Event != 0 {
		if out.Inclusion, err = tree.Inclusion(size, int64(out.Event-1)); err != nil { //nolint:gosec // as above
			return err
		}
		for out.Bytes, err = range v.RawEvents(out.Event - 1) {
			break
		}
	}
	if old != 0 && err == nil {
		if out.OldRoot, err = tree.Root(int64(old)); err == nil { //nolint:gosec // as above
			out.Consistency, err = tree.Consistency(size, int64(old)) //nolint:gosec // as above
		}
	}
	return err
}

// RawEvents gives the next events of the registry after one, 256 at most, as they are kept. Whoever computes the tree
// anew calls it: the commands audit log and audit export. It changes nothing. The errors are those of the store.
func (s *Service) RawEvents(ctx context.Context, _ schemas.Caller, in schemas.EventsIn) (schemas.EventsOut, error) {
	return look(ctx, s, func(v *store.View) (out schemas.EventsOut, err error) {
		for b, err := range v.RawEvents(in.After) {
			if err != nil || len(out.Events) == changesRead {
				return out, err
			}
			out.Events = append(out.Events, b)
		}
		return out, nil
	})
}

const (
	endedKept  = time.Minute // how long a count of what has ended is given again
	boxesShown = 200         // how many mailboxes one result has
)

// Stats counts what is in the workspace: handoffs by state, the 200 mailboxes with most pending and since when the
// oldest waits in each, the newest event, how long commits took. Those call it that export figures, and the command
// doctor. Open handoffs and mailboxes are counted anew for each call; what has ended, of which there may be a million,
// once a minute. The counts are read one after the other, so they may belong to different moments. It changes nothing
// but what the clock has changed. The errors are those of the store.
func (s *Service) Stats(ctx context.Context, _ schemas.Caller, _ schemas.StatsIn) (out schemas.StatsOut, err error) {
	out.Commits = schemas.NewLatency()
	if s.Commits != nil {
		out.Commits = s.Commits()
	}
	if out.Event, err = read(ctx, s, (*store.View).Events); err != nil {
		return out, err
	}
	if out.States, err = s.states(ctx); err != nil {
		return out, coded(err)
	}
	out.Mailboxes, err = s.fullest(ctx)
	return out, coded(err)
}

// states counts the handoffs in every state. Those that have ended may be as many as were ever sent, so their count may
// be a minute old.
func (s *Service) states(ctx context.Context) (map[schemas.Status]int, error) {
	open := schemas.Open.States()
	ended := schemas.Statuses[len(open):]
	states, err := s.Store.CountStates(ctx, open...)
	if err != nil {
		return nil, err
	}
	past, err := s.ended.count(s.Now(), func() (map[schemas.Status]int, error) {
		return s.Store.CountStates(ctx, ended...)
	})
	maps.Copy(states, past)
	return states, err
}

// endedCount keeps a count that takes long. A call that needs it while another counts waits for the count, so two never
// count at once. It is memory of this process.
type endedCount struct {
	mu     sync.Mutex // guards the fields below, and is held while counting
	at     time.Time
	states map[schemas.Status]int
}

// count gives the count, made anew when it is a minute old or when the clock was set back. A count that failed is not
// kept.
func (e *endedCount) count(now time.Time, anew func() (map[schemas.Status]int, error)) (map[schemas.Status]int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if age := now.Sub(e.at); e.states != nil && age >= 0 && age < endedKept {
		return e.states, nil
	}
	states, err := anew()
	if err == nil {
		e.at, e.states = now, states
	}
	return states, err
}

// fullest are the mailboxes with most pending, 200 at most, and since when the oldest in each waits.
func (s *Service) fullest(ctx context.Context) (boxes []schemas.MailboxStats, err error) {
	boxes = []schemas.MailboxStats{}
	err = s.Store.EachMailbox(ctx, func(box schemas.Address, m store.Mailbox) {
		boxes = append(boxes, schemas.MailboxStats{Box: box, Pending: m.Pending, Held: m.Held, Unread: m.Unread})
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(boxes, func(a, b schemas.MailboxStats) int { return cmp.Compare(b.Pending, a.Pending) })
	boxes = boxes[:min(len(boxes), boxesShown)]
	for i := range boxes {
		if boxes[i].Pending == 0 {
			break
		}
		if boxes[i].Oldest, err = s.Store.OldestPending(ctx, boxes[i].Box); err != nil {
			return nil, err
		}
	}
	return boxes, nil
}
