package store_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"handoff/schemas"
	"handoff/store"
	"handoff/store/storetest"
)

// task is a body of 2 KB, as a handoff has.
var task = []byte(`{"task":"` + strings.Repeat("fix the login of the shop ", 80) + `"}`)

var result, _ = json.Marshal(schemas.Completion{Result: schemas.Result{Summary: strings.Repeat("it was done ", 30)}, Status: schemas.Success})

// lifeCycle makes the writes of one handoff from send to completion: three commits with records, events, content, index
// rows, words, receipts and a notice.
type lifeCycle struct{ n int64 }

func (c lifeCycle) agent() schemas.Agent { return schemas.Agent(fmt.Sprintf("agent-%02d", c.n%64)) }

func (c lifeCycle) event(action string, r *store.Record) schemas.Event {
	return schemas.Event{
		At: storetest.Noon().Add(time.Duration(c.n) * time.Millisecond), Handoff: r.ID, Agent: c.agent(), AgentID: "session-0123456789",
		Via: schemas.ViaStdio, Action: action, From: schemas.Pending, To: r.Status, Attempt: r.Attempt,
	}
}

func (c lifeCycle) send(tx *store.Tx) error {
	id, err := tx.NewID()
	if err != nil {
		return err
	}
	r := storetest.NewSentRecord(id)
	r.To, r.Box = schemas.Address(c.agent()), schemas.Address(c.agent())
	r.Workflow = schemas.Workflow("wf_" + id.String())
	r.Tags = []string{"go", "login"}
	r.Digest = "n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg"
	r.Deadline, r.Wakes = storetest.MinutesAfterNoon(600), storetest.MinutesAfterNoon(600)
	if _, err := tx.WriteChange(nil, r, c.event("send", r), store.Content{Bytes: task, Salt: []byte("salt_0123456789abcdef")}); err != nil {
		return err
	}
	if err := tx.PutWorkflow(r.Workflow, store.Workflow{Owner: r.From}); err != nil {
		return err
	}
	if err := tx.PutWords(id, store.ListWords(r.Title, string(task))); err != nil {
		return err
	}
	return c.putReceipt(tx, "1", `{"handoff_id":"ho_12","status":"pending","to":"auto-code","workflow_id":"wf_12"}`)
}

func (c lifeCycle) claim(tx *store.Tx) error {
	for id, err := range tx.ClaimableHandoffs(schemas.Address(c.agent()), "capability:go", "role:coder") {
		if err != nil {
			return err
		}
		was, err := tx.Record(id)
		if err != nil {
			return err
		}
		now := was.Clone()
		now.Status, now.Holder, now.HolderID, now.Box, now.Via = schemas.Accepted, c.agent(), "session-0123456789", "", schemas.ViaStdio
		now.Token, now.Claims, now.Attempt, now.Conn = "ct_0123456789abcdef", 1, 1, "conn_0123456789"
		now.Claimed, now.Touched, now.Lease, now.Wakes = storetest.MinutesAfterNoon(1), storetest.MinutesAfterNoon(1), storetest.MinutesAfterNoon(16), storetest.MinutesAfterNoon(16)
		if _, err := tx.WriteChange(was, &now, c.event("claim", &now), store.Content{}); err != nil {
			return err
		}
		break
	}
	return c.putReceipt(tx, "2", `{"handoff_id":"ho_12","claim_token":"ct_0123456789abcdef"}`)
}

func (c lifeCycle) complete(tx *store.Tx) error {
	for id, err := range tx.OldestFirst(store.IndexByHolder(c.agent()), 0) {
		if err != nil {
			return err
		}
		was, err := tx.Record(id)
		if err != nil {
			return err
		}
		now := was.Clone()
		now.Status, now.Outcome, now.Lease, now.Wakes, now.Ended = schemas.Completed, schemas.Success, 0, 0, storetest.MinutesAfterNoon(2)
		now.ResultDigest = now.Digest
		if _, err := tx.WriteChange(was, &now, c.event("complete", &now), store.Content{Bytes: result, Salt: []byte("salt_0123456789abcdef")}); err != nil {
			return err
		}
		n := schemas.Notice{To: now.From, From: c.agent(), Kind: "completed", About: id, Title: now.Title, Text: "it was done", At: storetest.Noon()}
		if _, err := tx.AddNotice(n); err != nil {
			return err
		}
		break
	}
	return c.putReceipt(tx, "3", `{"handoff_id":"ho_12","status":"completed","outcome":"success"}`)
}

// putReceipt stores the outcome of a call.
func (c lifeCycle) putReceipt(tx *store.Tx, step, outcome string) error {
	if err := tx.DeleteOldReceipts(storetest.Noon().Add(-24*time.Hour), 4); err != nil {
		return err
	}
	key := store.RequestReceiptKey(fmt.Sprintf("%016x%s0123456789abcde", c.n, step))
	return tx.PutReceipt(key, store.Receipt{Result: json.RawMessage(outcome), At: store.TimeOf(storetest.Noon())})
}
