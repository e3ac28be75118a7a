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

// NoticeKind is the kind of a notice which says that another holder's handoff touches the same files.
const NoticeKind life.Action = "overlap"

// These limits keep the comparison short, because all other writers wait for it.
const (
	maxEnded = 32 // completed handoffs that are compared
	maxFiles = 20 // files that one text names

	maxBeside = 3 // handoffs in the same working tree that one text names
)

// RecordFiles stores the files that the caller's handoff r touches: files that git saw as changed, and files that the
// handoff names. It returns one text for each other handoff that touches the same files, and notifies its holder. It
// reports each file once.
//
// RecordFiles also compares r with completed handoffs, if they ended after the caller's claim and the caller's commit
// does not contain their changes. RecordFiles refuses no call. It deletes the stored files of handoffs that it no
// longer compares, such as released ones.
func RecordFiles(in *operation.Op, r *store.Record) (texts []string, err error) {
	o := op{in}
	all, err := o.AllTouchedFiles()
	if err != nil {
		return nil, err
	}
	mine := o.touchedFiles(r, all[r.ID])
	all[r.ID] = mine
	records, err := o.comparableHandoffs(r, all)
	if err != nil || mine.Repository == "" && len(mine.Named) == 0 {
		return nil, err
	}
	var beside []string // handoffs whose holders only share the working tree
	for _, id := range slices.Sorted(maps.Keys(records)) {
		text, shared, err := o.compareWith(records[id], all[id], r, &mine)
		switch {
		case err != nil:
			return nil, err
		case shared:
			beside = append(beside, describeWork(records[id], store.TouchedFiles{})) // the branch is the same
		case text != "":
			texts = append(texts, text)
		}
	}
	if len(beside) > 0 {
		texts = append(texts, "changes in this tree may also be of "+schemas.JoinFirst(beside, maxBeside))
	}
	if !r.Status.IsHeld() && len(records) == 0 {
		return texts, o.DeleteTouchedFiles(r.ID)
	}
	return texts, o.PutTouchedFiles(r.ID, mine)
}

// op is the operation in which the caller claims, reports progress or completes.
type op struct{ *operation.Op }

// touchedFiles returns the row of the caller's handoff: the files that the handoff names, and the files that git saw as
// changed in this call. If this call has no working tree, the row keeps the changed files of the last call.
func (o op) touchedFiles(r *store.Record, t store.TouchedFiles) store.TouchedFiles {
	if t.Holder != r.Holder {
		t = store.TouchedFiles{Holder: r.Holder, Since: r.Event}
	}
	t.Claims, t.Named = r.Claims, nil
	if tree, saw := o.By.Tree, o.By.BranchState; tree != nil && saw != nil {
		t.Repository, t.Path, t.Branch, t.Commit = saw.Repository, tree.Path, tree.Branch, tree.Commit
		if tree.Unknown == "" {
			t.Committed, t.Loose = saw.Ahead, tree.Uncommitted
		}
	}
	if !r.Status.IsHeld() {
		t.Ended = r.Event
		return t
	}
	var h schemas.Handoff
	if o.DecodeContent(r.ID, r.Body, &h) == nil { // an unreadable handoff must not prevent a claim
		t.Named = NamedFiles(h, schemas.ValueOrZero(h.Tree).Path)
	}
	return t
}

// comparableHandoffs returns the records of the handoffs to compare with r. It deletes the rows of released claims, and
// of handoffs that were completed before the oldest held claim.
func (o op) comparableHandoffs(r *store.Record, all map[schemas.ID]store.TouchedFiles) (map[schemas.ID]*store.Record, error) {
	records := map[schemas.ID]*store.Record{}
	var ended []schemas.ID
	oldest := all[r.ID].Since
	for id, t := range all {
		other := reading.RecordOrNil(o.View, id)
		switch {
		case other == nil || other.Claims != t.Claims:
		case other.Status.IsHeld():
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

// compareWith returns a text for the caller about the files that both r and other touch. It returns "" if an earlier
// call reported all these files. It also notifies the holder of other. If both only share the working tree, it returns
// no text, and shared is true.
func (o op) compareWith(
	other *store.Record, theirs store.TouchedFiles, r *store.Record, mine *store.TouchedFiles,
) (text string, shared bool, err error) {
	held := other.Status.IsHeld()
	if held && other.Holder == r.Holder && other.HolderID == r.HolderID || !held && theirs.Ended <= mine.Since {
		return "", false, nil
	}
	if !held && slices.Contains(schemas.ValueOrZero(o.By.BranchState).Commits, theirs.Commit) {
		theirs.Committed = nil // the caller has these changes
	}
	c := findCommonFiles(other, theirs, r, mine)
	if len(c.changing)+len(c.naming) == 0 {
		return "", len(c.tree) > 0, nil
	}
	if held { // in a shared tree, the next call of the other holder reports the overlap
		text := fmt.Sprintf("%s works on the same files: %s", describeWork(r, *mine), formatFiles(append(c.changing, c.naming...)))
		if err := o.NotifyAgent(other.Holder, operation.NoticeOf(NoticeKind, other, text)); err != nil {
			return "", false, err
		}
	}
	return describeWork(other, theirs) + " " + c.describe(held), false, nil
}

// commonFiles holds the files that two handoffs both touch and that were not reported yet.
type commonFiles struct {
	changing []string // both change them
	naming   []string // one changes them and the other names them
	tree     []string // the shared working tree, if it has changes
}

// findCommonFiles returns the files that r and another handoff both touch and that were not reported yet. It records
// these files in mine as reported.
func findCommonFiles(other *store.Record, theirs store.TouchedFiles, r *store.Record, mine *store.TouchedFiles) (c commonFiles) {
	seen, theirTold := *mine, theirs.Told[r.ID]
	if mine.Path != "" && theirs.Path == mine.Path && theirs.Repository == mine.Repository {
		if other.Status.IsHeld() && len(mine.Loose) > 0 {
			c.tree = []string{mine.Path}
		}
		seen.Committed, seen.Loose, theirs.Committed, theirs.Loose = nil, nil, nil, nil // the author of a change in a shared tree is unknown
	}
	c.changing, c.naming = CommonFiles(seen, theirs)
	if other.Parent == r.ID || r.Parent == other.ID { // work that was passed on names the same files
		c.naming = nil
	}
	if other.Holder == r.Holder { // it is another session of the same agent, which gets no notice of its own actions
		theirTold = nil
	}
	c.changing, c.naming = mine.RecordWarnedFiles(other.ID, c.changing, theirTold), mine.RecordWarnedFiles(other.ID, c.naming, theirTold)
	c.tree = mine.RecordWarnedFiles(other.ID, c.tree, nil)
	return c
}

// describe returns a text for the caller about the common files. held says whether an agent holds the other handoff; if
// not, the handoff is completed.
func (c commonFiles) describe(held bool) string {
	var parts []string
	say := func(format string, files []string) {
		if len(files) > 0 {
			parts = append(parts, fmt.Sprintf(format, formatFiles(files)))
		}
	}
	say(map[bool]string{true: "is changing %s", false: "changed %s, which your commit has not"}[held], c.changing)
	say("is to work on %s", c.naming)
	say("works in the same tree, so changes there may be of either: %s", c.tree)
	return strings.Join(parts, ", and ")
}

// describeWork returns the id of work with its holder and branch.
func describeWork(r *store.Record, t store.TouchedFiles) string {
	text := r.ID.String() + " (" + string(r.Holder)
	if t.Branch != "" {
		text += ", branch " + schemas.EscapeHidden(t.Branch)
	}
	return text + ")"
}

// formatFiles names files and counts the files beyond [maxFiles].
func formatFiles(files []string) string {
	return schemas.EscapeHidden(schemas.JoinFirst(files, maxFiles))
}
