package mcp

import (
	"testing"

	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/require"
)

// This is an internal test, because no client can force a notification to come before the acknowledgement: the SDK does
// almost nothing between the two.
func TestSubscriptionOrder_SendsAcknowledgementFirst(t *testing.T) {
	said := func(method string, listen any) (n sdk.JSONRPCNotification) {
		n.Method = method
		if listen != nil {
			n.Params.Meta = map[string]any{sdk.MetaKeySubscriptionID: listen}
		}
		return n
	}
	const acknowledgement, updated = sdk.MethodNotificationSubscriptionsAcknowledged, sdk.MethodNotificationResourceUpdated
	var order subscriptionOrder
	require.Len(t, order.takeNext(said(updated, nil)), 1, "of no subscription")
	require.Empty(t, order.takeNext(said(updated, 7.0)))
	require.Empty(t, order.takeNext(said(updated, 7.0)))
	require.Empty(t, order.takeNext(said(updated, "other")))
	out := order.takeNext(said(acknowledgement, 7.0))
	require.Len(t, out, 3)
	require.Equal(t, acknowledgement, out[0].Method)
	require.Len(t, order.takeNext(said(updated, 7.0)), 1)
	require.Empty(t, order.takeNext(said(updated, "other")), "that one is not acknowledged")

	order.dropSubscription(sdk.JSONRPCResponse{ID: sdk.NewRequestId(7.0)})
	require.Empty(t, order.takeNext(said(updated, 7.0)), "an id may be used again")
}
