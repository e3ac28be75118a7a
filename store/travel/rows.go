package travel

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"handoff/schemas"
	"handoff/store"
)

func (x *exporter) agents(emit func(line) error) error {
	return x.Each(store.Range{Space: store.Agents}, func(row store.Row) error {
		var a store.Agent
		if err := schemas.Decode(row.Value, &a); err != nil {
			return fmt.Errorf("agent %s: %w", row.Key, err)
		}
		a.Session, a.Conn, a.Process, a.Left, a.Idle = "", "", "", false, false
		b, _ := json.Marshal(a) // it was decoded
		return emit(line{Agent: b})
	})
}

func (l *loader) agent(read *line) error {
	var a store.Agent
	if err := decodeRow(read.Agent, &a); err != nil {
		return err
	}
	if _, err := schemas.ParseAgent("agent", string(a.Card.Name)); err != nil {
		return errors.New(err.Error())
	}
	l.put(store.Agents, []byte(a.Card.Name), read.Agent)
	return l.checkOrder(read.Kind, []byte(a.Card.Name))
}

func (x *exporter) workflows(emit func(line) error) error {
	return x.Each(store.Range{Space: store.Workflows}, func(row store.Row) error {
		return emit(line{Workflow: schemas.Workflow(row.Key), Flow: bytes.Clone(row.Value)})
	})
}

func (l *loader) workflow(read *line) error {
	if err := decodeRow(read.Flow, &store.Workflow{}); err != nil {
		return err
	}
	l.put(store.Workflows, []byte(read.Workflow), read.Flow)
	return l.checkOrder(read.Kind, []byte(read.Workflow))
}

func (x *exporter) notices(emit func(line) error) error {
	return x.Each(store.Range{Space: store.Notices}, func(row store.Row) error {
		unread, err := x.Rows().Get(store.Unread, row.Key)
		if err != nil {
			return err
		}
		return emit(line{Unread: unread != nil, Notice: bytes.Clone(row.Value)})
	})
}

func (l *loader) notice(read *line) error {
	var n schemas.Notice
	if err := decodeRow(read.Notice, &n); err != nil {
		return err
	}
	unread := store.UnreadEntry(n)
	l.lastNotice = max(l.lastNotice, n.ID)
	l.put(store.Notices, unread.Key, read.Notice)
	if read.Unread {
		l.put(unread.Space, unread.Key, unread.Value)
		l.count(schemas.Address(n.To), store.Mailbox{Unread: 1})
	}
	return l.checkOrder(read.Kind, unread.Key)
}

// keys writes the receipts of idempotency keys. Receipts of request ids last a day, and are not exported.
func (x *exporter) keys(emit func(line) error) error {
	return x.Each(store.Prefix(store.Receipts, []byte("k")), func(row store.Row) error {
		sender, key, _ := strings.Cut(string(row.Key[1:]), "\x00")
		r, err := store.DecodeReceipt(row.Value)
		if err != nil {
			return err
		}
		return emit(line{Sender: schemas.Agent(sender), Key: key, At: r.At, Digest: r.Digest, Result: r.Result})
	})
}

func (l *loader) key(read *line) error {
	if !isCompactJSON(read.Result) || strings.Contains(string(read.Sender)+read.Digest, "\x00") {
		return errors.New("its result is missing or not compact JSON")
	}
	key := store.ByKey(read.Sender, read.Key)
	l.put(store.Receipts, key, store.Receipt{Digest: read.Digest, Result: read.Result, At: read.At}.Encode())
	return l.checkOrder(read.Kind, key)
}

func (x *exporter) handoffs(emit func(line) error) error {
	return x.Each(store.Range{Space: store.Records}, func(row store.Row) error {
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
	case r.ID != read.Handoff || r.ID > MaxID || !isCompactJSON(read.Record):
		return fmt.Errorf("the record calls itself %s", r.ID)
	case last.n == 0 || r.Event != last.n || r.Status != last.status || !last.status.Held() && last.record != store.Hash(read.Record):
		return fmt.Errorf("the record of %s does not match its event %d", r.ID, last.n)
	}
	delete(l.tips, r.ID)
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
	return l.checkOrder(read.Kind, key)
}

func (l *loader) count(box schemas.Address, by store.Mailbox) {
	l.badKey = l.badKey || by != (store.Mailbox{}) && box == "" || len(box) > store.MaxKey
	l.boxes.Add(store.Box{Address: box, Mailbox: by})
}
