package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"handoff/mcp/jsonrpc"
	"handoff/schemas"
)

// tasksExtension is the extension of MCP with which a call is answered later: the result of the call is a task, and the
// client asks for the state of the task (SEP-2663).
const tasksExtension = "io.modelcontextprotocol/tasks"

// The methods of the extension.
const (
	methodTaskGet    = "tasks/get"
	methodTaskUpdate = "tasks/update"
	methodTaskCancel = "tasks/cancel"

	notificationTask = "notifications/tasks"
)

// Task is the state of a task. A client may ask for it at any server of the workspace.
type Task struct {
	ID        string                   `json:"taskId"`
	Status    TaskStatus               `json:"status"`
	Message   string                   `json:"statusMessage,omitempty"` // for people and models
	CreatedAt time.Time                `json:"createdAt"`
	UpdatedAt time.Time                `json:"lastUpdatedAt"`
	TTL       *int64                   `json:"ttlMs"` // since CreatedAt, for which it may be asked for; nil for no limit
	Interval  int64                    `json:"pollIntervalMs,omitempty"`
	Inputs    sdk.InputRequests        `json:"inputRequests,omitempty"` // of the status input_required
	Result    *sdk.CallToolResult      `json:"result,omitempty"`        // of the status completed
	Error     *sdk.JSONRPCErrorDetails `json:"error,omitempty"`         // of the status failed

	person *schemas.PersonRequest // the request behind Inputs
}

// TaskStatus is the status of a [Task].
type TaskStatus string

// The statuses. An error of a tool is the result of a completed task. Only an error of the protocol fails a task.
const (
	TaskWorking       TaskStatus = "working"
	TaskInputRequired TaskStatus = "input_required"
	TaskCompleted     TaskStatus = "completed"
	TaskFailed        TaskStatus = "failed"
	TaskCancelled     TaskStatus = "cancelled"
)

// TaskKeeper knows tasks by their ids.
type TaskKeeper interface {
	// Get returns a task, nil if the keeper does not know the id.
	Get(ctx context.Context, id string) *Task

	// Update gives a task the answers of its client. Answers to other questions than the open ones have no effect. The
	// result is false if the keeper does not know the id.
	Update(ctx context.Context, id string, answers sdk.InputResponses) bool

	// Cancel cancels a task, unless its result was used. The result is false if the keeper does not know the id.
	Cancel(ctx context.Context, id string) bool
}

// taskResult is a task as the result of a request.
type taskResult struct {
	sdk.Result
	*Task
}

// declaresTasks reports whether the client of a request takes tasks. Each request says so itself.
func declaresTasks(info *server.RequestProtocolInfo) bool {
	if info == nil || !info.Modern || info.ClientCapabilities == nil {
		return false
	}
	_, declared := info.ClientCapabilities.Extensions[tasksExtension]
	return declared
}

// AnswerWithTask makes a task the answer of the tool call of a context. It reports whether the client takes tasks;
// otherwise it does nothing. The handler of the tool then returns any result.
func AnswerWithTask(ctx context.Context, t *Task) bool {
	if !declaresTasks(server.RequestProtocolInfoFromContext(ctx)) {
		return false
	}
	callStateOf(ctx).task = t
	return true
}

// FailRequest makes an error of the protocol the answer of the request of a context. It returns an error, which the
// handler returns.
func FailRequest(ctx context.Context, why sdk.JSONRPCErrorDetails) error {
	callStateOf(ctx).protocolError = &why
	return errors.New(why.Message)
}

// withTask puts the task of a call, if it has one, in the place of its result.
func (under *callState) withTask(response sdk.JSONRPCMessage) sdk.JSONRPCMessage {
	r, ok := response.(sdk.JSONRPCResponse)
	result, isCall := r.Result.(*sdk.CallToolResult)
	if !ok || !isCall || under.task == nil {
		return response
	}
	result.ResultType = "task"
	r.Result = taskResult{result.Result, under.task}
	return r
}

// taskParams are the params of the methods of the extension, and of subscriptions/listen as the extension has it.
type taskParams struct {
	Meta          *sdk.Meta          `json:"_meta"`
	ID            string             `json:"taskId"`
	Answers       sdk.InputResponses `json:"inputResponses"`
	Notifications struct {
		TaskIDs []string `json:"taskIds"`
	} `json:"notifications"`
}

// isTaskMethod reports whether a method is one of the extension.
func isTaskMethod(method string) bool {
	return method == methodTaskGet || method == methodTaskUpdate || method == methodTaskCancel
}

// answerTaskMethod answers a request of the extension. Ok is false for any other message, and for a request without a
// valid revision, which the SDK refuses. It also notes the tasks of a subscription, which the SDK then answers.
func (s *Server) answerTaskMethod(ctx context.Context, m jsonrpc.Message) (response sdk.JSONRPCMessage, ok bool) {
	listens := m.Method == string(sdk.MethodSubscriptionsListen)
	if !listens && !isTaskMethod(m.Method) {
		return nil, false
	}
	var in taskParams
	malformed := json.Unmarshal(m.Params, &in)
	info := &server.RequestProtocolInfo{
		Modern: true, ProtocolVersion: in.Meta.ProtocolVersion(), ClientInfo: in.Meta.ClientInfo(), ClientCapabilities: in.Meta.ClientCapabilities(),
	}
	switch {
	case !sdk.IsModernProtocol(info.ProtocolVersion), !sdk.IsValidProtocolVersion(info.ProtocolVersion), info.ClientCapabilities == nil:
		return nil, false
	case listens && len(in.Notifications.TaskIDs) == 0:
		return nil, false
	case !declaresTasks(info):
		return missingTasksError(m), true
	case listens:
		callStateOf(ctx).taskIDs = in.Notifications.TaskIDs
		return nil, false
	case malformed != nil:
		return *m.ErrorResponse(sdk.INVALID_PARAMS, "the params do not fit %s: %v", m.Method, malformed), true
	}
	result, known := s.runTaskMethod(server.WithRequestProtocolInfo(ctx, info), m.Method, in)
	if !known {
		return *m.ErrorResponse(sdk.INVALID_PARAMS, "%s", errNoTask.Message), true
	}
	return sdk.NewJSONRPCResultResponse(sdk.NewRequestId(m.ID), result), true
}

// runTaskMethod runs a method of the extension at the first keeper that knows the task, and returns the result of the
// request. The result known is false if no keeper knows it.
func (s *Server) runTaskMethod(ctx context.Context, method string, in taskParams) (result any, known bool) {
	ack := sdk.Result{Meta: &sdk.Meta{}, ResultType: sdk.ResultTypeComplete}
	ack.Meta.SetServerInfo(sdk.Implementation{Name: serverName, Title: serverTitle, Version: s.config.Version})
	for _, keeper := range []TaskKeeper{waits{s, in.Meta}, s.config.Extension.Tasks} {
		switch {
		case keeper == nil:
		case method == methodTaskGet:
			if t := keeper.Get(ctx, in.ID); t != nil {
				return taskResult{ack, t}, true
			}
		case method == methodTaskUpdate && keeper.Update(ctx, in.ID, in.Answers), method == methodTaskCancel && keeper.Cancel(ctx, in.ID):
			return ack, true
		}
	}
	return nil, false
}

// missingTasksError returns the error for a request of the extension whose client does not declare the extension.
func missingTasksError(m jsonrpc.Message) sdk.JSONRPCError {
	missing := *m.ErrorResponse(sdk.MISSING_REQUIRED_CLIENT_CAPABILITY, "the client does not declare the extension %s", tasksExtension)
	missing.Error.Data = map[string]any{"requiredCapabilities": map[string]any{"extensions": map[string]any{tasksExtension: struct{}{}}}}
	return missing
}

// taskHeaderError returns the error for a request of the extension whose header Mcp-Name is not the id of its task, nil
// for any other request.
func taskHeaderError(h http.Header, m jsonrpc.Message) *sdk.JSONRPCError {
	if !isTaskMethod(m.Method) {
		return nil
	}
	var in taskParams
	_ = json.Unmarshal(m.Params, &in) // without an id, no header agrees
	if named, ok := sdk.DecodeHeaderValue(h.Get(sdk.HeaderName)); ok && named == in.ID {
		return nil
	}
	return m.ErrorResponse(sdk.HEADER_MISMATCH, "the header %s is not the taskId of the message", sdk.HeaderName)
}
