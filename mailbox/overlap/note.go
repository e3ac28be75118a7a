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

// NoticeKind is the kind of a notice that other work touches the same files.
const NoticeKind life.Action = "overlap"

// Limits, because all other writers wait for the comparison.
const (
	maxEnded = 32 // completed handoffs that are still compared
	maxFiles = 20 // files that are named for a pair
)

// Record records the files that the caller's work touches. It returns a text for each other handoff that touches the
// same files and is held, or was completed meanwhile with changes that the caller's commit lacks. Other holders get a
// notice. Each pair is told about each file once. Record locks and refuses nothing. Overlaps end with the leases: only
// held work counts, and work that ended while that was held.
//
// r is the record after the claim, the report or the completion. Record deletes rows that are no longer needed.
func Record(in *operation.Op, r *store.Record) (texts []string, err error) {
	o := op{in}
	all, err := o.TouchedFiles()
	if err != nil {
		return nil, err
	}
	mine := o.touchOf(r, all[r.ID])
	all[r.ID] = mine
	records, err := o.candidates(r, all)
	if err != nil || mine.Repository == "" && len(mine.Named) == 0 {
		return nil, err
	}
	for _, id := range slices.Sorted(maps.Keys(records)) {
		text, err := o.compareWith(records[id], all[id], r, &mine)
		if err != nil {
			return nil, err
		}
		if text != "" {
			texts = append(texts, text)
		}
	}
	if !r.Status.Held() && len(records) == 0 {
		return texts, o.DeleteTouchedFiles(r.ID)
	}
	return texts, o.PutTouchedFiles(r.ID, mine)
}

// op is the operation in which the caller claims, reports or completes.
type op struct{ *operation.Op }

// touchOf returns the row of the caller's work: the files that its process saw now or last, and the files that the
// handoff names.
func (o op) touchOf(r *store.Record, t store.TouchedFiles) store.TouchedFiles {
	if t.Holder != r.Holder {
		t = store.TouchedFiles{Holder: r.Holder, Since: r.Event}
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
	if o.DecodeContent(r.ID, r.Body, &h) == nil { // an unreadable handoff must not prevent a claim
		t.Named = NamedFiles(h, schemas.OrZero(h.Tree).Path)
	}
	return t
}

// candidates returns the records to compare r with. It deletes the rows of work that was given up, and of work that
// ended before the oldest held work was claimed.
func (o op) candidates(r *store.Record, all map[schemas.ID]store.TouchedFiles) (map[schemas.ID]*store.Record, error) {
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
		if all[id].Ended <= oldest || i >= maxEnded {
			delete(records, id)
		}
	}
	for id := range all {
		if records[id] == nil && id != r.ID {
			if err := o.DeleteTouchedFiles(id); err != nil {
				return nil, err
			}
		}
	}
	delete(records, r.ID)
	return records, nil
}

// compareWith returns a text about files that the other work touches and the caller has not been told about. It
// notifies the holder of the other work.
func (o op) compareWith(other *store.Record, theirs store.TouchedFiles, r *store.Record, mine *store.TouchedFiles) (string, error) {
	held := other.Status.Held()
	if held && other.Holder == r.Holder && other.HolderID == r.HolderID || !held && theirs.Ended <= mine.Since {
		return "", nil
	}
	if !held && slices.Contains(schemas.OrZero(o.By.Touched).Commits, theirs.Commit) {
		theirs.Committed = nil // the caller has these changes
	}
	c := findCommon(other, theirs, r, mine)
	if len(c.changing)+len(c.naming)+len(c.tree) == 0 {
		return "", nil
	}
	if held && len(c.changing)+len(c.naming) > 0 { // for a shared tree, the other holder learns it from its own next call
		text := fmt.Sprintf("%s works on the same files: %s", workText(r, *mine), fileList(append(c.changing, c.naming...)))
		if err := o.NotifyAgent(other.Holder, operation.NoticeOf(NoticeKind, other, text)); err != nil {
			return "", err
		}
	}
	return workText(other, theirs) + " " + c.text(held), nil
}

// commonFiles holds the files that two handoffs have in common and that neither holder has been told about.
type commonFiles struct {
	changing []string // both change them
	naming   []string // one changes them and the other names them
	tree     []string // the shared working tree, if it has changes
}

// findCommon compares other work with the work of r, and records the told files in the row of r.
func findCommon(other *store.Record, theirs store.TouchedFiles, r *store.Record, mine *store.TouchedFiles) (c commonFiles) {
	seen, theirTold := *mine, theirs.Told[r.ID]
	if mine.Path != "" && theirs.Path == mine.Path && theirs.Repository == mine.Repository {
		if other.Status.Held() && len(mine.Loose) > 0 {
			c.tree = []string{mine.Path}
		}
		seen.Committed, seen.Loose, theirs.Committed, theirs.Loose = nil, nil, nil, nil // the author of a change in a shared tree is unknown
	}
	c.changing, c.naming = Files(seen, theirs)
	if other.Parent == r.ID || r.Parent == other.ID { // work that was passed on names the same files
		c.naming = nil
	}
	if other.Holder == r.Holder { // it is another session of the same agent, which gets no notice of its own actions
		theirTold = nil
	}
	c.changing, c.naming = mine.MarkTold(other.ID, c.changing, theirTold), mine.MarkTold(other.ID, c.naming, theirTold)
	c.tree = mine.MarkTold(other.ID, c.tree, nil)
	return c
}

// said returns a text about the files that other work, held or ended, has in common with the caller's.
func (c commonFiles) text(held bool) string {
	var parts []string
	say := func(format string, files []string) {
		if len(files) > 0 {
			parts = append(parts, fmt.Sprintf(format, fileList(files)))
		}
	}
	say(map[bool]string{true: "is changing %s", false: "changed %s, which your commit has not"}[held], c.changing)
	say("is to work on %s", c.naming)
	say("works in the same tree, so changes there may be of either: %s", c.tree)
	return strings.Join(parts, ", and ")
}

// workText returns the id of work with its holder and branch.
func workText(r *store.Record, t store.TouchedFiles) string {
	text := r.ID.String() + " (" + string(r.Holder)
	if t.Branch != "" {
		text += ", branch " + schemas.Visible(t.Branch)
	}
	return text + ")"
}

// fileList names files and counts the files beyond [maxFiles].
func fileList(files []string) string { return schemas.Visible(schemas.JoinFirst(files, maxFiles)) }
