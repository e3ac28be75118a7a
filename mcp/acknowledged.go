package mcp

import (
	sdk "github.com/mark3labs/mcp-go/mcp"
)

// acknowledged puts the acknowledgement of a subscription before all that is said on it, as the specification wants
// (revision 2026-07-28, subscriptions/listen). The SDK acknowledges only when the resources are watched already.
type acknowledged struct {
	early map[string][]sdk.JSONRPCNotification // what came too soon, by the subscription's id; nil once acknowledged
}

// next gives what may be said now that a notification has come.
func (a *acknowledged) next(n sdk.JSONRPCNotification) []sdk.JSONRPCNotification {
	id, listened := n.Params.Meta[sdk.MetaKeySubscriptionID]
	if !listened {
		return []sdk.JSONRPCNotification{n}
	}
	if a.early == nil {
		a.early = map[string][]sdk.JSONRPCNotification{}
	}
	key := readable(id)
	held, known := a.early[key]
	switch {
	case n.Method == sdk.MethodNotificationSubscriptionsAcknowledged:
		a.early[key] = nil
		return append([]sdk.JSONRPCNotification{n}, held...)
	case known && held == nil:
		return []sdk.JSONRPCNotification{n}
	}
	a.early[key] = append(held, n)
	return nil
}

// over forgets a subscription when it is answered.
func (a *acknowledged) over(answer sdk.JSONRPCMessage) {
	switch m := answer.(type) {
	case sdk.JSONRPCResponse:
		delete(a.early, readable(m.ID))
	case sdk.JSONRPCError:
		delete(a.early, readable(m.ID))
	}
}
