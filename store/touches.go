package store

import (
	"bytes"
	"encoding/json"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
	"time"

	"handoff/schemas"
)

// TouchedFiles lists the files that the work on a handoff changes or names, as its holder reported last. Files are
// relative to the root of the working tree. If the row is lost, some agents are not warned that other agents work on
// the same files.
type TouchedFiles struct {
	Holder schemas.Agent `json:"holder"`
	Claims int           `json:"claims"`          // of the record, at the last claim of that holder
	Since  uint64        `json:"since"`           // the event of its first claim
	Ended  uint64        `json:"ended,omitempty"` // the event of the completion

	Repository string   `json:"repo,omitempty"` // empty if git was not asked
	Path       string   `json:"path,omitempty"` // of the working tree
	Branch     string   `json:"branch,omitempty"`
	Commit     string   `json:"commit,omitempty"`
	Committed  []string `json:"-"`               // since the base
	Loose      []string `json:"-"`               // changed and in no commit
	Named      []string `json:"named,omitempty"` // by the handoff, with patterns

	SeenAt time.Time `json:"seen_at,omitzero"` // when git began to look for the loose files

	Told map[schemas.ID][]uint32 `json:"told,omitempty"` // hashes of files told to the holder, by the other handoff
}

// UntoldFiles returns those of the files about which the holder of t was not warned yet because of the handoff `by`. It
// leaves out the files in told, because the holder of the other handoff was warned about them.
func (t *TouchedFiles) UntoldFiles(by schemas.ID, files []string, told []uint32) (news []string) {
	for _, file := range files {
		if sum := hashFile(file); !slices.Contains(told, sum) && !slices.Contains(t.Told[by], sum) {
			news = append(news, file)
		}
	}
	return news
}

// RecordWarnedFiles records that the holder of t is warned about files that also the handoff `by` touches.
func (t *TouchedFiles) RecordWarnedFiles(by schemas.ID, files []string) {
	if len(files) == 0 {
		return
	}
	told := map[schemas.ID][]uint32{} // a decoded row may be shared
	maps.Copy(told, t.Told)
	told[by] = append(slices.Clone(told[by]), schemas.Map(files, hashFile)...)
	t.Told = told
}

func hashFile(file string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(file))
	return h.Sum32()
}

// EachTouchedFiles calls fn with the encoded row of each handoff, for [DecodeTouchedFiles]. The bytes are valid until
// the end of the transaction.
func (v *View) EachTouchedFiles(fn func(id schemas.ID, encoded []byte)) error {
	return v.EachInRange(Range{Space: Touches}, func(row Row) error {
		fn(schemas.ID(DecodeLastNumber(row.Key)), row.Value)
		return nil
	})
}

// TouchedFiles returns the row of a handoff, or the zero value if there is none.
func (v *View) TouchedFiles(id schemas.ID) (TouchedFiles, error) {
	encoded, err := v.r.Get(Touches, EncodeNumber(id))
	return DecodeTouchedFiles(encoded), err
}

// DecodeTouchedFiles decodes a row. For a row that cannot be read it returns the zero value.
func DecodeTouchedFiles(encoded []byte) TouchedFiles {
	head, files, _ := bytes.Cut(encoded, []byte{0})
	committed, loose, _ := strings.Cut(string(files), "\x00\x00")
	t := TouchedFiles{Committed: splitAtZeroBytes(committed), Loose: splitAtZeroBytes(loose)}
	if schemas.Decode(head, &t) != nil {
		return TouchedFiles{}
	}
	return t
}

// splitAtZeroBytes splits names that are separated by zero bytes.
func splitAtZeroBytes(names string) []string {
	if names == "" {
		return nil
	}
	return strings.Split(names, "\x00")
}

// PutTouchedFiles replaces the row of a handoff: the fields as JSON, a zero byte, and then two lists of files. The
// lists are not JSON, because a plain list is decoded faster.
func (t *RowTx) PutTouchedFiles(id schemas.ID, touch TouchedFiles) error {
	head, _ := json.Marshal(touch) // texts and numbers can be encoded
	files := strings.Join(touch.Committed, "\x00") + "\x00\x00" + strings.Join(touch.Loose, "\x00")
	return t.w.Put(Touches, EncodeNumber(id), append(append(head, 0), files...))
}

// DeleteTouchedFiles deletes the row of a handoff.
func (t *RowTx) DeleteTouchedFiles(id schemas.ID) error { return t.w.Delete(Touches, EncodeNumber(id)) }
