package main

import (
	"context"
	"iter"
	"math"
	"strconv"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
)

// look yields what a list has whose ids begin with these digits, page by page, until all was seen, ctx is done or it
// cannot be read. It is not for notices: those that are listed count as read.
func look(conn *cli.Connection, ctx context.Context, list cli.Arguments, digits string) iter.Seq[schemas.Item] {
	return func(yield func(schemas.Item) bool) {
		list["limit"] = pageLimit
		for more := skip(list, math.MaxInt64, digits); more && ctx.Err() == nil; {
			var page schemas.ListOut
			if _, err := conn.Call(ctx, "list_handoffs", list, &page); err != nil {
				return
			}
			for _, it := range page.Items {
				if begins(it.HandoffID, digits) && !yield(it) {
					return
				}
			}
			more = page.Cursor != "" && turn(list, page.Cursor, digits)
		}
	}
}

// turn has a list go on behind a cursor.
func turn(list cli.Arguments, cursor, digits string) bool {
	list["cursor"] = cursor
	last, ok := schemas.ParseID(cursor)
	return ok && skip(list, last, digits)
}

// skip passes over ids that do not begin with the digits, which no page has to be read for: the ids of a list sink, and
// its cursor is the last that was seen. Only the inbox has an order of its own. False: nothing is left.
func skip(list cli.Arguments, last schemas.ID, digits string) bool {
	if digits == "" || list["box"] == "inbox" {
		return true
	}
	next, ok := below(last, digits)
	list["cursor"] = (next + 1).String()
	return ok
}

// below gives the largest id under another that begins with some digits, the first of them no 0.
func below(id schemas.ID, digits string) (next schemas.ID, ok bool) {
	low, err := strconv.ParseUint(digits, 10, 63)
	if err != nil {
		return 0, false
	}
	for high := low; low < uint64(id); low, high = low*10, high*10+9 {
		next, ok = schemas.ID(min(high, uint64(id)-1)), true
		if low > math.MaxInt64/10 {
			break // longer ones are none
		}
	}
	return next, ok
}

func begins(id schemas.ID, digits string) bool {
	written := strconv.FormatUint(uint64(id), 10)
	return len(written) >= len(digits) && written[:len(digits)] == digits
}
