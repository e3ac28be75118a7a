package keeping

import (
	"maps"
	"regexp"
	"slices"

	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// needed holds the workflows of open handoffs and the handoffs that open handoffs refer to, up to an event.
type needed struct {
	until     uint64
	workflows map[schemas.Workflow]bool
	ids       map[schemas.ID]bool
	followed  map[schemas.ID]bool // the part of ids whose references were followed
}

// neededNow returns the needs of all open handoffs.
func neededNow(v *store.View) (needed, error) {
	n, err := newNeeded(v)
	if err != nil {
		return n, err
	}
	for _, status := range schemas.Open.States() {
		for id, err := range v.Oldest(store.InState(status), 0) {
			if err == nil {
				err = n.add(v, id)
			}
			if err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

// neededSince returns the needs of open handoffs that changed after an event.
func neededSince(v *store.View, event uint64) (needed, error) {
	n, err := newNeeded(v)
	if err != nil || event == n.until {
		return n, err
	}
	for e, err := range v.EventsAfter(event) {
		if err == nil && e.Handoff != 0 {
			err = n.add(v, e.Handoff)
		}
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

func newNeeded(v *store.View) (needed, error) {
	newest, err := v.Events()
	return needed{newest, map[schemas.Workflow]bool{}, map[schemas.ID]bool{}, map[schemas.ID]bool{}}, err
}

// merge adds later needs. Needs of a handoff that has ended meanwhile stay; the next retention will drop them.
func (n *needed) merge(since needed) {
	n.until = since.until
	maps.Copy(n.workflows, since.workflows)
	maps.Copy(n.ids, since.ids)
}

func (n *needed) has(r *store.Record) bool { return n.ids[r.ID] || n.workflows[r.Workflow] }

// add adds the needs of a handoff if it is open. It returns the error of an unreadable record, because its needs are
// unknown.
func (n *needed) add(v *store.View, id schemas.ID) error {
	r, err := v.Record(id)
	if err != nil || r == nil || r.Status.Ended() {
		return err
	}
	n.workflows[r.Workflow] = true
	named := []schemas.ID{r.RetryOf, r.ReworkOf, r.Review, r.ReviewOf, r.Rollback, r.Forwarded, r.Successor}
	for _, id := range slices.Concat(named, r.After, r.Freed) {
		n.ids[id] = true
	}
	for before := range reading.Chain(v, r.Parent, reading.Parent) { // the brief shows all of them
		n.ids[before.ID] = true
	}
	n.followReferences(v, r)
	return nil
}

// followReferences adds the handoffs that the sent content and the questions refer to, and those handoffs' own
// references. It skips unreadable content.
func (n *needed) followReferences(v *store.View, r *store.Record) {
	for _, event := range []uint64{r.Body, r.Ask} {
		content, err := v.RawContent(r.ID, event)
		if err != nil {
			continue
		}
		for _, found := range handoffReference.FindAllSubmatch(content, -1) {
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
var handoffReference = regexp.MustCompile(`context://(ho_[0-9]+)`)
