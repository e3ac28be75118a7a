package mcp_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/mcp"
	"handoff/schemas"
	"handoff/tools"
)

// waiter is a client that takes tasks, over a connection of its own.
type waiter struct{ *client }

func waiterAs(t *testing.T, cfg mcp.Config, name schemas.Agent) waiter {
	t.Helper()
	cfg.Caller.Agent, cfg.Caller.Conn = name, "conn-"+cfg.NewRequestID()
	return waiter{connect(t, cfg)}
}

// task is the result, or the error, of a request.
type task struct {
	ResultType, TaskID, Status, StatusMessage string
	InputRequests                             map[string]any
	Content                                   []struct{ Text string }
	IsError                                   bool
	Result                                    *task

	code int
}

// text is what a model reads.
func (t task) text() string {
	if t.Result != nil {
		return t.Result.text()
	}
	return fmt.Sprint(t.Content)
}

func (w waiter) request(method, params string) (got task) {
	w.t.Helper()
	takes := strings.NewReplacer(`clientCapabilities":{}`, `clientCapabilities":{"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}`)
	w.send(takes.Replace(modernRequest(1, method, params)))
	var answer struct {
		Result json.RawMessage
		Error  struct{ Code int }
	}
	require.NoError(w.t, json.Unmarshal([]byte(w.nextLine()), &answer))
	if got.code = answer.Error.Code; answer.Result != nil {
		require.NoError(w.t, json.Unmarshal(answer.Result, &got))
	}
	return got
}

// call calls a tool.
func (w waiter) call(tool, args string) task {
	w.t.Helper()
	return w.request("tools/call", fmt.Sprintf(`"name":%q,"arguments":%s`, tool, args))
}

// waits calls a tool that has to wait, and returns its task.
func (w waiter) waits(tool, args string) string {
	w.t.Helper()
	got := w.call(tool, args)
	require.Equal(w.t, "task", got.ResultType, got.text())
	require.Equal(w.t, "working", got.Status)
	return got.TaskID
}

func (w waiter) get(id string) task {
	w.t.Helper()
	return w.request("tasks/get", fmt.Sprintf(`"taskId":%q`, id))
}

func TestTask_EndsWithMailQuestionAndOutcome(t *testing.T) {
	cfg := workspace(t)
	boss, dev := waiterAs(t, cfg, "boss"), waiterAs(t, cfg, "dev")
	mail := dev.waits("claim_handoff", `{"wait_seconds":50}`)
	require.Equal(t, "dev waits for mail", dev.get(mail).StatusMessage)
	require.Contains(t, boss.call("send_handoff", `{"to":"dev","task":"Mend it"}`).ResultType, "complete")
	outcome := boss.waits("get_handoff", `{"handoff_id":"ho_1","view":"outcome","wait_seconds":50}`)

	got := dev.get(mail)
	require.Equal(t, "completed", got.Status)
	require.Contains(t, got.text(), "Mend it")
	require.Contains(t, dev.get(mail).text(), "Mend it", "a lost answer comes again")
	require.Contains(t, boss.get(outcome).StatusMessage, "dev holds ho_1 since ")

	dev.call("update_handoff", `{"handoff_id":"ho_1","action":"ask","questions":["Which one?"]}`)
	require.Contains(t, boss.get(outcome).text(), `"action":"answer"`)
	answer := dev.waits("get_handoff", `{"handoff_id":"ho_1","wait_seconds":50}`)
	boss.call("update_handoff", `{"handoff_id":"ho_1","action":"answer","note":"The first"}`)
	require.Contains(t, dev.get(answer).text(), "The first")
	require.Contains(t, dev.get(answer).text(), "The first", "a lost answer comes again")
	outcome = boss.waits("get_handoff", `{"handoff_id":"ho_1","view":"outcome","wait_seconds":50}`)
	news := boss.waits("list_handoffs", `{"box":"notices","wait_seconds":50}`)
	dev.call("complete_handoff", `{"handoff_id":"ho_1","summary":"Mended"}`)
	for range 2 {
		require.Contains(t, boss.get(news).text(), "Mended")
		require.Contains(t, boss.get(outcome).text(), "Mended")
	}
}

func TestTask_IsGoodAtAnotherServer(t *testing.T) {
	cfg := workspace(t)
	first := waiterAs(t, cfg, "dev")
	id := first.waits("claim_handoff", `{"wait_seconds":50}`)
	callAs(t, cfg, "boss", "send_handoff", `{"to":"dev","task":"Mend it"}`)
	require.Contains(t, first.get(id).text(), "Mend it")
	require.NoError(t, first.closeInput()) // it does not take the claim with it
	second := waiterAs(t, cfg, "dev")
	require.Contains(t, second.get(id).text(), "Mend it")
	done := second.call("complete_handoff", `{"handoff_id":"ho_1","summary":"Mended"}`)
	require.False(t, done.IsError, done.text())
}

func TestTask_IsRefusedToOthers(t *testing.T) {
	cfg := workspace(t)
	dev, boss := waiterAs(t, cfg, "dev"), waiterAs(t, cfg, "boss")
	id := dev.waits("claim_handoff", `{"wait_seconds":50}`)
	altered := []byte(id)
	altered[len(id)/2] ^= 1
	for _, w := range []struct {
		waiter
		id string
	}{{boss, id}, {dev, string(altered)}, {dev, "786512e2-9e0d-44bd-8f29-789f320fe840"}, {dev, ""}} {
		for _, method := range []string{"tasks/get", "tasks/cancel", "tasks/update"} {
			require.Equal(t, task{code: -32602}, w.request(method, fmt.Sprintf(`"taskId":%q,"inputResponses":{}`, w.id)))
		}
	}
	undeclared := connectAs(t, cfg, "dev")
	for _, method := range []string{"tasks/get", "tasks/cancel", "tasks/update"} {
		undeclared.send(modernRequest(2, method, fmt.Sprintf(`"taskId":%q`, id)))
		require.Contains(t, undeclared.nextLine(), `"code":-32021,"message":"the client does not declare the extension io.modelcontextprotocol/tasks","data":{"requiredCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}`)
	}
	undeclared.send(modernRequest(3, "tools/call", `"name":"list_handoffs","arguments":{}`))
	require.Contains(t, undeclared.nextLine(), `"resultType":"complete"`)
}

func TestTask_IsCancelled(t *testing.T) {
	cfg := workspace(t)
	dev, boss := waiterAs(t, cfg, "dev"), waiterAs(t, cfg, "boss")
	id := dev.waits("claim_handoff", `{"wait_seconds":50}`)
	for range 2 {
		require.Equal(t, task{ResultType: "complete"}, dev.request("tasks/cancel", fmt.Sprintf(`"taskId":%q`, id)))
	}
	boss.call("send_handoff", `{"to":"dev","task":"Mend it"}`)
	require.Equal(t, "cancelled", dev.get(id).Status)
	next := dev.waits("claim_handoff", `{"wait_seconds":50}`)
	require.Contains(t, boss.call("get_handoff", `{"handoff_id":"ho_1"}`).text(), "pending", "nothing is claimed before the client knows the task")
	require.Contains(t, dev.get(next).text(), "Mend it")
	boss.call("update_handoff", `{"handoff_id":"ho_1","action":"cancel"}`)
	require.Equal(t, "complete", boss.call("get_handoff", `{"handoff_id":"ho_1","wait_seconds":50}`).ResultType, "what is there needs no task")
}

func TestTask_AsksPersonByForm(t *testing.T) {
	cfg := workspace(t)
	cfg.MayAskPerson = func() bool { return true }
	boss := waiterAs(t, cfg, "boss")
	boss.call("send_handoff", `{"to":"dev","task":"Drop the table","options":{"needs_approval":true}}`)
	id := boss.waitsForPerson("ho_1")
	require.Contains(t, fmt.Sprint(boss.get(id).InputRequests), "from boss to dev?")
	boss.answersAll(id, `{"action":"accept","content":{"answer":"approve"}}`)
	require.Equal(t, "working", boss.get(id).Status)
	events, err := tools.InvokeTyped[schemas.EventsOut](t.Context(), cfg.Invoker, tools.Call{ID: "r", Tool: "audit_events"}, schemas.EventsIn{After: 1})
	require.NoError(t, err)
	require.Contains(t, string(events.Events[0]), `"proof":"form","action":"approved"`)
	boss.call("send_handoff", `{"to":"dev","task":"Drop another","options":{"needs_approval":true}}`)
	id = boss.waitsForPerson("ho_2")
	boss.answersAll(id, `{"action":"decline"}`)
	require.Equal(t, "working", boss.get(id).Status, "a declined form is not shown again")
}

func (w waiter) waitsForPerson(handoff string) string {
	w.t.Helper()
	got := w.call("get_handoff", fmt.Sprintf(`{"handoff_id":%q,"view":"outcome","wait_seconds":50}`, handoff))
	require.Equal(w.t, "input_required", got.Status)
	require.Nil(w.t, got.InputRequests, "they come with tasks/get")
	return got.TaskID
}

func (w waiter) answersAll(id, answer string) {
	w.t.Helper()
	for key := range w.get(id).InputRequests {
		done := w.request("tasks/update", fmt.Sprintf(`"taskId":%q,"inputResponses":{%q:%s}`, id, key, answer))
		require.Equal(w.t, task{ResultType: "complete"}, done)
	}
}

// A claim is made only for a client that asks.
func TestTask_IsPushedToSubscriberUnlessItClaims(t *testing.T) {
	cfg := workspace(t)
	boss := waiterAs(t, cfg, "boss")
	boss.call("send_handoff", `{"to":"dev","task":"Mend it"}`)
	id, claims := boss.waits("get_handoff", `{"handoff_id":"ho_1","wait_seconds":50}`), boss.waits("claim_handoff", `{"wait_seconds":50}`)
	listen := strings.Replace(modernRequest(7, "subscriptions/listen", fmt.Sprintf(`"notifications":{"taskIds":[%q,%q,"forged"]}`, claims, id)),
		`clientCapabilities":{}`, `clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}`, 1)
	boss.send(listen)
	require.Contains(t, boss.nextLine(), fmt.Sprintf(`"notifications":{"taskIds":[%q]}`, id))
	require.Contains(t, boss.nextLine(), `"status":"working"`)
	callAs(t, cfg, "dev", "fail_handoff", `{"handoff_id":"ho_1","reason":"Cannot","outcome":"rejected"}`)
	pushed := boss.nextLine()
	require.Contains(t, pushed, `"method":"notifications/tasks"`)
	require.Contains(t, pushed, `"status":"completed"`)
	boss.send(cancellation("7"))
}
