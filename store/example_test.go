package store_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"handoff/schemas"
	"handoff/store"
	"handoff/store/audit"
	"handoff/store/memory"
)

// A handoff is kept, claimed from its mailbox, and proved against the registry.
func Example() {
	ctx := context.Background()
	s := store.New(memory.New()) // store/bolt keeps it in a file
	defer s.Close()
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

	err := s.Update(ctx, func(tx *store.Tx) error {
		id, err := tx.NewID()
		if err != nil {
			return err
		}
		r := store.Record{
			ID: id, Workflow: "wf_login", From: "architect", To: "auto-code", Box: "auto-code",
			Title: "Fix the login", Priority: schemas.High, Status: schemas.Pending, Created: store.TimeOf(at),
		}
		said := store.Content{Bytes: []byte(`{"task":"Fix the login"}`), Salt: []byte("random")}
		_, err = tx.WriteChange(nil, &r, schemas.Event{At: at, Agent: "architect", Action: "send", To: r.Status}, said)
		return err
	})
	if err != nil {
		log.Fatal(err)
	}

	err = s.Update(ctx, func(tx *store.Tx) error {
		for id, err := range tx.ClaimableHandoffs("auto-code", "capability:go") {
			if err != nil {
				return err
			}
			was, err := tx.Record(id)
			if err != nil {
				return err
			}
			now := was.Clone()
			now.Status, now.Holder, now.Box = schemas.Accepted, "auto-code", ""
			_, err = tx.WriteChange(was, &now, schemas.Event{At: at, Agent: "auto-code", Action: "claim", To: now.Status}, store.Content{})
			return err // the best one is enough
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}

	proof, err := audit.VerifyRegistry(ctx, s)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(proof.Events, "events of", proof.Handoffs, "handoff, intact:", proof.OK)
	fmt.Println("root", proof.Root)
	// Output:
	// 2 events of 1 handoff, intact: true
	// root UsuedsMy3IFT70Qhof7PDUgg2Qe6+bi8SQjHx298NyM=
}
