package travel

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"handoff/schemas"
	"handoff/store"
)

func (x *exporter) handoffs(emit func(line) error) error {
	return x.rows(store.Range{Space: store.Records}, func(row store.Row) error {
		id := schemas.ID(store.LastNumber(row.Key))
		r, err := store.DecodeRecord(row.Value)
		if err != nil {
			return fmt.Errorf("record of %s: %w", id, err)
		}
		b := bytes.Clone(row.Value)
		if r.Status.Held() { // the claim stays where it was made
			r.Token, r.Voided, r.Conn, r.Lease = "", nil, "", 0
			if b, err = store.EncodeRecord(r); err != nil {
				return err
			}
		}
		words, err := x.Rows().Get(store.Words, store.Number(id))
		if err != nil {
			return err
		}
		return emit(line{
			Handoff: id, Workflow: r.Workflow, Title: r.Title, Status: r.Status, Outcome: r.Outcome,
			Sender: r.From, To: r.To, Holder: r.Holder, Record: b,
			Words: strings.ReplaceAll(strings.Trim(string(words), "\x00"), "\x00", " "),
		})
	})
}

func (l *loader) handoff(read *line) error {
	r, err := store.DecodeRecord(read.Record)
	if err != nil {
		return errors.New(err.Error()) // also one of a newer version is told with its line
	}
	key, last := store.Number(r.ID), l.tips[r.ID]
	switch {
	case r.ID != read.Handoff || r.ID > MostID || !asJSON(read.Record):
		return fmt.Errorf("the record calls itself %s", r.ID)
	case last.n == 0 || r.Event != last.n || r.Status != last.status || !last.status.Held() && last.record != store.Hash(read.Record):
		return fmt.Errorf("the record of %s is not what event %d left", r.ID, last.n)
	}
	delete(l.tips, r.ID)
	l.lastHandoff = max(l.lastHandoff, r.ID)
	l.put(store.Records, key, read.Record)
	for _, e := range store.Entries(r) {
		l.put(e.Space, e.Key, e.Value)
	}
	for _, s := range store.Shares(r) {
		l.count(s.Address, s.Mailbox)
	}
	words := "\x00" // of none, as a handoff of signs alone has
	if read.Words != "" {
		words += strings.ReplaceAll(read.Words, " ", "\x00") + "\x00"
	}
	l.put(store.Words, key, []byte(words))
	return l.follows(read.Kind, key)
}

func (l *loader) count(box schemas.Address, by store.Mailbox) {
	l.unfit = l.unfit || by != (store.Mailbox{}) && box == "" || len(box) > store.MaxKey
	m := l.boxes[box]
	m.Add(by)
	l.boxes[box] = m
}
