package store

import (
	"bytes"
	"encoding/json"
	"hash/fnv"
	"slices"
	"strings"

	"handoff/schemas"
)

// Touch is which files the work on a handoff touches, as its holder reported last. It is no record: when it is lost,
// some are not told that others work on the same files. Files are relative to the root of the working tree.
type Touch struct {
	Holder schemas.Agent `json:"holder"`
	Claims int           `json:"claims"`          // of the record, by the last claim of that holder
	Since  uint64        `json:"since"`           // the event of its first claim
	Ended  uint64        `json:"ended,omitempty"` // that of the completion

	Repository string   `json:"repo,omitempty"` // empty where nobody looked
	Path       string   `json:"path,omitempty"` // of the working tree
	Branch     string   `json:"branch,omitempty"`
	Commit     string   `json:"commit,omitempty"`
	Committed  []string `json:"-"`               // since the base
	Loose      []string `json:"-"`               // changed and in no commit
	Named      []string `json:"named,omitempty"` // by the handoff, with patterns

	Told map[schemas.ID][]uint32 `json:"told,omitempty"` // hashes of the files of which its holder was told, by the other handoff
}

// MarkTold adds files to those of which the holder was told by another handoff, and gives those of which neither it nor the
// holder of that one was told before.
func (t *Touch) MarkTold(by schemas.ID, files []string, told []uint32) (news []string) {
	for _, file := range files {
		h := fnv.New32a()
		_, _ = h.Write([]byte(file))
		if sum := h.Sum32(); !slices.Contains(told, sum) && !slices.Contains(t.Told[by], sum) {
			news = append(news, file)
			if t.Told == nil {
				t.Told = map[schemas.ID][]uint32{}
			}
			t.Told[by] = append(t.Told[by], sum)
		}
	}
	return news
}

// Touches are the rows of all handoffs, a zero row for one that cannot be read.
func (v *View) Touches() (map[schemas.ID]Touch, error) {
	all := map[schemas.ID]Touch{}
	err := v.Each(Range{Space: Touches}, func(row Row) error {
		head, files, _ := bytes.Cut(row.Value, []byte{0})
		committed, loose, _ := strings.Cut(string(files), "\x00\x00")
		t := Touch{Committed: splitNames(committed), Loose: splitNames(loose)}
		if schemas.Decode(head, &t) != nil {
			t = Touch{}
		}
		all[schemas.ID(LastNumber(row.Key))] = t
		return nil
	})
	return all, err
}

// splitNames are names with a zero between them, which none of them has.
func splitNames(names string) []string {
	if names == "" {
		return nil
	}
	return strings.Split(names, "\x00")
}

// PutTouch replaces the row of a handoff: JSON, and behind a zero the two long lists, which are read faster so.
func (t *Tx) PutTouch(id schemas.ID, touch Touch) error {
	head, _ := json.Marshal(touch) // texts and numbers can be encoded
	files := strings.Join(touch.Committed, "\x00") + "\x00\x00" + strings.Join(touch.Loose, "\x00")
	return t.w.Put(Touches, Number(id), append(append(head, 0), files...))
}

// DeleteTouch deletes it.
func (t *Tx) DeleteTouch(id schemas.ID) error { return t.w.Delete(Touches, Number(id)) }
