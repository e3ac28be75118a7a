package compose

import (
	"slices"

	"handoff/schemas"
)

// NotKept stands in the place of a text for which a workspace no longer spends space.
const NotKept = "[no longer kept]"

// shortText is the size in bytes up to which a text is kept: a title, a summary, a note in one sentence.
const shortText = 200

// Lessen gives content, which is one JSON object, without what takes space: texts over 200 bytes become [NotKept], what
// is still longer then in a field whose form is the sender's goes, and digests of content that was sent along become
// [schemas.NotKept]. What says who, where and when stays, and so do titles, tags and short texts. The field
// [schemas.NotKept] is added. It gives nil where nothing of that is there, so what was lessened once stays as it is. The
// error is that of decoding.
func Lessen(content []byte) ([]byte, error) {
	object, err := objectOf(content)
	if err != nil {
		return nil, err
	}
	if _, changed := lessen("", object); !changed {
		return nil, nil
	}
	object[schemas.NotKept] = true
	return schemas.Encode(object)
}

// lessen lessens what is in a field with a name, or in a list there.
func lessen(field string, v any) (_ any, changed bool) {
	switch v := v.(type) {
	case string:
		if len(v) > shortText && field != "title" { // which stands in the record, too
			return NotKept, true
		}
	case []any:
		for i := range v {
			item, did := lessen(field, v[i])
			v[i], changed = item, changed || did
		}
	case map[string]any:
		for name := range v {
			switch {
			case slices.Contains(freeForm, name) && isLong(v[name]):
				changed = true
				if v[name], _ = lessen(name, v[name]); isLong(v[name]) {
					delete(v, name) // it has many short texts
				}
			case field == "references" && name == "digest":
				changed = changed || v[name] != schemas.NotKept
				v[name] = schemas.NotKept
			default:
				less, did := lessen(name, v[name])
				v[name], changed = less, changed || did
			}
		}
	}
	return v, changed
}

func isLong(v any) bool {
	b, err := schemas.Encode(v)
	return err != nil || len(b) > shortText
}
