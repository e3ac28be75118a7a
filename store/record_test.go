package store_test

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
	"handoff/store"
	"handoff/store/audit"
	"handoff/store/storetest"
)

func TestDecodeRecord_KeepsFieldsOfNewerVersion(t *testing.T) {
	w := newMemoryWorld(t)
	r := w.Send(1)
	w.rewrite(r.ID, `"v":1,`, `"v":1,"mood":{"now":["good",1e3]},"aa":null,`)

	r = w.readRecord(r.ID)
	r = w.Claim(r)
	r = w.Complete(w.readRecord(r.ID))
	text := string(w.CopyRows(store.Records)[store.Records][0].Value)
	require.Contains(t, text, `"mood":{"now":["good",1e3]}`)
	require.Contains(t, text, `"aa":null`)
	require.Equal(t, schemas.Completed, w.readRecord(r.ID).Status)
}

// rewrite changes the stored text of a record.
func (w *world) rewrite(id schemas.ID, from, to string) {
	w.T.Helper()
	w.WriteRows(func(rows store.Writer) error {
		b, err := rows.Get(store.Records, store.EncodeNumber(id))
		if err != nil {
			return err
		}
		text := strings.Replace(string(b), from, to, 1)
		if text == string(b) {
			return errors.New("nothing to rewrite")
		}
		return rows.Put(store.Records, store.EncodeNumber(id), []byte(text))
	})
}

func TestDecodeRecord_RefusesNewerSchema(t *testing.T) {
	for name, text := range map[string]string{
		"only newer":         `{"v":2,"id":"ho_1","wf":"wf_login","st":"pending"}`,
		"with a new field":   `{"v":2,"id":"ho_1","mood":1}`,
		"with another shape": `{"v":2,"id":"ho_1","prio":{"weight":7},"tags":"go"}`,
	} {
		t.Run(name, func(t *testing.T) {
			w := newMemoryWorld(t)
			r := w.Send(1)
			w.WriteRows(func(rows store.Writer) error {
				return rows.Put(store.Records, store.EncodeNumber(r.ID), []byte(text))
			})
			before := w.CopyRows(storetest.AllSpaces()...)

			err := w.Update(context.Background(), func(tx *store.Tx) error {
				if _, err := tx.AddNotice(schemas.Notice{To: "architect"}); err != nil {
					return err
				}
				_, err := tx.Record(r.ID)
				return err
			})
			var coded *schemas.Error
			require.ErrorAs(t, err, &coded)
			require.Equal(t, schemas.Unavailable, coded.Code)
			require.Equal(t, "ho_1 was written by a newer version of handoff (record schema 2, this one knows 1)", coded.Message)
			require.Contains(t, coded.Hint, "Update handoff")
			require.Equal(t, before, w.CopyRows(storetest.AllSpaces()...))
			out, err := audit.ExamineStore(t.Context(), w.Store, nil)
			require.NoError(t, err)
			require.Contains(t, out.Faults[0].What, "the record of ho_1 cannot be read: ho_1 was written by a newer")
		})
	}
}

func TestRecordClone_SharesNoMemory(t *testing.T) {
	r := randomRecord(rand.New(rand.NewPCG(1, 1)), 5)
	r.Tags, r.Voided, r.Excluded = []string{"a"}, []string{"a"}, []schemas.Agent{"a"}
	r.Told, r.Freed, r.AfterAccepted = []schemas.Agent{"a"}, []schemas.ID{1}, []schemas.ID{1}
	r.After, r.Late, r.Owes, r.Products = []schemas.ID{1}, []uint64{1}, []store.OpenConsequence{{Do: "a"}}, []string{"a"}
	r.Requires = []string{"a"}
	text, err := json.Marshal(r)
	require.NoError(t, err)
	c := r.Clone()
	require.Equal(t, *r, c)
	for f := range reflect.TypeFor[store.Record]().NumField() {
		if field := reflect.ValueOf(&c).Elem().Field(f); field.Kind() == reflect.Slice {
			require.NotZero(t, field.Len(), reflect.TypeFor[store.Record]().Field(f).Name)
			field.Index(0).SetZero()
		}
	}
	again, err := json.Marshal(r)
	require.NoError(t, err)
	require.Equal(t, string(text), string(again))
}

func TestIndexRowsOf_ReturnsOneRowPerIndex(t *testing.T) {
	r := storetest.NewSentRecord(7)
	r.Parent, r.OriginID, r.Wakes = 3, "HO-77\x00 of another system", storetest.MinutesAfterNoon(9)
	require.Equal(t, []store.Space{
		store.ByBox, store.ByWorkflow, store.ByState, store.BySender, store.ByParent, store.ByOrigin, store.Ready, store.Wakes,
	}, spacesOf(r))
	same := r.Clone()
	require.Equal(t, store.IndexRowsOf(&same), store.IndexRowsOf(r))
	require.Equal(t, same, *r, "nothing was changed")

	blocked := r.Clone()
	blocked.After = []schemas.ID{4, 5, 4}
	require.Equal(t, []store.Space{
		store.ByBox, store.ByWorkflow, store.ByState, store.BySender, store.ByParent, store.ByOrigin, store.ByAfter, store.ByAfter, store.Wakes,
	}, spacesOf(&blocked))

	held := storetest.NewSentRecord(7)
	held.Status, held.Holder = schemas.Working, "auto-code"
	require.Equal(t, []store.Space{store.ByBox, store.ByWorkflow, store.ByState, store.BySender, store.ByHolder}, spacesOf(held))
}

func spacesOf(r *store.Record) (spaces []store.Space) {
	for _, e := range store.IndexRowsOf(r) {
		spaces = append(spaces, e.Space)
	}
	return spaces
}

// An id that a foreign message brought may have any length and hold any character.
func TestHandoffsWithOrigin_AcceptIDsOfAnyCharacters(t *testing.T) {
	w := newMemoryWorld(t)
	foreign := []string{"HO-1", "HO-1\x00", "HO-1\x00\x00\x00\x00\x00\x00\x00\x00\x09\x00", strings.Repeat("long ", 2000)}
	for i, text := range foreign {
		r := storetest.NewSentRecord(schemas.ID(i + 1))
		r.OriginID = text
		w.Change(nil, r, "send", "")
	}
	again := storetest.NewSentRecord(100)
	again.OriginID = foreign[0]
	w.Change(nil, again, "send", "")
	w.Read(func(v *store.View) error {
		for i, text := range foreign[1:] {
			require.Equal(t, []schemas.ID{schemas.ID(i + 2)}, collect(t, v.HandoffsWithOrigin(text)))
		}
		require.Equal(t, []schemas.ID{100, 1}, collect(t, v.HandoffsWithOrigin(foreign[0])), "the newest first")
		require.Empty(t, collect(t, v.HandoffsWithOrigin("HO-2")))
		return nil
	})
	w.RequireSound()
}
