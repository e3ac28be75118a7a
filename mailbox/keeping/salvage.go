package keeping

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"reflect"
	"slices"

	"handoff/mailbox/operation"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
	"handoff/store/ledger"
)

// Salvage makes a store from the rows that can be read in a damaged one. It writes the events again under their
// numbers, with an empty event in the place of each lost one, so the new store has a registry of its own.
//
// Rows of the tree are as of the last commit. Loose rows may be older, and may have texts that were redacted since.
// Salvage uses loose rows only if all events are there, each with its leaf in the Merkle tree: then it knows all
// redactions, and uses no loose text that a redaction replaced. Otherwise it uses only the tree.
type Salvage struct {
	Tree, Loose []store.IndexRow // loose rows are of the space [store.Spaces]
	Sure        bool             // no event is later than all events that the rows name
	By          schemas.Event
	Lost        map[string]int // number of lost things, by their name

	events      map[uint64]*salvagedEvent
	last        uint64 // number of the last event
	complete    bool   // no event is missing, so all redactions are known
	anyRedacted bool
	records     map[schemas.ID]*store.Record
	older       map[schemas.ID]bool   // records from loose rows
	first       map[schemas.ID]uint64 // first event of each handoff
}

// salvagedEvent is an event and its content. N is 0 if only rows of its content can be read.
type salvagedEvent struct {
	schemas.Event
	proved   bool   // its leaf was found
	redacted string // digest of its content after the last redaction
	content  store.Content
}

// lost is the action of a lost event, and lostText stands for a lost text.
const (
	lost     = "lost"
	lostText = "[lost: the store was damaged]"
)

// Write writes everything into an empty store.
func (s *Salvage) Write(ctx context.Context, to store.Backend) error {
	s.Lost, s.events, s.last, s.complete = map[string]int{}, map[uint64]*salvagedEvent{}, 0, false
	s.records, s.older, s.first = map[schemas.ID]*store.Record{}, map[schemas.ID]bool{}, map[schemas.ID]uint64{}
	rows, rebuilt := slices.Concat(s.Tree, s.Loose), store.New(to)
	known := s.readEvents(rows)
	return cmp.Or(
		store.UpdateEach(ctx, to, rows, s.keep),
		rebuilt.Update(ctx, func(tx *store.Tx) error { return s.readRedactions(tx, known) }),
		store.UpdateEach(ctx, to, s.Loose, s.keep), // those that were not redacted
		rebuilt.Update(ctx, s.rebuild),
	)
}

// readEvents reads the events, and reports whether all are there.
func (s *Salvage) readEvents(rows []store.IndexRow) (complete bool) {
	leaves, counted, most := map[string]bool{}, uint64(0), uint64(10*len(rows)+1000)
	for _, row := range rows {
		if string(row.Key) == store.EventCountKey && row.Space == store.Sys {
			counted = store.DecodeLastNumber(row.Value)
		}
		if len(row.Key) == 8 && len(row.Value) >= sha256.Size {
			leaves[base64.StdEncoding.EncodeToString(row.Value[:sha256.Size])] = true
		}
	}
	for _, row := range rows {
		var e salvagedEvent
		if s.fits(row, &e.Event, func() []byte { return store.EncodeNumber(e.N) }) && !s.event(e.N).proved {
			e.proved = leaves[ledger.LeafHash(row.Value)]
			s.events[e.N] = &e
		}
		_, n := s.identify(row)
		s.last = max(s.last, e.N, n)
	}
	complete = counted > 0 || s.Sure
	s.last = min(cmp.Or(counted, s.last), most) // a damaged number may be too high
	for n := uint64(1); n <= s.last; n++ {
		complete = complete && s.event(n).proved
	}
	return complete
}

// event returns the event with a number, an empty one if it is lost.
func (s *Salvage) event(n uint64) *salvagedEvent {
	if s.events[n] == nil {
		s.events[n] = &salvagedEvent{}
	}
	return s.events[n]
}

// fits decodes a row. It reports whether all values are within their bounds and belong to the key.
func (s *Salvage) fits(row store.IndexRow, into any, key func() []byte) bool {
	x := examiner{Import: &Import{By: s.By}}
	return len(row.Value) > 0 && x.checkRow(store.Row{Value: row.Value}, into) == nil && bytes.Equal(key(), row.Key)
}

// identify returns the space that a row belongs to by its content, [store.Spaces] if Salvage does not need the row, and
// the number of the last event that it names.
func (s *Salvage) identify(row store.IndexRow) (store.Space, uint64) {
	var a store.Agent
	var n schemas.Notice
	var r store.Record
	switch last := store.DecodeLastNumber(row.Key); {
	case row.Space == store.Unread:
		return row.Space, 0
	case len(row.Value) == 0:
	case len(row.Key) == 18 && row.Key[0] == 0:
		return store.Bodies, store.DecodeLastNumber(row.Key[:16])
	case len(row.Key) == sha256.Size+2:
		return store.References, 0
	case len(row.Key) == 8 && bytes.HasPrefix(row.Value, []byte("salt_")):
		return store.Salts, last
	case s.fits(row, &a, func() []byte { return []byte(a.Card.Name) }):
		return store.Agents, 0
	case s.fits(row, &n, func() []byte { return store.UnreadRow(n).Key }):
		return store.Notices, 0
	case s.fits(row, &r, func() []byte { return store.EncodeNumber(r.ID) }) && r.Body > 0:
		return store.Records, r.Event
	}
	return store.Spaces, 0
}

// keep keeps a row, unless it is loose and there is one in the tree, or it may be redacted. Of loose rows it keeps only
// the contents of redactions until all events are known to be there.
func (s *Salvage) keep(w store.Writer, row store.IndexRow) error {
	space, n := s.identify(row)
	loose := row.Space == store.Spaces
	if space == store.Spaces || space != row.Space && !loose {
		return nil
	}
	e := s.event(n)
	if loose && s.mayBeRedacted(space, row.Value, e) {
		return nil
	}
	if space == store.Records {
		s.keepRecord(row.Value, loose)
		return nil
	}
	if space == store.Bodies && e.N == 0 {
		e.Handoff = schemas.ID(store.DecodeLastNumber(row.Key[:8]))
	}
	was, err := w.Get(space, row.Key)
	if err != nil || was != nil {
		return err
	}
	return w.Put(space, row.Key, row.Value)
}

// mayBeRedacted reports whether a loose row may have a text that was redacted since.
func (s *Salvage) mayBeRedacted(space store.Space, value []byte, e *salvagedEvent) bool {
	if !s.complete {
		return e.Action != schemas.Redacted || space != store.Bodies && space != store.Salts
	}
	if space == store.Bodies {
		return e.redacted != "" && e.redacted != store.HashOf(value)
	}
	return s.anyRedacted && (space == store.References || space == store.Notices)
}

// keepRecord keeps a record. Of several states it keeps the latest.
func (s *Salvage) keepRecord(row []byte, loose bool) {
	r, err := store.DecodeRecord(row)
	if err != nil || max(r.Body, r.Event) > s.last {
		return
	}
	was, e, body := s.records[r.ID], s.event(r.Event), s.event(r.Body)
	if e.N > 0 && (e.Handoff != r.ID || e.State != store.HashOf(row)) || body.N > 0 && body.Handoff != r.ID {
		return
	}
	if was == nil || was.Event < r.Event && s.older[r.ID] {
		s.records[r.ID], s.older[r.ID] = r, loose
	}
}

// readRedactions reads which contents were redacted. An unreadable redaction counts as a missing event.
func (s *Salvage) readRedactions(tx *store.Tx, complete bool) error {
	for n := uint64(1); n <= s.last; n++ {
		e := s.event(n)
		if e.Action != schemas.Redacted {
			continue
		}
		var r schemas.Redaction
		c, err := tx.Content(e.Handoff, n, new(bytes.Buffer))
		if err != nil {
			return err
		}
		complete = complete && e.Said == store.HashOf(c.Salt, c.Bytes) && schemas.Decode(c.Bytes, &r) == nil
		for redacted, digest := range r.Events {
			s.event(redacted).redacted, s.anyRedacted = digest, true
		}
	}
	s.complete = complete
	return nil
}

// rebuild writes events, records and what follows from them.
func (s *Salvage) rebuild(tx *store.Tx) (err error) {
	for id, r := range s.records {
		s.event(r.Body).Handoff, s.event(r.Event).Handoff = id, id
	}
	last := map[schemas.ID]uint64{}
	for n := uint64(1); n <= s.last; n++ {
		e := s.event(n)
		if e.N == 0 {
			s.Lost["event"]++
			e.Event = schemas.Event{N: n, At: s.By.At, Handoff: e.Handoff, Via: schemas.ViaCLI, Action: lost}
		}
		err = cmp.Or(err, s.readContent(tx, e))
		s.first[e.Handoff] = cmp.Or(s.first[e.Handoff], n)
		if e.State != "" {
			last[e.Handoff] = n
		}
	}
	delete(s.first, 0) // events of no handoff
	s.Lost["handoff"] = len(s.first) - len(s.records)
	for _, id := range slices.Sorted(maps.Keys(s.records)) {
		r := s.records[id]
		if last[id] > r.Event {
			s.Lost["latest state of a handoff"]++
		}
		s.repairRecord(r)
		err = cmp.Or(err, tx.PutWorkflow(r.Workflow, store.Workflow{Owner: r.From}))
	}
	return cmp.Or(err, s.writeEvents(tx), s.writeOthers(tx))
}

// readContent takes the content of an event out of the store, and keeps it if it is as it was last written.
func (s *Salvage) readContent(tx *store.Tx, e *salvagedEvent) error {
	c, err := tx.Content(e.Handoff, e.N, new(bytes.Buffer))
	written := e.Said
	if e.redacted != "" {
		c.Salt, written = nil, e.redacted
	}
	isWhole := json.Valid(c.Bytes) && (c.Salt == nil && e.redacted == "" || written == "" || written == store.HashOf(c.Salt, c.Bytes))
	switch {
	case isWhole:
		e.content = c
	case e.Said != "" || len(c.Bytes) > 0:
		s.Lost["text"]++
	}
	if e.content.Bytes == nil && e.Action == schemas.Redacted {
		e.Action = lost // an audit reads what was redacted
	}
	_, erased := tx.RedactContent(e.Event, nil)
	return cmp.Or(err, erased)
}

// repairRecord removes the ids of handoffs and the numbers of texts that are lost. A handoff whose task is lost gets
// another one.
func (s *Salvage) repairRecord(r *store.Record) {
	isLost := func(id schemas.ID) bool { return s.records[id] == nil || id < r.ID && s.first[id] >= s.first[r.ID] }
	isTextLost := func(n uint64) bool { return s.event(n).content.Bytes == nil }
	id, body, last := r.ID, r.Body, r.Event
	for _, field := range reflect.ValueOf(r).Elem().Fields() {
		if !field.CanInterface() {
			continue
		}
		switch value := field.Addr().Interface().(type) {
		case *schemas.ID:
			if isLost(*value) {
				*value = 0
			}
		case *uint64:
			if isTextLost(*value) {
				*value = 0
			}
		case *[]schemas.ID:
			*value = slices.DeleteFunc(*value, isLost)
		case *[]uint64:
			*value = slices.DeleteFunc(*value, isTextLost)
		}
	}
	r.ID, r.Body, r.Event, r.Depth = id, body, last, 1
	if parent := s.records[r.Parent]; parent != nil {
		r.Depth += parent.Depth
	}
	s.repairTask(r)
}

// repairTask sets what a record repeats of its task, and when something is due.
func (s *Salvage) repairTask(r *store.Record) {
	if !r.Status.IsHeld() && !isDueFromCreation(r) {
		r.Wakes = operation.NextChangeTime(r)
	}
	sent := schemas.Handoff{Title: lostText}
	_ = schemas.Decode(s.event(r.Body).content.Bytes, &sent) // it may be lost
	if s.older[r.ID] {
		r.Title, r.Tags, r.Digest, r.ResultDigest, r.LateDigest = sent.Title, sent.Tags, "", "", ""
	}
	if s.event(r.Body).content.Bytes == nil {
		s.Lost["task"]++
		task, _ := json.Marshal(schemas.Handoff{Source: schemas.Source{Agent: r.From}, Type: r.Type, Title: r.Title, Task: lostText})
		s.event(r.Body).content, r.Rule = store.Content{Bytes: task}, ""
	}
}

// writeEvents writes the events. It writes the record of a handoff with each of its events as it was at the end,
// because only that state is known.
func (s *Salvage) writeEvents(tx *store.Tx) error {
	written := map[schemas.ID]*store.Record{}
	for n := uint64(1); n <= s.last; n++ {
		e := s.event(n)
		e.State, e.Before, e.Prev, e.Said, e.Bytes = "", 0, "", "", 0
		now := s.records[e.Handoff]
		if now != nil {
			copied := now.Clone()
			if now = &copied; n >= now.Event {
				e.To = now.Status
			}
		}
		if _, err := tx.WriteChange(written[e.Handoff], now, e.Event, e.content); err != nil {
			return err
		}
		written[e.Handoff] = now
	}
	return nil
}

// writeOthers writes search words, and removes what leads to lost handoffs or does not match its digest.
func (s *Salvage) writeOthers(tx *store.Tx) error {
	err := tx.RewriteNotices(func(n *schemas.Notice) bool {
		isLost := s.records[n.About] == nil && n.About != 0
		if isLost {
			n.About = 0
		}
		return isLost
	})
	for id, r := range s.records {
		words, unread := reading.SearchWords(tx.View, r)
		err = cmp.Or(err, unread, tx.PutWords(id, words))
	}
	digests, unread := tx.ReferenceDigests()
	for digest := range digests {
		if _, wrong := tx.Reference(digest); wrong != nil {
			err = cmp.Or(err, tx.DeleteReference(digest))
		}
	}
	return cmp.Or(err, unread)
}
