package mcp

import (
	"context"
	"slices"
	"sync"
	"time"

	sdk "github.com/mark3labs/mcp-go/mcp"

	"handoff/schemas"
)

// A client that names tasks in subscriptions/listen gets a notification with each new state of these tasks. The server
// then makes the looks in place of the client, at each change of the workspace. It agrees to no task that claims work,
// because a claim is made only for a client that asks.

// maxPushed is the number of tasks in one subscription.
const maxPushed = 256

// taskPushes are the tasks of a session of which the client gets notifications.
type taskPushes struct {
	on      sync.Map // the ids of these tasks
	listens sync.Map // what the server agreed to, by the id of a subscription
}

// noResource is the address of a resource that never changes. The SDK ends a subscription to nothing that it knows.
const noResource = "handoff://no-resource"

// pushTasks makes the looks of the tasks in a subscription until the subscription ends.
func (s *Server) pushTasks(ctx context.Context, listen any, r *sdk.SubscriptionsListenRequest) {
	keeper := waits{s, r.Params.Meta}
	var ids []string
	for _, id := range callStateOf(ctx).taskIDs {
		_, w, refused := keeper.open(ctx, id)
		if refused == nil && w.Tool != "claim_handoff" && len(ids) < maxPushed && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	c := sessionOf(ctx)
	wanted := r.Params.Notifications.ResourceSubscriptions
	if len(callStateOf(ctx).taskIDs) > 0 {
		c.pushes.listens.Store(encodeForModel(listen), acknowledged{TaskIDs: ids, ResourceSubscriptions: wanted})
	}
	if len(ids) == 0 {
		return
	}
	r.Params.Notifications.ResourceSubscriptions = append(slices.Clip(wanted), noResource)
	newest, _ := callAndDecode[schemas.NewestOut](ctx, s, schemas.Caller{}, "registry_newest", nil)
	go func() {
		changed := make(chan struct{}, 1)
		changed <- struct{}{}
		end := s.onChanges(ctx, newest.Event, func(context.Context, schemas.RegistryChange) {
			select {
			case changed <- struct{}{}:
			default: // the next look sees this change, too
			}
		})
		defer end()
		keeper.push(ctx, listen, ids, changed)
	}()
}

// push sends a notification for each state of the tasks, until ctx is done.
func (k waits) push(ctx context.Context, listen any, ids []string, changed <-chan struct{}) {
	c := sessionOf(ctx)
	last := map[string]string{}
	for _, id := range ids {
		c.pushes.on.Store(id, true)
		defer c.pushes.on.Delete(id)
	}
	for tick := time.NewTicker(pushedInterval); ; {
		select {
		case <-ctx.Done():
			tick.Stop()
			return
		case <-tick.C: // the place of a wait ends without looks
		case <-changed:
		}
		ids = slices.DeleteFunc(ids, func(id string) (ended bool) {
			t := k.Get(context.WithValue(ctx, callStateKey{}, new(callState)), id)
			if t != nil && last[id] != string(t.Status)+t.Message {
				last[id] = string(t.Status) + t.Message
				c.sendTask(ctx, listen, t)
			}
			return t == nil || t.Result != nil || t.Status == TaskCancelled
		})
	}
}

func (c *session) sendTask(ctx context.Context, listen any, t *Task) {
	var fields map[string]any
	_ = schemas.Decode([]byte(encodeForModel(t)), &fields)
	n := sdk.JSONRPCNotification{JSONRPC: sdk.JSONRPC_VERSION}
	n.Method, n.Params.AdditionalFields = notificationTask, fields
	n.Params.Meta = map[string]any{sdk.MetaKeySubscriptionID: listen}
	select {
	case c.NotificationChannel() <- n:
	case <-ctx.Done():
	}
}

// acknowledged is what a server agrees to send to a subscription.
type acknowledged struct {
	TaskIDs               []string `json:"taskIds,omitempty"`
	ResourceSubscriptions []string `json:"resourceSubscriptions,omitempty"`
}

// acknowledgeTasks puts the tasks of a subscription into its acknowledgement.
func (c *session) acknowledgeTasks(listen string, n *sdk.JSONRPCNotification) {
	if c == nil {
		return
	}
	if agreed, ok := c.pushes.listens.LoadAndDelete(listen); ok {
		n.Params.AdditionalFields = map[string]any{"notifications": agreed}
	}
}
