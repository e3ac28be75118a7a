package reading

import (
	"fmt"
	"slices"

	"handoff/mailbox/life"
	"handoff/schemas"
	"handoff/store"
)

// pageOfImported is a page of the events of a handoff that came from another workspace: those of here, and before them
// those of there, which say where they happened. What was only carried along is told with them.
func pageOfImported(v *store.View, r *store.Record, in schemas.GetIn, out *schemas.GetOut) (told []schemas.Moment, err error) {
	events, err := v.EventsOf(r, int(r.Event)) //nolint:gosec // there are no more
	if err != nil {
		return nil, err
	}
	var from schemas.Imported
	first := slices.IndexFunc(events, func(e schemas.Event) bool {
		return life.Action(e.Action) == life.Import && v.Saying(r.ID, e.N, &from) == nil && len(from.History) > 0
	})
	if first >= 0 { // else it was redacted
		events = events[:first+1]
	}
	here := len(events)
	for _, raw := range slices.Backward(from.History) {
		var e schemas.Event
		if schemas.Decode(raw, &e) == nil && life.Action(e.Action) != life.Carry {
			events = append(events, e)
		}
	}
	for i, e := range events {
		switch {
		case i < in.Offset:
			continue
		case i == in.Offset+eventsShown:
			out.NextOffset = i
			slices.Reverse(told)
			return told, nil
		}
		said := e.N
		if i >= here {
			said = from.Contents[e.N]
		}
		m, err := moment(v, r.ID, e, said)
		if err != nil {
			return nil, err
		}
		if i >= here {
			m.Origin = fmt.Sprintf("%s/%s", from.Workspace, from.Handoff)
		}
		told = append(told, m)
	}
	slices.Reverse(told)
	return told, nil
}
