package compose

import (
	"bytes"
	"encoding/json"
	"slices"

	"handoff/schemas"
)

// NotKept stands in the place of a text for which a workspace no longer spends space.
const NotKept = "[no longer kept]"

// shortText is the size in bytes up to which a text is kept: a title, a summary, a note in one sentence.
const shortText = 200

// Lessen gives content, which is one JSON object, without what takes space: texts over 200 bytes become [NotKept], what
// is longer in a field whose form is the sender's goes, and so do digests of content that is kept apart. What says who, where and
// when stays, and so do titles, tags and short texts. It gives nil where nothing of that is there, so what was lessened
// once stays as it is. The error is that of decoding.
func Lessen(content []byte) ([]byte, error) {
	var object map[string]any
	d := json.NewDecoder(bytes.NewReader(content))
	d.UseNumber()
	if err := d.Decode(&object); err != nil {
		return nil, err
	}
	if _, changed := lessen(object); !changed {
		return nil, nil
	}
	return schemas.Encode(object)
}

func lessen(v any) (_ any, changed bool) {
	switch v := v.(type) {
	case string:
		if len(v) > shortText {
			return NotKept, true
		}
	case []any:
		for i := range v {
			item, did := lessen(v[i])
			v[i], changed = item, changed || did
		}
	case map[string]any:
		for name := range v {
			if name == "title" {
				continue // it stands in the record, too
			}
			if isKept(name, v[name]) || slices.Contains(freeForm, name) && isLong(v[name]) {
				delete(v, name)
				changed = true
				continue
			}
			less, did := lessen(v[name])
			v[name], changed = less, changed || did
		}
	}
	return v, changed
}

// isKept tells whether a field is the digest of content that is kept apart.
func isKept(name string, v any) bool {
	digest, _ := v.(string)
	return name == "digest" && schemas.Reference{Digest: digest}.Kept()
}

func isLong(v any) bool {
	b, err := schemas.Encode(v)
	return err != nil || len(b) > shortText
}
