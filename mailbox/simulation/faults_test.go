package simulation_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"handoff/schemas"
	"handoff/store"
)

// fault is a fault that the test injects around the real code: in the store below it, between a client and the service,
// or in the clock. The zero value is no fault.
type fault struct {
	name    string
	catches string // the rule that has to find it
	rows    func(*world, store.Backend) store.Backend
	between func(l *world, by schemas.Caller, in any) (schemas.Caller, any)
	now     func() time.Time
}

var faults = []fault{
	{
		name: "a claim is lost", catches: "no acknowledged claim is lost",
		rows: func(_ *world, b store.Backend) store.Backend { return forgettingBackend{b} },
	},
	{
		name: "a claim does not see another", catches: "nobody claims what another holds",
		rows: func(l *world, b store.Backend) store.Backend { return staleBackend{b, l, map[string][]byte{}} },
	},
	{
		name: "an event without its change", catches: "each event has its change",
		rows: loseRows(func(s store.Space, value []byte) bool {
			return s == store.Records && decodeRecord(value).Status == schemas.Working
		}),
	},
	{
		name: "a change without its event", catches: "each change has its event",
		rows: loseRows(func(s store.Space, value []byte) bool {
			return s == store.Events && strings.Contains(string(value), `"amended"`)
		}),
	},
	{
		name: "a lease never ends", catches: "leases are respected",
		now: func() time.Time { // the clock stops after ten minutes
			now, stops := time.Now(), time.Date(2000, 1, 1, 0, 10, 0, 0, time.UTC)
			if now.After(stops) {
				return stops
			}
			return now
		},
	},
	{name: "a void token is good", catches: "leases are respected", between: completeAsHolder},
	{
		name: "a dependent is freed too early", catches: "nothing is freed before its time",
		between: changeSendOptions(func(o *schemas.SendOptions) { o.After, o.AfterAccepted = nil, nil }),
	},
	{
		name: "rework does not follow", catches: "returned work is done again",
		rows: loseRows(func(s store.Space, value []byte) bool {
			r := decodeRecord(value)
			return s == store.Records && r.ReworkOf != 0 && r.Claims == 0
		}),
	},
	{
		name: "a notice is lost", catches: "no notice is lost",
		rows: loseRows(func(s store.Space, value []byte) bool {
			return s == store.Notices && strings.Contains(string(value), `"completed"`)
		}),
	},
	{
		name: "a repeated call has two effects", catches: "a repeated call has one effect",
		rows: loseRows(func(s store.Space, _ []byte) bool { return s == store.Receipts }),
	},
	{name: "a limit is ignored", catches: "limits hold", between: changeSendOptions(func(o *schemas.SendOptions) { o.Limits = nil })},
}

// forgettingBackend acknowledges claims of some handoffs, and keeps nothing of them.
type forgettingBackend struct{ store.Backend }

var errForgotten = errors.New("forgotten")

func (b forgettingBackend) Update(ctx context.Context, fn func(store.Writer) error) error {
	err := b.Backend.Update(ctx, func(w store.Writer) error {
		claims := false
		err := fn(watchedWriter{w, func(s store.Space, _, value []byte) {
			claims = claims || s == store.Records && decodeRecord(value).Status == schemas.Accepted && decodeRecord(value).ID%3 == 0
		}})
		if err == nil && claims {
			return errForgotten
		}
		return err
	})
	if errors.Is(err, errForgotten) {
		return nil
	}
	return err
}

// watchedWriter is a writer that tells of each row before it is written.
type watchedWriter struct {
	store.Writer
	tell func(s store.Space, key, value []byte)
}

func (w watchedWriter) Put(s store.Space, key, value []byte) error {
	w.tell(s, key, value)
	return w.Writer.Put(s, key, value)
}

// staleBackend shows a pending handoff to each claim by its id.
type staleBackend struct {
	store.Backend
	l       *world
	pending map[string][]byte
}

func (b staleBackend) Update(ctx context.Context, fn func(store.Writer) error) error {
	return b.Backend.Update(ctx, func(w store.Writer) error {
		return fn(staleWriter{watchedWriter{w, func(s store.Space, key, value []byte) {
			if s == store.Records && decodeRecord(value).Status == schemas.Pending {
				b.pending[string(key)] = slices.Clone(value)
			}
		}}, b})
	})
}

type staleWriter struct {
	watchedWriter
	staleBackend
}

func (w staleWriter) Get(s store.Space, key []byte) ([]byte, error) {
	value, err := w.Writer.Get(s, key)
	if before := w.pending[string(key)]; s == store.Records && before != nil && decodeRecord(value).Status.IsHeld() {
		in, claims := w.l.gate.running.call.in.(schemas.ClaimIn)
		if claims && in.HandoffID == decodeRecord(value).ID.String() {
			return before, err
		}
	}
	return value, err
}

// losingBackend commits transactions without some of their rows.
type losingBackend struct {
	store.Backend
	lost func(s store.Space, value []byte) bool
}

func loseRows(lost func(store.Space, []byte) bool) func(*world, store.Backend) store.Backend {
	return func(_ *world, b store.Backend) store.Backend { return losingBackend{b, lost} }
}

func (b losingBackend) Update(ctx context.Context, fn func(store.Writer) error) error {
	type row struct {
		space store.Space
		key   string
	}
	return b.Backend.Update(ctx, func(w store.Writer) error {
		before := map[row][]byte{}
		err := fn(watchedWriter{w, func(s store.Space, key, value []byte) {
			if at := (row{s, string(key)}); before[at] == nil && b.lost(s, value) {
				was, _ := w.Get(s, key)
				before[at] = slices.Clone(was)
			}
		}})
		for at, was := range before {
			if was == nil {
				err = errors.Join(err, w.Delete(at.space, []byte(at.key)))
			} else {
				err = errors.Join(err, w.Put(at.space, []byte(at.key), was))
			}
		}
		return err
	})
}

func decodeRecord(value []byte) (r store.Record) {
	_ = json.Unmarshal(value, &r) // rows of other spaces are no records
	return r
}

// changeSendOptions changes the options of a send on its way to the service.
func changeSendOptions(change func(*schemas.SendOptions)) func(*world, schemas.Caller, any) (schemas.Caller, any) {
	return func(_ *world, by schemas.Caller, in any) (schemas.Caller, any) {
		if send, ok := in.(schemas.SendIn); ok && send.Options != nil {
			options := *send.Options
			change(&options)
			send.Options = &options
			return by, send
		}
		return by, in
	}
}

// completeAsHolder sends a completion as the holder, with the holder's token.
func completeAsHolder(l *world, by schemas.Caller, in any) (schemas.Caller, any) {
	done, ok := in.(schemas.CompleteIn)
	if !ok || done.Token == "" {
		return by, in
	}
	for _, r := range l.seen.records {
		if r.ID.String() == done.HandoffID && r.Status.IsHeld() {
			by.Agent, by.Conn, by.AgentID, done.Token = r.Holder, r.Conn, r.HolderID, r.Token
		}
	}
	return by, done
}
