package store

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"handoff/schemas"
	"handoff/store/ledger"
)

// follows checks that the lines of a kind come in the order of their keys, so that none comes twice.
func (l *loader) follows(kind string, key []byte) error {
	last, any := l.last[kind]
	l.last[kind] = key
	if any && bytes.Compare(key, last) <= 0 {
		return fmt.Errorf("this %s comes twice, or out of order", kind)
	}
	return nil
}

// fits decodes the row of a line.
func fits(row json.RawMessage, into any) error {
	if !asJSON(row) {
		return errors.New("what belongs into it is missing or not compact JSON")
	}
	return schemas.Decode(row, into)
}

func (l *loader) agent(read *line) error {
	var a Agent
	if err := fits(read.Agent, &a); err != nil {
		return err
	}
	if _, err := schemas.ParseAgent("agent", string(a.Card.Name)); err != nil {
		return errors.New(err.Error())
	}
	l.put(Agents, []byte(a.Card.Name), read.Agent)
	return l.follows(lineAgent, []byte(a.Card.Name))
}

func (l *loader) flow(read *line) error {
	if err := fits(read.Flow, &Workflow{}); err != nil {
		return err
	}
	l.put(Workflows, []byte(read.Workflow), read.Flow)
	return l.follows(lineWorkflow, []byte(read.Workflow))
}

func (l *loader) event(read *line) error {
	var e schemas.Event
	if err := fits(read.Event, &e); err != nil {
		return err
	}
	if err := l.follows(lineEvent, number(e.N)); err != nil {
		return err
	}
	if ledger.Leaf(read.Event) != read.Leaf {
		return fmt.Errorf("event %d is not what the tree has: its bytes were changed", e.N)
	}
	if want := uint64(l.seen[lineEvent]); e.N != want { //nolint:gosec // it counts from 1
		return fmt.Errorf("it has event %d, and event %d is missing", e.N, want)
	}
	l.put(Tree, number(e.N), l.walk.Add(read.Event))
	if err := l.chained(e, read.Event); err != nil {
		return err
	}
	said := spoken{salt: read.Salt}
	if content := read.content(); content != nil {
		said.parts = [][]byte{content}
	}
	said.add()
	of := linked{Handoff: e.Handoff, Action: e.Action, Said: e.Said, Bytes: e.Bytes}
	if wrong := l.auditor.judge(e.N, of, said); wrong != "" {
		return errors.New(wrong)
	}
	l.put(Events, number(e.N), read.Event)
	if read.Salt != nil {
		l.put(Salts, number(e.N), read.Salt)
	}
	return l.putChunks(Bodies, join(number(e.Handoff), number(e.N)), read.content())
}

// chained compares an event with the one before it of the same handoff.
func (l *loader) chained(e schemas.Event, raw []byte) error {
	before := l.tips[e.Handoff]
	if e.State == "" && e.Before == 0 {
		return nil
	}
	if e.State == "" || before.n != e.Before || e.Before != 0 && before.hash != e.Prev {
		return fmt.Errorf("event %d does not follow event %d of %s", e.N, before.n, e.Handoff)
	}
	l.tips[e.Handoff] = tip{n: e.N, hash: digest(raw), record: e.State, status: cmp.Or(e.To, before.status)}
	return nil
}

func (l *loader) content(read *line) error {
	content := read.Bytes
	if content == nil {
		content = []byte(read.Text)
	}
	if DigestOf(content) != read.Digest {
		return fmt.Errorf("content %s is not what its digest says", schemas.Visible(schemas.Clip(read.Digest, 80)))
	}
	sum := sumIn(read.Digest)
	if err := l.follows(lineContent, sum); err != nil {
		return err
	}
	return l.putChunks(References, sum, content)
}

func (l *loader) handoff(read *line) error {
	r, err := decodeRecord(read.Record)
	if err != nil {
		return errors.New(err.Error()) // also one of a newer version is told with its line
	}
	key, last := number(r.ID), l.tips[r.ID]
	switch {
	case r.ID != read.Handoff || r.ID > MostID || !asJSON(read.Record):
		return fmt.Errorf("the record calls itself %s", r.ID)
	case last.n == 0 || r.Event != last.n || r.Status != last.status || !last.status.Held() && last.record != digest(read.Record):
		return fmt.Errorf("the record of %s is not what event %d left", r.ID, last.n)
	}
	delete(l.tips, r.ID)
	l.put(Records, key, read.Record)
	for _, e := range Entries(r) {
		l.put(e.Space, e.Key, e.Value)
	}
	for _, s := range shares(r) {
		l.count(s.box, s.of)
	}
	words := "\x00" // of none, as a handoff of signs alone has
	if read.Words != "" {
		words += strings.ReplaceAll(read.Words, " ", "\x00") + "\x00"
	}
	l.put(Words, key, []byte(words))
	return l.follows(lineHandoff, key)
}

func (l *loader) count(box schemas.Address, by Mailbox) {
	l.unfit = l.unfit || by != (Mailbox{}) && box == "" || len(box) > MaxKey
	m := l.boxes[box]
	m.add(by)
	l.boxes[box] = m
}

func (l *loader) mail(read *line) error {
	var n schemas.Notice
	if err := fits(read.Notice, &n); err != nil {
		return err
	}
	key := noticeKey(n.To, n.ID)
	l.notice = max(l.notice, uint64(n.ID))
	l.put(Notices, key, read.Notice)
	if read.Unread {
		l.put(Unread, key, number(readWith(n)))
		l.count(schemas.Address(n.To), Mailbox{Unread: 1})
	}
	return l.follows(lineNotice, key)
}

func (l *loader) key(read *line) error {
	if !asJSON(read.Result) || strings.Contains(string(read.Sender)+read.Digest, "\x00") {
		return errors.New("its result is missing or not compact JSON")
	}
	key := ByKey(read.Sender, read.Key)
	l.put(Receipts, key, join(number(read.At), word(read.Digest), read.Result))
	return l.follows(lineKey, key)
}
