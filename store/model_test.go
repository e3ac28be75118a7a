package store_test

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
	"handoff/store"
	"handoff/store/audit"
	"handoff/store/postgres/postgrestest"
	"handoff/store/storetest"
)

// Random histories: records are made and changed at random. All derived data of the typed layer is compared with the
// result of reading all records.
func TestStore_AgreesWithModelOnRandomHistories(t *testing.T) {
	runOnEachBackend(t, requireAgreesWithModel)
	t.Run("postgres", func(t *testing.T) {
		requireAgreesWithModel(t, newWorldOver(t, postgrestest.NewWorkspaceOpener(t)(t, "shop")))
	})
}

func requireAgreesWithModel(t *testing.T, w *world) {
	for seed := range uint64(4) {
		m := model{world: w, random: rand.New(rand.NewPCG(seed, 7)), records: map[schemas.ID]*store.Record{}, said: map[uint64][]byte{}}
		for _, id := range w.handoffIDs() {
			m.records[id] = w.readRecord(id)
		}
		for range 60 {
			m.changeRecords()
		}
		m.compare()
	}
}

// handoffIDs lists the handoffs of a store.
func (w *world) handoffIDs() (ids []schemas.ID) {
	w.T.Helper()
	w.Read(func(v *store.View) error {
		for id, err := range v.OldestFirst(store.IndexOfAllHandoffs(), 0) {
			if err != nil {
				return err
			}
			ids = append(ids, id)
		}
		return nil
	})
	return ids
}

type model struct {
	*world
	random  *rand.Rand
	records map[schemas.ID]*store.Record
	said    map[uint64][]byte // by event
}

// changeRecords changes up to three records in one transaction.
func (m *model) changeRecords() {
	type made struct {
		record *store.Record
		said   []byte
	}
	seed := m.random.Uint64()
	var kept []made
	m.Write(func(tx *store.Tx) error {
		random := rand.New(rand.NewPCG(seed, 0)) // the same if it runs again
		kept = nil
		for range 1 + random.IntN(3) {
			was, now, err := m.nextState(tx, random)
			if err != nil {
				return err
			}
			if was != nil && slices.ContainsFunc(kept, func(k made) bool { return k.record.ID == was.ID }) {
				continue
			}
			content := bytes.Repeat([]byte("x"), random.IntN(2)*random.IntN(5000))
			if err := storetest.WriteRecord(tx, was, now, "step", string(content)); err != nil {
				return err
			}
			kept = append(kept, made{now, content})
		}
		return nil
	})
	for _, k := range kept {
		m.records[k.record.ID], m.said[k.record.Event] = k.record, k.said
	}
}

// nextState returns a new record, or another state of an existing record.
func (m *model) nextState(tx *store.Tx, random *rand.Rand) (was, now *store.Record, err error) {
	ids := slices.Sorted(maps.Keys(m.records))
	if len(ids) == 0 || random.IntN(3) == 0 {
		id, err := tx.NewID()
		return nil, randomRecord(random, id), err
	}
	id := ids[random.IntN(len(ids))]
	if was, err = tx.Record(id); err != nil {
		return nil, nil, err
	}
	now = randomRecord(random, id)
	now.From, now.Workflow, now.Created = was.From, was.Workflow, was.Created // these never change
	return was, now, nil
}

var (
	agents     = []schemas.Agent{"a", "ab", "auto-code", "human"}
	boxes      = []schemas.Address{"a", "ab", "auto-code", "capability:a", "role:a", ""}
	priorities = []schemas.Priority{schemas.Low, schemas.Normal, schemas.High, schemas.Critical}
)

func randomOf[T any](random *rand.Rand, from ...T) T { return from[random.IntN(len(from))] }

// randomRecord returns a record with anything in the fields that an index, a counter or an order depends on.
func randomRecord(random *rand.Rand, id schemas.ID) *store.Record {
	r := storetest.NewSentRecord(id)
	r.From, r.To, r.Box = randomOf(random, agents...), randomOf(random, boxes[:5]...), randomOf(random, boxes...)
	r.Workflow = randomOf[schemas.Workflow](random, "wf_a", "wf_ab")
	r.Priority, r.Status = randomOf(random, priorities...), randomOf(random, schemas.Statuses...)
	if random.IntN(2) == 0 {
		r.Status = schemas.Pending
	}
	if r.Status != schemas.Pending {
		r.Holder = randomOf(random, agents...)
	}
	r.Created = storetest.MinutesAfterNoon(random.IntN(600))
	r.Wakes = randomOf(random, 0, storetest.MinutesAfterNoon(random.IntN(10)), storetest.MinutesAfterNoon(random.IntN(10000)))
	r.NeedsApproval = random.IntN(8) == 0
	for range random.IntN(3) * random.IntN(2) {
		r.After = append(r.After, schemas.ID(1+random.IntN(5)))
	}
	r.Parent = randomOf[schemas.ID](random, 0, 1, 2, 255, 256)
	r.OriginID = randomOf(random, "", "HO-1", "HO-1\x00")
	r.Digest = randomOf(random, "", "one", "two")
	r.SentWith = randomOf(random, "", "ci", "a")
	return r
}

// idsWhere returns the ids of the records for which wanted returns true, in ascending order.
func (m *model) idsWhere(wanted func(r *store.Record) bool) (ids []schemas.ID) {
	for _, id := range slices.Sorted(maps.Keys(m.records)) {
		if wanted(m.records[id]) {
			ids = append(ids, id)
		}
	}
	return ids
}

func (m *model) compare() {
	m.T.Helper()
	m.RequireSound()
	m.Read(func(v *store.View) error {
		m.compareRecords(v)
		m.compareIndexes(v)
		m.compareQueues(v)
		m.compareDue(v)
		m.compareMailboxes(v)
		return nil
	})
}

func (m *model) compareRecords(v *store.View) {
	for id, r := range m.records {
		stored, err := v.Record(id)
		require.NoError(m.T, err)
		r.Schema = schemas.Version
		require.Equal(m.T, r, stored)
		intact, err := audit.IsHandoffIntact(v, id)
		require.NoError(m.T, err)
		require.True(m.T, intact)
	}
	for event, content := range m.said {
		e, err := v.Event(event)
		require.NoError(m.T, err)
		said, err := v.RawContent(e.Handoff, event)
		require.NoError(m.T, err)
		require.True(m.T, bytes.Equal(content, said))
	}
}

func (m *model) compareIndexes(v *store.View) {
	type wanted = func(r *store.Record) bool
	indexes := map[string]struct {
		index  store.HandoffIndex
		wanted wanted
	}{"all": {store.IndexOfAllHandoffs(), func(*store.Record) bool { return true }}}
	add := func(name string, i store.HandoffIndex, w wanted) {
		indexes[name] = struct {
			index  store.HandoffIndex
			wanted wanted
		}{i, w}
	}
	for _, box := range boxes[:5] {
		add("to "+string(box), store.IndexByRecipient(box), func(r *store.Record) bool { return r.To == box })
	}
	for _, a := range agents {
		add("from "+string(a), store.IndexBySender(a), func(r *store.Record) bool { return r.From == a })
		add("held by "+string(a), store.IndexByHolder(a), func(r *store.Record) bool { return r.Holder == a && r.Status.IsHeld() })
		add("once held by "+string(a), store.IndexByLastHolder(a), func(r *store.Record) bool { return r.Holder == a && !r.Status.IsHeld() })
	}
	for _, wf := range []schemas.Workflow{"wf_a", "wf_ab", "wf_"} {
		add("in "+string(wf), store.IndexByWorkflow(wf), func(r *store.Record) bool { return r.Workflow == wf })
	}
	for _, s := range schemas.Statuses {
		add(string(s), store.IndexByState(s), func(r *store.Record) bool { return r.Status == s })
	}
	for _, id := range []schemas.ID{1, 2, 3, 4, 5, 255, 256} {
		add("children of "+id.String(), store.IndexByParent(id), func(r *store.Record) bool { return r.Parent == id })
		add("waiting for "+id.String(), store.IndexByDependency(id), func(r *store.Record) bool { return slices.Contains(r.After, id) })
	}
	for name, i := range indexes {
		want := m.idsWhere(i.wanted)
		require.Equal(m.T, want, collect(m.T, v.OldestFirst(i.index, 0)), name)
		reversed := slices.Clone(want)
		slices.Reverse(reversed)
		require.Equal(m.T, reversed, collect(m.T, v.NewestFirst(i.index, 0)), name)
		if len(want) > 2 {
			middle := len(want) / 2
			require.Equal(m.T, want[middle+1:], collect(m.T, v.OldestFirst(i.index, want[middle])), name)
			require.Equal(m.T, reversed[len(want)-middle:], collect(m.T, v.NewestFirst(i.index, want[middle])), name)
		}
	}
}

// queueTime returns the position of a record in its mailbox by the design: its send time minus the bonus of its
// priority.
func queueTime(r *store.Record) time.Time {
	bonus := map[schemas.Priority]time.Duration{schemas.Normal: time.Hour, schemas.High: 4 * time.Hour, schemas.Critical: 24 * time.Hour}
	return r.Created.Time().Add(-bonus[r.Priority])
}

func isClaimable(r *store.Record) bool {
	return r.Status == schemas.Pending && r.Box != "" && !r.NeedsApproval && len(r.After) == 0
}

func (m *model) compareQueues(v *store.View) {
	for _, from := range [][]schemas.Address{{"a"}, {"ab"}, {"a", "ab"}, {"role:a", "a", "capability:a"}, boxes[:5], {"nobody"}, nil} {
		want := m.idsWhere(func(r *store.Record) bool { return isClaimable(r) && slices.Contains(from, r.Box) })
		slices.SortStableFunc(want, func(a, b schemas.ID) int {
			return cmp.Or(queueTime(m.records[a]).Compare(queueTime(m.records[b])), cmp.Compare(a, b))
		})
		require.Equal(m.T, want, collect(m.T, v.ClaimableHandoffs(from...)), fmt.Sprint(from))
	}
}

func (m *model) compareDue(v *store.View) {
	for _, now := range []int{-1, 0, 3, 9, 500, 20000} {
		want := m.idsWhere(func(r *store.Record) bool { return r.Wakes != 0 && r.Wakes <= storetest.MinutesAfterNoon(now) })
		slices.SortStableFunc(want, func(a, b schemas.ID) int { return cmp.Compare(m.records[a].Wakes, m.records[b].Wakes) })
		require.Equal(m.T, want, collect(m.T, v.DueHandoffs(storetest.MinutesAfterNoon(now).Time())))
	}
	next, err := v.NextDueTime()
	require.NoError(m.T, err)
	waking := m.idsWhere(func(r *store.Record) bool { return r.Wakes != 0 })
	first := slices.MinFunc(waking, func(a, b schemas.ID) int { return cmp.Compare(m.records[a].Wakes, m.records[b].Wakes) })
	require.Equal(m.T, m.records[first].Wakes.Time(), next)
}

func (m *model) compareMailboxes(v *store.View) {
	for _, box := range boxes[:5] {
		pending := m.idsWhere(func(r *store.Record) bool { return isClaimable(r) && r.Box == box })
		urgent := m.idsWhere(func(r *store.Record) bool {
			return isClaimable(r) && r.Box == box && (r.Priority == schemas.High || r.Priority == schemas.Critical)
		})
		held := m.idsWhere(func(r *store.Record) bool { return r.Status.IsHeld() && schemas.Address(r.Holder) == box })
		counted, err := v.Counters(box)
		require.NoError(m.T, err)
		require.Equal(m.T, store.Counters{Pending: len(pending), Urgent: len(urgent), Held: len(held)}, counted)
	}
	for _, token := range []string{"ci", "a"} {
		pending := m.idsWhere(func(r *store.Record) bool { return r.Status == schemas.Pending && r.SentWith == token })
		counted, err := v.PendingSentWithToken(token)
		require.NoError(m.T, err)
		require.Len(m.T, pending, counted)
	}
}
