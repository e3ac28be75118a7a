package mcp

import (
	sdk "github.com/mark3labs/mcp-go/mcp"
)

// subscriptionOrder puts the acknowledgement of a subscription before its notifications, as the MCP specification wants
// (revision 2026-07-28, subscriptions/listen). The SDK acknowledges only when the resources are watched already.
type subscriptionOrder struct {
	early map[string][]sdk.JSONRPCNotification // those before the acknowledgement, by subscription; nil after it
}

// next takes a notification and returns those that may be sent now.
func (a *subscriptionOrder) next(n sdk.JSONRPCNotification) []sdk.JSONRPCNotification {
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

// drain takes the notifications that are there already and returns those that may be sent now.
func (a *subscriptionOrder) drain(from <-chan sdk.JSONRPCNotification) (all []sdk.JSONRPCNotification) {
	for {
		select {
		case n := <-from:
			all = append(all, a.next(n)...)
		default:
			return all
		}
	}
}

// forget drops a subscription when the response that ends it is sent.
func (a *subscriptionOrder) forget(answer sdk.JSONRPCMessage) {
	switch m := answer.(type) {
	case sdk.JSONRPCResponse:
		delete(a.early, readable(m.ID))
	case sdk.JSONRPCError:
		delete(a.early, readable(m.ID))
	}
}
