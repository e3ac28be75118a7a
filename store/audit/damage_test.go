package audit_test

import (
	"errors"
	"fmt"
	"slices"

	"handoff/store"
)

// A damage changes rows without the typed layer.
type damage func(store.Writer) error

func put[V ~string | ~[]byte](s store.Space, key string, value V) damage {
	return func(rows store.Writer) error { return rows.Put(s, []byte(key), []byte(value)) }
}

func remove(s store.Space, key string) damage {
	return func(rows store.Writer) error { return rows.Delete(s, []byte(key)) }
}

func copyRow(s store.Space, from, to string) damage {
	return func(rows store.Writer) error {
		b, err := rows.Get(s, []byte(from))
		if err != nil || b == nil {
			return errors.Join(err, fmt.Errorf("row %x of %s: %t", from, s, b != nil))
		}
		return rows.Put(s, []byte(to), slices.Clone(b))
	}
}

func swap(s store.Space, one, other string) damage {
	return inTurn(copyRow(s, one, "aside"), copyRow(s, other, one), copyRow(s, "aside", other), remove(s, "aside"))
}

// inTurn does several damages, one after the other.
func inTurn(all ...damage) damage {
	return func(rows store.Writer) (err error) {
		for _, do := range all {
			err = errors.Join(err, do(rows))
		}
		return err
	}
}

// cutLogEnd removes the given events from the end of the log, and lowers the counter of events to match.
func cutLogEnd(events ...uint64) damage {
	all := []damage{put(store.Sys, "events", number(events[0]-1))}
	for _, n := range events {
		all = append(all, remove(store.Events, number(n)))
	}
	return inTurn(all...)
}

// cutTree removes their tree rows as well.
func cutTree(events ...uint64) damage {
	all := []damage{cutLogEnd(events...)}
	for _, n := range events {
		all = append(all, remove(store.Tree, number(n)))
	}
	return inTurn(all...)
}

// number is the part of a key that holds a number.
func number(n uint64) string { return string(store.EncodeNumber(n)) }

// chunk is the key of a chunk of the content of an event of a handoff.
func chunk(handoff, event uint64, n byte) string {
	return number(handoff) + number(event) + string([]byte{0, n})
}
