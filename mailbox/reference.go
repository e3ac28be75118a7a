package mailbox

import (
	"encoding/json"
	"unicode/utf8"

	"handoff/schemas"
	"handoff/store"
)

// contentShown is how many bytes of a reference one result holds.
const contentShown = 6000

// showReference reads what was sent in full, as JSON, a part at a time.
func (s *Service) showReference(v *store.View, r *store.Record, in schemas.GetIn, out *schemas.GetOut) error {
	if in.Reference != "" && in.Reference != contextURL(r) {
		name := schemas.Visible(schemas.Clip(in.Reference, 80))
		return schemas.Errorf(schemas.NotFound, "%s has no reference %q", r.ID, name).
			WithField("reference").WithKnown(contextURL(r)).WithHint("Known: %s.", contextURL(r))
	}
	b, err := v.Said(r.ID, r.Body)
	if err != nil {
		return err
	}
	part, next := partOf(b, in.Offset)
	out.Content, out.NextOffset = part, next
	return nil
}

// partOf cuts content at character boundaries, and says where the rest begins, zero when there is none.
func partOf(b []byte, offset int) (part string, next int) {
	from := boundary(b, min(offset, len(b)))
	to := boundary(b, min(from+contentShown, len(b)))
	for quoted(b[from:to]) > room {
		to = boundary(b, from+(to-from)*3/4)
	}
	if to < len(b) {
		next = to
	}
	return string(b[from:to]), next
}

// quoted is how long a text becomes as a string of JSON, where quotes and line ends take two bytes or more.
func quoted(b []byte) int {
	q, err := json.Marshal(string(b))
	if err != nil {
		return 0 // strings can be written
	}
	return len(q)
}

// boundary is the beginning of the character at i.
func boundary(b []byte, i int) int {
	for i > 0 && i < len(b) && !utf8.RuneStart(b[i]) {
		i--
	}
	return i
}

// contextURL is where the whole of what was sent can be fetched.
func contextURL(r *store.Record) string { return "context://" + r.ID.String() }
