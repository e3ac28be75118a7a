package main

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
)

// mostOffered is how many handoffs somebody still looks through.
const mostOffered = 30

// A choice is what a command can act on.
type choice struct {
	lists func(*cli.Connection) []cli.Arguments // of list_handoffs, in the order in which they are offered
	only  func(context.Context, *cli.Connection, schemas.Item) bool
}

// handoffsIn completes with the ids of handoffs.
func handoffsIn(c choice) completer {
	return stored(func(ctx context.Context, conn *cli.Connection, typed string) ([]cobra.Completion, error) {
		return offerHandoffs(conn, ctx, c, typed), nil
	})
}

// offerHandoffs gives the first that begin as was typed, as many as are found until ctx is done.
func offerHandoffs(conn *cli.Connection, ctx context.Context, c choice, typed string) (found []cobra.Completion) {
	digits, ok := digitsOf(typed)
	if !ok {
		return nil
	}
	for _, list := range c.lists(conn) {
		for it := range look(conn, ctx, list, digits) {
			if c.only != nil && !c.only(ctx, conn, it) {
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
	claimable = choice{lists: func(conn *cli.Connection) []cli.Arguments { return mine(conn, "inbox", schemas.Pending) }}

	// held is what the caller has claimed.
	held = choice{lists: claims}

	// sentOpen is what the caller has sent and may still change.
	sentOpen = choice{lists: changeable, only: isOpen}

	// heldOrSent is what the caller may say something of.
	heldOrSent = choice{only: isOpen, lists: func(conn *cli.Connection) []cli.Arguments {
		if actsOnAll(conn) {
			return changeable(conn)
		}
		return append(claims(conn), changeable(conn)...)
	}}

	// stillOpen is all that has not ended.
	stillOpen = choice{lists: func(*cli.Connection) []cli.Arguments { return anybodys(having(unended)...) }}

	// retryable is all that ended in a way after which it can be tried again.
	retryable = choice{lists: func(*cli.Connection) []cli.Arguments {
		return anybodys(schemas.Failed, schemas.Rejected, schemas.TimedOut, schemas.Cancelled)
	}}

	// newest is everything, what was sent last first.
	newest = choice{lists: func(*cli.Connection) []cli.Arguments { return []cli.Arguments{{"box": "all"}} }}

	// unapproved is what waits for the approval of a person.
	unapproved = choice{lists: func(*cli.Connection) []cli.Arguments { return anybodys(schemas.Pending) }, only: needsApproval}
)

// mine asks for a box of the caller, or for what is in some states where nothing tells who calls.
func mine(conn *cli.Connection, box string, states ...schemas.Status) []cli.Arguments {
	if conn.By.Agent == "" {
		return anybodys(states...)
	}
	return []cli.Arguments{{"box": box}}
}

func claims(conn *cli.Connection) []cli.Arguments {
	return mine(conn, "claimed", having(schemas.Status.Held)...)
}

func changeable(conn *cli.Connection) []cli.Arguments {
	if actsOnAll(conn) {
		return anybodys(having(unended)...)
	}
	return []cli.Arguments{{"box": "sent"}}
}

// actsOnAll tells whether the caller may change what others sent: a person may, who is nobody yet until the command
// is run.
func actsOnAll(conn *cli.Connection) bool {
	return conn.By.Agent == "" || conn.By.Agent == schemas.Human
}

// anybodys asks for what is in some states, whosever it is.
func anybodys(states ...schemas.Status) []cli.Arguments {
	return inEach(cli.Arguments{"box": "all"}, states...)
}

func isOpen(_ context.Context, _ *cli.Connection, it schemas.Item) bool { return !it.Status.Ended() }

func needsApproval(ctx context.Context, conn *cli.Connection, it schemas.Item) bool {
	st, err := standingOf(conn, ctx, it.HandoffID.String())
	return err == nil && slices.Contains(st.BlockedBy, approval)
}

func unended(s schemas.Status) bool { return !s.Ended() }

func having(quality func(schemas.Status) bool) []schemas.Status {
	return slices.DeleteFunc(slices.Clone(schemas.Statuses), func(s schemas.Status) bool { return !quality(s) })
}
