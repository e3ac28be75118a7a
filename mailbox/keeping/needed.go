package keeping

import (
	"maps"
	"regexp"
	"slices"

	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// needed holds the handoffs that a retention must keep whole: all handoffs in the workflows of open handoffs, and all
// handoffs that open handoffs refer to. until is the last event that it takes into account.
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

// neededSince returns the handoffs that are needed by open handoffs which changed after an event.
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

// merge adds what neededSince found to n. If an open handoff has ended meanwhile, the handoffs that it needed stay in
// n, so this retention keeps them whole and the next one may drop their content.
func (n *needed) merge(since needed) {
	n.until = since.until
	maps.Copy(n.workflows, since.workflows)
	maps.Copy(n.ids, since.ids)
}

func (n *needed) has(r *store.Record) bool { return n.ids[r.ID] || n.workflows[r.Workflow] }

// add adds the handoffs that a handoff needs, if that handoff is open. It returns an error for an unreadable record,
// because nobody can know which handoffs that record needs.
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

// followReferences adds the handoffs that the sent content and the questions of r refer to, and the handoffs that these
// refer to in turn. It skips unreadable content.
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
