package mcp

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"time"

	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"handoff/schemas"
	"handoff/tools"
)

// A call that waits is a task for a client that takes tasks. The id of the task contains the whole wait, signed with a
// secret of the workspace, see seal.go. So any server of the workspace answers for it, and no server keeps anything. Each
// tasks/get is one look of the wait, see [schemas.Caller]: a claim is made for a client that asks.

// wait is a call that waits, as the id of its task has it.
type wait struct {
	Agent   schemas.Agent   `json:"a"` // of the connection
	Token   string          `json:"k,omitempty"`
	Tool    string          `json:"t"`
	Args    json.RawMessage `json:"i"`
	Request string          `json:"r"` // its request id
	Since   int64           `json:"s"` // when it began, in nanoseconds since 1970
}

// maxTaskID is the length of the longest id, in bytes. A call with longer arguments is answered as if the client took no
// tasks.
const maxTaskID = 2048

// waits keeps the tasks of calls that wait, for one request.
type waits struct {
	*Server
	meta *sdk.Meta
}

// startWait makes the first look of a call that waits, and returns its result. If the wait is not over, the answer to the
// call is a task. A wait for work is always a task, see [schemas.Caller.Arrives]. Ok is false if the call is not one that
// waits, or cannot be a task.
func (s *Server) startWait(ctx context.Context, by schemas.Caller, tool string, args json.RawMessage) (result *sdk.CallToolResult, ok bool) {
	row, err := tools.FindTool(tool)
	if err != nil || !declaresTasks(server.RequestProtocolInfoFromContext(ctx)) || !row.AsksToWait(args) {
		return nil, false
	}
	w := wait{by.Agent, by.Token, tool, args, s.requestID(ctx, by, tool, args), s.config.Now().UnixNano()}
	id := s.sealWait(ctx, w)
	if id == "" || len(id) > maxTaskID {
		return nil, false
	}
	by.Arrives = true
	t := s.look(ctx, by, id, w)
	if t.Result != nil {
		return t.Result, true
	}
	t.Inputs = nil // they come with tasks/get
	return new(sdk.CallToolResult), AnswerWithTask(ctx, t)
}

// Get makes one look of a wait, see [TaskKeeper]. If it cannot read the id now, the wait goes on.
func (k waits) Get(ctx context.Context, id string) *Task {
	by, w, refused := k.open(ctx, id)
	switch {
	case refused == nil:
		return k.look(ctx, by, id, w)
	case refused.Code == schemas.NotFound:
		return nil
	}
	now := k.config.Now().UTC().Truncate(time.Millisecond)
	return &Task{ID: id, Status: TaskWorking, Message: notNow(refused), CreatedAt: now, UpdatedAt: now, Interval: lookInterval(0).Milliseconds()}
}

// Cancel ends a wait, see [TaskKeeper]. It gives back what the wait claimed and nobody used. If it cannot read the id now,
// the wait ends because nobody asks for it.
func (k waits) Cancel(ctx context.Context, id string) bool {
	by, w, refused := k.open(ctx, id)
	if refused == nil {
		k.endWait(ctx, by, w, schemas.EndWaitIn{})
	}
	return refused == nil || refused.Code != schemas.NotFound
}

// endWait tells the mailbox that a wait ends, or that its last answer was lost.
func (s *Server) endWait(ctx context.Context, by schemas.Caller, w wait, in schemas.EndWaitIn) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer cancel()
	args, _ := json.Marshal(in)
	by.Scope = "" // also a caller that may only read ends its own wait
	if _, refused := s.invokeTool(ctx, tools.Call{ID: w.Request, Caller: by, Tool: "wait_end", Args: args}); refused != nil {
		s.config.Logger.WarnContext(ctx, "a wait may still hold what it claimed", slog.Any("error", refused))
	}
}

// open returns the wait of a task and the caller of this request. The wait is one of this caller: a resumed session of a
// client may have another number in its name, and then waits for its present mail. The error is not_found if the id is
// not one of this workspace, or of another agent. Other errors mean that the id cannot be read now.
func (k waits) open(ctx context.Context, id string) (by schemas.Caller, w wait, refused *schemas.Error) {
	if w, refused = k.openWait(ctx, id); refused != nil {
		return by, w, refused
	}
	by = k.callerOf(ctx, k.meta)
	same := by.Agent == w.Agent
	if k.config.Caller.Agent == "" && by.Via != schemas.ViaHTTP {
		const number = "-0123456789" // tells sessions of one client apart
		same = strings.TrimRight(string(by.Agent), number) == strings.TrimRight(string(w.Agent), number)
	}
	if !same || by.Token != w.Token {
		return by, w, errNoTask
	}
	return by, w, nil
}

// look makes one look of a wait, and returns the task.
func (s *Server) look(ctx context.Context, by schemas.Caller, id string, w wait) *Task {
	since := time.Unix(0, w.Since).UTC()
	now := s.config.Now().UTC().Truncate(time.Millisecond)
	interval := lookInterval(now.Sub(since))
	if _, pushed := sessionOf(ctx).pushes.on.Load(id); pushed {
		interval = pushedInterval
	}
	by.Poll = keptIntervals * max(interval, time.Second)
	t := &Task{ID: id, Status: TaskWorking, CreatedAt: since.Truncate(time.Millisecond), UpdatedAt: since.Truncate(time.Millisecond), Interval: interval.Milliseconds()}
	out, refused := s.invokeTool(ctx, tools.Call{ID: w.Request, Caller: by, Tool: w.Tool, Args: w.Args, Since: since, Until: since})
	switch {
	case refused == nil:
		callStateOf(ctx).releaseClaim = func() { s.endWait(ctx, by, w, schemas.EndWaitIn{Unread: true}) }
		t.Status, t.Result = TaskCompleted, s.toolResult(ctx, by, w.Args, sessionOf(ctx).shorten(by, w.Tool, w.Args, out, true))
	case refused.Code == schemas.Unfinished:
		t.Message = refused.Message
		s.addPersonRequest(ctx, t, refused.Person)
		return t
	case refused.Code == schemas.Unavailable:
		t.Message = notNow(refused)
		return t
	case refused.Status == schemas.Cancelled && refused.Handoff == 0:
		t.Status = TaskCancelled
	default:
		t.Status, t.Result = TaskCompleted, errorResult(refused)
	}
	if t.Result != nil {
		t.Result.ResultType = sdk.ResultTypeComplete
	}
	t.UpdatedAt, t.Interval, t.TTL = now, 0, new((now.Sub(since) + schemas.ReceiptLife).Milliseconds())
	return t
}

func notNow(refused *schemas.Error) string { return "not now: " + refused.Message }

const (
	// keptIntervals is the number of intervals without a look after which a wait loses its place.
	keptIntervals = 3

	// pushedInterval is the interval of looks of a client that gets notifications.
	pushedInterval = 15 * time.Second
)

// lookInterval returns the interval in which a client should ask for a task of an age. What comes within minutes is
// usually awaited by someone, and 10,000 waits of an hour should not keep a processor busy.
func lookInterval(age time.Duration) time.Duration {
	switch {
	case age < time.Second: // the mail may be there already
		return time.Second / 4
	case age < time.Minute:
		return time.Second
	case age < 10*time.Minute:
		return 2 * time.Second
	}
	return 5 * time.Second
}
