package main

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"handoff/schemas"
)

// mostOffered is how many handoffs somebody still looks through.
const mostOffered = 30

// handoffsIn completes with the ids of handoffs.
func handoffsIn(list func(*visit, context.Context) ([]schemas.Item, error)) completer {
	return stored(func(ctx context.Context, v *visit, typed string) (found []cobra.Completion, err error) {
		items, err := list(v, ctx)
		for _, it := range items[:min(len(items), mostOffered)] {
			found = append(found, handoffTyped(it, typed))
		}
		return found, err
	})
}

// handoffTyped writes an id in the form in which it was begun, "12" or "ho_12", and which handoff that is.
func handoffTyped(it schemas.Item, typed string) cobra.Completion {
	id := it.HandoffID.String()
	if !strings.HasPrefix(typed, "h") {
		id = strconv.FormatUint(uint64(it.HandoffID), 10)
	}
	return described(id, string(it.Status)+", for "+string(it.To)+": "+it.Title)
}

// claimable is what waits for the caller, in the order of claiming.
func (v *visit) claimable(ctx context.Context) ([]schemas.Item, error) {
	return v.look(ctx, v.mine("inbox", schemas.Pending)...)
}

// held is what the caller has claimed.
func (v *visit) held(ctx context.Context) ([]schemas.Item, error) {
	return v.look(ctx, v.mine("claimed", having(schemas.Status.Held)...)...)
}

// sentOpen is what the caller has sent and may still change.
func (v *visit) sentOpen(ctx context.Context) ([]schemas.Item, error) {
	items, err := v.look(ctx, v.mine("sent", having(unended)...)...)
	return slices.DeleteFunc(items, func(it schemas.Item) bool { return it.Status.Ended() }), err
}

// heldOrSent is what the caller may say something of.
func (v *visit) heldOrSent(ctx context.Context) ([]schemas.Item, error) {
	if v.by.Agent == "" {
		return v.open(ctx)
	}
	held, err := v.held(ctx)
	if err != nil {
		return nil, err
	}
	sent, err := v.sentOpen(ctx)
	return append(held, sent...), err
}

// open is all that has not ended.
func (v *visit) open(ctx context.Context) ([]schemas.Item, error) {
	return v.look(ctx, inEach(arguments{"box": "all"}, having(unended)...)...)
}

// retryable is all that ended in a way after which it can be tried again.
func (v *visit) retryable(ctx context.Context) ([]schemas.Item, error) {
	return v.look(ctx, inEach(arguments{"box": "all"}, schemas.Failed, schemas.Rejected, schemas.TimedOut, schemas.Cancelled)...)
}

// newest is what was sent last.
func (v *visit) newest(ctx context.Context) ([]schemas.Item, error) {
	return v.look(ctx, arguments{"box": "all"})
}

// unapproved is what waits for the approval of a person.
func (v *visit) unapproved(ctx context.Context) ([]schemas.Item, error) {
	items, err := v.look(ctx, inEach(arguments{"box": "all"}, schemas.Pending)...)
	if err != nil {
		return nil, err
	}
	blocked, err := v.blocks(ctx, items)
	return slices.DeleteFunc(items, func(it schemas.Item) bool { return !slices.Contains(blocked[it.HandoffID], approval) }), err
}

// mine asks for a box of the caller, or for what is in some states where nothing tells who calls.
func (v *visit) mine(box string, states ...schemas.Status) []arguments {
	if v.by.Agent == "" {
		return inEach(arguments{"box": "all"}, states...)
	}
	return []arguments{{"box": box}}
}

// look lists handoffs. It is not for notices: those that are listed count as read.
func (v *visit) look(ctx context.Context, queries ...arguments) (items []schemas.Item, err error) {
	for _, query := range queries {
		query["limit"] = pageLimit
		var out schemas.ListOut
		if _, err := v.call(ctx, "list_handoffs", query, &out); err != nil {
			return nil, err
		}
		items = append(items, out.Items...)
	}
	return items, nil
}

func unended(s schemas.Status) bool { return !s.Ended() }

func having(quality func(schemas.Status) bool) []schemas.Status {
	return slices.DeleteFunc(slices.Clone(schemas.Statuses), func(s schemas.Status) bool { return !quality(s) })
}
