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

// A choice is what a command can act on.
type choice struct {
	lists func(*visit) []arguments // of list_handoffs, in the order in which they are offered
	only  func(context.Context, *visit, schemas.Item) bool
}

// handoffsIn completes with the ids of handoffs.
func handoffsIn(c choice) completer {
	return stored(func(ctx context.Context, v *visit, typed string) ([]cobra.Completion, error) {
		return v.offer(ctx, c, typed), nil
	})
}

// offer gives the first that begin as was typed, as many as are found until ctx is done.
func (v *visit) offer(ctx context.Context, c choice, typed string) (found []cobra.Completion) {
	digits, ok := digitsOf(typed)
	if !ok {
		return nil
	}
	for _, list := range c.lists(v) {
		for it := range v.look(ctx, list, digits) {
			if c.only != nil && !c.only(ctx, v, it) {
				continue
			}
			if found = append(found, handoffTyped(it, typed)); len(found) == mostOffered {
				return found
			}
		}
	}
	return found
}

// digitsOf gives those of an id that was typed in part, and whether it can become one.
func digitsOf(typed string) (digits string, ok bool) {
	const before = "ho_"
	if strings.HasPrefix(before, typed) {
		return "", true
	}
	digits = strings.TrimPrefix(typed, before)
	_, ok = schemas.ParseID(digits)
	return digits, ok
}

// handoffTyped writes an id in the form in which it was begun, "12" or "ho_12", and which handoff that is.
func handoffTyped(it schemas.Item, typed string) cobra.Completion {
	id := it.HandoffID.String()
	if !strings.HasPrefix(typed, "h") {
		id = strconv.FormatUint(uint64(it.HandoffID), 10)
	}
	return described(id, string(it.Status)+", for "+string(it.To)+": "+it.Title)
}

var (
	// claimable is what waits for the caller, in the order of claiming.
	claimable = choice{lists: func(v *visit) []arguments { return v.mine("inbox", schemas.Pending) }}

	// held is what the caller has claimed.
	held = choice{lists: (*visit).claims}

	// sentOpen is what the caller has sent and may still change.
	sentOpen = choice{lists: (*visit).changeable, only: isOpen}

	// heldOrSent is what the caller may say something of.
	heldOrSent = choice{only: isOpen, lists: func(v *visit) []arguments {
		if v.actsOnAll() {
			return v.changeable()
		}
		return append(v.claims(), v.changeable()...)
	}}

	// stillOpen is all that has not ended.
	stillOpen = choice{lists: func(*visit) []arguments { return anybodys(having(unended)...) }}

	// retryable is all that ended in a way after which it can be tried again.
	retryable = choice{lists: func(*visit) []arguments {
		return anybodys(schemas.Failed, schemas.Rejected, schemas.TimedOut, schemas.Cancelled)
	}}

	// newest is everything, what was sent last first.
	newest = choice{lists: func(*visit) []arguments { return []arguments{{"box": "all"}} }}

	// unapproved is what waits for the approval of a person.
	unapproved = choice{lists: func(*visit) []arguments { return anybodys(schemas.Pending) }, only: needsApproval}
)

// mine asks for a box of the caller, or for what is in some states where nothing tells who calls.
func (v *visit) mine(box string, states ...schemas.Status) []arguments {
	if v.by.Agent == "" {
		return anybodys(states...)
	}
	return []arguments{{"box": box}}
}

func (v *visit) claims() []arguments { return v.mine("claimed", having(schemas.Status.Held)...) }

func (v *visit) changeable() []arguments {
	if v.actsOnAll() {
		return anybodys(having(unended)...)
	}
	return []arguments{{"box": "sent"}}
}

// actsOnAll tells whether the caller may change what others sent: a person may, who is nobody yet until the command
// is run.
func (v *visit) actsOnAll() bool { return v.by.Agent == "" || v.by.Agent == schemas.Human }

// anybodys asks for what is in some states, whosever it is.
func anybodys(states ...schemas.Status) []arguments {
	return inEach(arguments{"box": "all"}, states...)
}

func isOpen(_ context.Context, _ *visit, it schemas.Item) bool { return !it.Status.Ended() }

func needsApproval(ctx context.Context, v *visit, it schemas.Item) bool {
	st, err := v.standing(ctx, it.HandoffID.String())
	return err == nil && slices.Contains(st.BlockedBy, approval)
}

func unended(s schemas.Status) bool { return !s.Ended() }

func having(quality func(schemas.Status) bool) []schemas.Status {
	return slices.DeleteFunc(slices.Clone(schemas.Statuses), func(s schemas.Status) bool { return !quality(s) })
}
