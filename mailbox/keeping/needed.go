package keeping

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"sync"

	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// neededHandoffs holds the handoffs that a retention must keep whole: all handoffs in the workflows of open handoffs,
// and all handoffs that open handoffs refer to. The field until is the number of the newest event that was taken into
// account.
type neededHandoffs struct {
	until     uint64
	workflows map[schemas.Workflow]bool
	ids       map[schemas.ID]bool
	followed  map[schemas.ID]bool // the part of ids whose references were followed
}

// findNeededHandoffs returns the handoffs that open handoffs need. If since is not 0, it looks only at open handoffs
// with events after this event.
func findNeededHandoffs(v *store.View, since uint64) (n neededHandoffs, err error) {
	n = neededHandoffs{workflows: map[schemas.Workflow]bool{}, ids: map[schemas.ID]bool{}, followed: map[schemas.ID]bool{}}
	n.until, err = v.EventCount()
	if since != 0 {
		for e, unread := range v.EventsAfter(since) {
			err = cmp.Or(err, unread, n.addNeedsOf(v, e.Handoff))
		}
		return n, err
	}
	for _, status := range schemas.Open.States() {
		for id, unread := range v.OldestFirst(store.IndexByState(status), 0) {
			err = cmp.Or(err, unread, n.addNeedsOf(v, id))
		}
	}
	return n, err
}

// merge adds the needed handoffs in since to n. If an open handoff has ended meanwhile, the handoffs that it needed
// stay in n. Then this retention keeps these handoffs whole, and the next retention may drop their content.
func (n *neededHandoffs) merge(since neededHandoffs) {
	n.until = since.until
	maps.Copy(n.workflows, since.workflows)
	maps.Copy(n.ids, since.ids)
}

func (n *neededHandoffs) contains(r *store.Record) bool {
	return n.ids[r.ID] || n.workflows[r.Workflow]
}

// addNeedsOf adds all handoffs that an open handoff needs. It adds nothing for an ended handoff. It returns an error
// for an unreadable record, because nothing shows which handoffs it needs.
func (n *neededHandoffs) addNeedsOf(v *store.View, id schemas.ID) error {
	r, err := v.Record(id)
	if err != nil || r == nil || r.Status.HasEnded() {
		return err
	}
	n.workflows[r.Workflow] = true
	named := []schemas.ID{r.RetryOf, r.ReworkOf, r.Review, r.ReviewOf, r.Rollback, r.Forwarded, r.Successor}
	for _, id := range slices.Concat(named, r.After, r.Freed) {
		n.ids[id] = true
	}
	for before := range reading.Chain(v, r.Parent, reading.ParentID) { // the brief shows all of them
		n.ids[before.ID] = true
	}
	n.followReferences(v, r)
	return nil
}

// followReferences adds the handoffs that the sent content and the questions of r refer to, and all handoffs that the
// added handoffs refer to. It skips unreadable content.
func (n *neededHandoffs) followReferences(v *store.View, r *store.Record) {
	for _, event := range []uint64{r.Body, r.Ask} {
		content, err := v.RawContent(r.ID, event)
		if err != nil {
			continue
		}
		for _, found := range handoffReference().FindAllSubmatch(content, -1) {
			id, ok := schemas.ParseID(string(found[1]))
			if !ok || n.followed[id] {
				continue
			}
			n.ids[id], n.followed[id] = true, true
			if next := reading.RecordOrNil(v, id); next != nil {
				n.followReferences(v, next)
			}
		}
	}
}

// handoffReference matches a reference to a handoff in a text.
var handoffReference = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`context://(ho_[0-9]+)`) })
