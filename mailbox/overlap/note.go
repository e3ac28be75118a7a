package overlap

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"handoff/mailbox/life"
	"handoff/mailbox/operation"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// Notice is the kind of a notice that other work touches the same files.
const Notice life.Action = "overlap"

// How much is compared and told while all other writers wait.
const (
	mostEnded   = 32 // completed works that are still compared
	mostOverlap = 20 // files that are named of a pair
)

// Note notes which files the caller's work touches, and says who else holds work that touches the same ones, or
// completed such meanwhile with changes that the caller's commit has not. Other holders get a notice. Each pair is told
// of each file once. Nothing is locked or refused, and leases end it: only held work counts, and what ended while that
// was held.
//
// R is the record after the claim, the report or the completion. Rows that nobody needs any more are deleted.
func Note(in *operation.Op, r *store.Record) (told []string, err error) {
	o := op{in}
	all, err := o.Touches()
	if err != nil {
		return nil, err
	}
	mine := o.touching(r, all[r.ID])
	all[r.ID] = mine
	records, err := o.tidy(r, all)
	if err != nil || mine.Repository == "" && len(mine.Named) == 0 {
		return nil, err
	}
	for _, id := range slices.Sorted(maps.Keys(records)) {
		text, err := o.compareWith(records[id], all[id], r, &mine)
		if err != nil {
			return nil, err
		}
		if text != "" {
			told = append(told, text)
		}
	}
	if !r.Status.Held() && len(records) == 0 {
		return told, o.DeleteTouch(r.ID)
	}
	return told, o.PutTouch(r.ID, mine)
}

// op is the operation in which the caller claims, reports or completes.
type op struct{ *operation.Op }

// touching is the row of the caller's work: what its process saw, or saw last, and what the handoff names.
func (o op) touching(r *store.Record, t store.Touch) store.Touch {
	if t.Holder != r.Holder {
		t = store.Touch{Holder: r.Holder, Since: r.Event}
	}
	t.Claims, t.Named = r.Claims, nil
	if tree, saw := o.By.Tree, o.By.Touched; tree != nil && saw != nil {
		t.Repository, t.Path, t.Branch, t.Commit = saw.Repository, tree.Path, tree.Branch, tree.Commit
		if tree.Unknown == "" {
			t.Committed, t.Loose = saw.Ahead, tree.Uncommitted
		}
	}
	if !r.Status.Held() {
		t.Ended = r.Event
		return t
	}
	var h schemas.Handoff
	if o.DecodeContent(r.ID, r.Body, &h) == nil { // what cannot be read keeps nobody from claiming
		t.Named = Named(h, schemas.OrZero(h.Tree).Path)
	}
	return t
}

// tidy gives the records of those with whom r is compared, and deletes the rows of work that was given up, or that ended
// before any that is still held was claimed.
func (o op) tidy(r *store.Record, all map[schemas.ID]store.Touch) (map[schemas.ID]*store.Record, error) {
	records := map[schemas.ID]*store.Record{}
	var ended []schemas.ID
	oldest := all[r.ID].Since
	for id, t := range all {
		other := reading.RecordOrNil(o.View, id)
		switch {
		case other == nil || other.Claims != t.Claims:
		case other.Status.Held():
			oldest = min(oldest, t.Since)
			records[id] = other
		case other.Status == schemas.Completed && id != r.ID:
			ended = append(ended, id)
			records[id] = other
		}
	}
	slices.SortFunc(ended, func(a, b schemas.ID) int { return cmp.Compare(all[b].Ended, all[a].Ended) })
	for i, id := range ended {
		if all[id].Ended <= oldest || i >= mostEnded {
			delete(records, id)
		}
	}
	for id := range all {
		if records[id] == nil && id != r.ID {
			if err := o.DeleteTouch(id); err != nil {
				return nil, err
			}
		}
	}
	delete(records, r.ID)
	return records, nil
}

// compareWith says of which files the caller has not heard yet that other work touches them, and tells its holder.
func (o op) compareWith(other *store.Record, theirs store.Touch, r *store.Record, mine *store.Touch) (string, error) {
	held := other.Status.Held()
	if held && other.Holder == r.Holder && other.HolderID == r.HolderID || !held && theirs.Ended <= mine.Since {
		return "", nil
	}
	if !held && slices.Contains(schemas.OrZero(o.By.Touched).Commits, theirs.Commit) {
		theirs.Committed = nil // the caller has them
	}
	c := commonTo(other, theirs, r, mine)
	if len(c.changing)+len(c.naming)+len(c.tree) == 0 {
		return "", nil
	}
	if held && len(c.changing)+len(c.naming) > 0 { // of the tree its holder hears with its own next call
		text := fmt.Sprintf("%s works on the same files: %s", working(r, *mine), someOf(append(c.changing, c.naming...)))
		if err := o.NotifyAgent(other.Holder, operation.NoticeOf(Notice, other, text)); err != nil {
			return "", err
		}
	}
	return working(other, theirs) + " " + c.said(held), nil
}

// common are the files that two works have in common and of which nobody was told before.
type common struct {
	changing []string // that both change
	naming   []string // that one changes and the other names
	tree     []string // the working tree of both, where it has changes
}

// commonTo compares other work with that of r, whose row then says of what was told.
func commonTo(other *store.Record, theirs store.Touch, r *store.Record, mine *store.Touch) (c common) {
	seen, told := *mine, theirs.Told[r.ID]
	if mine.Path != "" && theirs.Path == mine.Path && theirs.Repository == mine.Repository {
		if other.Status.Held() && len(mine.Loose) > 0 {
			c.tree = []string{mine.Path}
		}
		seen.Committed, seen.Loose, theirs.Committed, theirs.Loose = nil, nil, nil, nil // nothing tells who changed them
	}
	c.changing, c.naming = Files(seen, theirs)
	if other.Parent == r.ID || r.Parent == other.ID { // who passes work on names what it was given
		c.naming = nil
	}
	if other.Holder == r.Holder { // in another session, which gets no notice of what its agent does
		told = nil
	}
	c.changing, c.naming = mine.MarkTold(other.ID, c.changing, told), mine.MarkTold(other.ID, c.naming, told)
	c.tree = mine.MarkTold(other.ID, c.tree, nil)
	return c
}

// said tells in words what other work, which is held or ended, has in common with that of the caller.
func (c common) said(held bool) string {
	var parts []string
	say := func(format string, files []string) {
		if len(files) > 0 {
			parts = append(parts, fmt.Sprintf(format, someOf(files)))
		}
	}
	say(map[bool]string{true: "is changing %s", false: "changed %s, which your commit has not"}[held], c.changing)
	say("is to work on %s", c.naming)
	say("works in the same tree, so changes there may be of either: %s", c.tree)
	return strings.Join(parts, ", and ")
}

// working names work, its holder and the branch.
func working(r *store.Record, t store.Touch) string {
	text := r.ID.String() + " (" + string(r.Holder)
	if t.Branch != "" {
		text += ", branch " + schemas.Visible(t.Branch)
	}
	return text + ")"
}

// someOf names files and counts those beyond [mostOverlap].
func someOf(files []string) string { return schemas.Visible(schemas.JoinFirst(files, mostOverlap)) }
