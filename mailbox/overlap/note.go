package overlap

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

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

// Recorder records the files that the work on each handoff touches. It keeps the decoded rows of the last call, because
// most rows stay the same until the next call, and decoding them took most of the time of a claim.
type Recorder struct {
	mu   sync.Mutex // guards rows
	rows map[schemas.ID]decodedRow
}

type decodedRow struct {
	encoded []byte
	store.TouchedFiles
}

// RecordFiles stores the files that the caller's handoff r touches: files that git saw as changed, and files that the
// handoff names. It returns one text for each other handoff that touches the same files, and notifies its holder. It
// reports each file once.
//
// RecordFiles also compares r with completed handoffs, if they ended after the caller's claim and the caller's commit
// does not contain their changes. RecordFiles refuses no call. It deletes the stored files of completed handoffs that
// it no longer compares. Package operation deletes those of a claim that ends in another way.
func (k *Recorder) RecordFiles(in *operation.Op, r *store.Record) (texts []string, err error) {
	o := op{in}
	all, err := k.readRows(o.View)
	if err != nil {
		return nil, err
	}
	before, found := all[r.ID]
	mine := o.touchedFiles(r, before.TouchedFiles)
	delete(all, r.ID)
	if err := o.deleteOldRows(all, mine.Since); err != nil || mine.Repository == "" && len(mine.Named) == 0 {
		return nil, cmp.Or(err, o.DeleteTouchedFiles(r.ID))
	}
	var beside []string // handoffs whose holders only share the working tree
	for _, id := range slices.Sorted(maps.Keys(all)) {
		text, shared, err := o.compareWith(id, all[id].TouchedFiles, r, &mine)
		switch {
		case err != nil:
			return nil, err
		case shared:
			beside = append(beside, describeWork(id, all[id].Holder, "")) // the branch is the same
		case text != "":
			texts = append(texts, text)
		}
	}
	if len(beside) > 0 {
		texts = append(texts, "changes in this tree may also be of "+schemas.JoinFirst(beside, maxBeside))
	}
	switch {
	case !r.Status.IsHeld() && len(all) == 0:
		return texts, o.DeleteTouchedFiles(r.ID)
	case found && reflect.DeepEqual(before.TouchedFiles, mine):
		return texts, nil
	}
	return texts, o.PutTouchedFiles(r.ID, mine)
}

// readRows returns the touched files of all handoffs. It decodes only the rows that changed since its last call.
func (k *Recorder) readRows(v *store.View) (map[schemas.ID]decodedRow, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	rows := map[schemas.ID]decodedRow{}
	err := v.EachTouchedFiles(func(id schemas.ID, encoded []byte) {
		row, known := k.rows[id]
		if !known || !bytes.Equal(row.encoded, encoded) {
			row = decodedRow{bytes.Clone(encoded), store.DecodeTouchedFiles(encoded)}
		}
		rows[id] = row
	})
	k.rows = rows
	return maps.Clone(rows), err
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
		if t.Committed = saw.Ahead; tree.Unknown == "" {
			t.Loose, t.SeenAt = tree.Uncommitted, schemas.ValueOrZero(tree.SeenAt)
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

// deleteOldRows deletes the rows of handoffs that were completed before the oldest held claim, and of all but the last
// [maxEnded] completed handoffs, from the store and from all. Since is the event of the caller's claim.
func (o op) deleteOldRows(all map[schemas.ID]decodedRow, since uint64) error {
	var ended []schemas.ID
	for id, t := range all {
		if t.Ended == 0 && t.Claims > 0 { // a row that cannot be read has no claims
			since = min(since, t.Since)
		} else {
			ended = append(ended, id)
		}
	}
	slices.SortFunc(ended, func(a, b schemas.ID) int { return cmp.Compare(all[b].Ended, all[a].Ended) })
	for i, id := range ended {
		if i < maxEnded && all[id].Ended > since {
			continue
		}
		if err := o.DeleteTouchedFiles(id); err != nil {
			return err
		}
		delete(all, id)
	}
	return nil
}

// compareWith returns a text for the caller about the files that both r and the handoff id touch. It returns "" if an
// earlier call reported all these files. It also notifies the holder of the other handoff. If both only share the
// working tree, it returns no text, and shared is true. It reads the other record only if there is something to report.
func (o op) compareWith(id schemas.ID, theirs store.TouchedFiles, r *store.Record, mine *store.TouchedFiles) (text string, shared bool, err error) {
	held := theirs.Ended == 0
	if !held {
		if theirs.Ended <= mine.Since {
			return "", false, nil
		}
		if slices.Contains(schemas.ValueOrZero(o.By.BranchState).Commits, theirs.Commit) {
			theirs.Committed = nil // the caller has these changes
		}
	}
	c := findCommonFiles(id, theirs, r, mine)
	if c.isEmpty() {
		return "", false, nil
	}
	other := reading.RecordOrNil(o.View, id)
	if other == nil || other.Claims != theirs.Claims || held != other.Status.IsHeld() { // an earlier version left the row
		return "", false, o.DeleteTouchedFiles(id)
	}
	if held && other.Holder == r.Holder && other.HolderID == r.HolderID {
		return "", false, nil
	}
	if other.Parent == r.ID || r.Parent == other.ID { // work that was passed on names the same files
		c.naming = nil
	}
	mine.RecordWarnedFiles(id, slices.Concat(c.changing, c.naming, c.tree))
	if len(c.changing)+len(c.naming) == 0 {
		return "", len(c.tree) > 0, nil
	}
	if held { // in a shared tree, the next call of the other holder reports the overlap
		text := fmt.Sprintf("%s works on the same files: %s", describeWork(r.ID, r.Holder, mine.Branch), formatFiles(append(c.changing, c.naming...)))
		err = o.NotifyAgent(other.Holder, operation.NoticeOf(NoticeKind, other, text))
	}
	return describeWork(id, other.Holder, theirs.Branch) + " " + c.describe(held), false, err
}

// commonFiles holds the files that two handoffs both touch and that were not reported yet.
type commonFiles struct {
	changing []string // both change them
	naming   []string // one changes them and the other names them
	tree     []string // the shared working tree, if it has changes
}

func (c commonFiles) isEmpty() bool { return len(c.changing)+len(c.naming)+len(c.tree) == 0 }

// findCommonFiles returns the files that r and another handoff both touch and that were not reported yet.
func findCommonFiles(id schemas.ID, theirs store.TouchedFiles, r *store.Record, mine *store.TouchedFiles) (c commonFiles) {
	seen, theirTold := *mine, theirs.Told[r.ID]
	if mine.Path != "" && theirs.Path == mine.Path && theirs.Repository == mine.Repository {
		if theirs.Ended == 0 && len(mine.Loose) > 0 {
			c.tree = mine.UntoldFiles(id, []string{mine.Path}, nil)
		}
		seen.Committed, seen.Loose, theirs.Committed, theirs.Loose = nil, nil, nil, nil // the author of a change in a shared tree is unknown
	}
	if theirs.Holder == r.Holder { // it is another session of the same agent, which gets no notice of its own actions
		theirTold = nil
	}
	c.changing, c.naming = CommonFiles(seen, theirs)
	c.changing, c.naming = mine.UntoldFiles(id, c.changing, theirTold), mine.UntoldFiles(id, c.naming, theirTold)
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
func describeWork(id schemas.ID, holder schemas.Agent, branch string) string {
	return fmt.Sprintf("%s (%s%s)", id, holder, schemas.WithPrefix(", branch ", schemas.EscapeHidden(branch)))
}

// formatFiles names files and counts the files beyond [maxFiles].
func formatFiles(files []string) string {
	return schemas.EscapeHidden(schemas.JoinFirst(files, maxFiles))
}
