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

func (x *exporter) exportAgent(row store.Row) (*exportLine, error) {
	var a store.Agent
	if err := schemas.Decode(row.Value, &a); err != nil {
		return nil, fmt.Errorf("agent %s: %w", row.Key, err)
	}
	a.Session, a.Conn, a.Process, a.Parent, a.Left, a.Idle = "", "", "", 0, false, false
	b, _ := json.Marshal(a) // it was decoded
	return &exportLine{Agent: b}, nil
}

func (l *loader) loadAgent(read *exportLine) error {
	var a store.Agent
	if err := decodeCompactRow(read.Agent, &a); err != nil {
		return err
	}
	if _, err := schemas.ParseAgent("agent", string(a.Card.Name)); err != nil {
		return errors.New(err.Error())
	}
	l.putRow(store.Agents, []byte(a.Card.Name), read.Agent)
	return l.checkOrder(read.Kind, []byte(a.Card.Name))
}

func (x *exporter) exportWorkflow(row store.Row) (*exportLine, error) {
	return &exportLine{Workflow: schemas.Workflow(row.Key), Flow: bytes.Clone(row.Value)}, nil
}

func (l *loader) loadWorkflow(read *exportLine) error {
	if err := decodeCompactRow(read.Flow, &store.Workflow{}); err != nil {
		return err
	}
	l.putRow(store.Workflows, []byte(read.Workflow), read.Flow)
	return l.checkOrder(read.Kind, []byte(read.Workflow))
}

func (x *exporter) exportNotice(row store.Row) (*exportLine, error) {
	unread, err := x.RawRows().Get(store.Unread, row.Key)
	if err != nil {
		return nil, err
	}
	return &exportLine{Unread: unread != nil, Notice: bytes.Clone(row.Value)}, nil
}

func (l *loader) loadNotice(read *exportLine) error {
	var n schemas.Notice
	if err := decodeCompactRow(read.Notice, &n); err != nil {
		return err
	}
	unread := store.UnreadRow(n)
	l.lastNotice = max(l.lastNotice, n.ID)
	l.putRow(store.Notices, unread.Key, read.Notice)
	if read.Unread {
		l.putRow(unread.Space, unread.Key, unread.Value)
		l.addToCounters(schemas.Address(n.To), store.Counters{Unread: 1})
	}
	return l.checkOrder(read.Kind, unread.Key)
}

func (x *exporter) exportReceipt(row store.Row) (*exportLine, error) {
	sender, key, _ := strings.Cut(string(row.Key[1:]), "\x00")
	r, err := store.DecodeReceipt(row.Value)
	if err != nil {
		return nil, err
	}
	return &exportLine{Sender: schemas.Agent(sender), Key: key, At: r.At, Digest: r.Digest, Result: r.Result}, nil
}

func (l *loader) loadReceipt(read *exportLine) error {
	if !isCompactJSON(read.Result) || strings.Contains(string(read.Sender)+read.Digest, "\x00") {
		return errors.New("its result is missing or not compact JSON")
	}
	key := store.KeyReceiptKey(read.Sender, read.Key)
	l.putRow(store.Receipts, key, store.Receipt{Digest: read.Digest, Result: read.Result, At: read.At}.Encode())
	return l.checkOrder(read.Kind, key)
}

func (x *exporter) exportHandoff(row store.Row) (*exportLine, error) {
	id := schemas.ID(store.DecodeLastNumber(row.Key))
	r, err := store.DecodeRecord(row.Value)
	if err != nil {
		return nil, fmt.Errorf("record of %s: %w", id, err)
	}
	b := bytes.Clone(row.Value)
	if r.Status.IsHeld() { // the claim stays where it was made
		r.Token, r.Voided, r.Conn, r.Lease = "", nil, "", 0
		if b, err = store.EncodeRecord(r); err != nil {
			return nil, err
		}
	}
	words, err := x.RawRows().Get(store.Words, store.EncodeNumber(id))
	if err != nil {
		return nil, err
	}
	return &exportLine{
		Handoff: id, Workflow: r.Workflow, Title: r.Title, Status: r.Status, Outcome: r.Outcome,
		Sender: r.From, To: r.To, Holder: r.Holder, Record: b,
		Words: strings.ReplaceAll(strings.Trim(string(words), "\x00"), "\x00", " "),
	}, nil
}

func (l *loader) loadHandoff(read *exportLine) error {
	r, err := store.DecodeRecord(read.Record)
	if err != nil {
		return errors.New(err.Error()) // also one of a newer version is told with its line
	}
	key, last := store.EncodeNumber(r.ID), l.lastEvents[r.ID]
	switch {
	case r.ID != read.Handoff || r.ID > MaxID || !isCompactJSON(read.Record):
		return fmt.Errorf("the record calls itself %s", r.ID)
	case last.n == 0 || r.Event != last.n || r.Status != last.status || !last.status.IsHeld() && last.record != store.HashOf(read.Record):
		return fmt.Errorf("the record of %s does not match its event %d", r.ID, last.n)
	}
	delete(l.lastEvents, r.ID)
	l.putRow(store.Records, key, read.Record)
	for _, e := range store.IndexRowsOf(r) {
		l.putRow(e.Space, e.Key, e.Value)
	}
	for _, s := range store.CountersOf(r) {
		l.addToCounters(s.Address, s.Counters)
	}
	words := "\x00" // of none, as a handoff of signs alone has
	if read.Words != "" {
		words += strings.ReplaceAll(read.Words, " ", "\x00") + "\x00"
	}
	l.putRow(store.Words, key, []byte(words))
	return l.checkOrder(read.Kind, key)
}

func (l *loader) addToCounters(box schemas.Address, by store.Counters) {
	l.badKey = l.badKey || by != (store.Counters{}) && box == "" || len(box) > store.MaxKey
	l.boxes.Add(store.MailboxCounters{Address: box, Counters: by})
}
