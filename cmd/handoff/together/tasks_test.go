//go:build unix

package together_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/programtest"
	"handoff/mcp/auth"
	"handoff/schemas"
)

// waitsOpen is how many waits are open while processes are killed.
const waitsOpen = 100

// A waiter is a client whose calls that wait are tasks. It outlives its server.
type waiter struct {
	name   string
	ask    func(ctx context.Context, method string, params map[string]any) (json.RawMessage, error)
	kill   func()          // its server, or the node that serves it
	tasks  map[string]bool // the open ones
	forget chan struct{}   // closed when the client itself is killed
}

// takesTasks is what such a client says with each request.
var takesTasks = map[string]any{
	"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientInfo": map[string]any{"name": "test", "version": "1"},
	"io.modelcontextprotocol/clientCapabilities": map[string]any{"extensions": map[string]any{"io.modelcontextprotocol/tasks": struct{}{}}},
}

// waiter starts a client over stdio, and its server. The client starts another server if this one is killed.
func (p *place) waiter(name string) *waiter {
	of := *p
	of.env = append(slices.Clip(p.env), "CLAUDECODE=1", "CLAUDE_CODE_SESSION_ID="+name)
	var mu sync.Mutex
	var server *process
	w := &waiter{name: name, tasks: map[string]bool{}, forget: make(chan struct{})}
	w.ask = func(ctx context.Context, method string, params map[string]any) (json.RawMessage, error) {
		mu.Lock()
		if w.isKilled() {
			mu.Unlock()
			return nil, errKilled
		}
		if server == nil || !server.alive() {
			var err error
			if server, err = of.begin("--agent", name); err != nil {
				mu.Unlock()
				return nil, err
			}
		}
		at := server
		mu.Unlock()
		return at.ask(ctx, method, params)
	}
	w.kill = func() {
		mu.Lock()
		defer mu.Unlock()
		if server != nil {
			server.kill()
		}
	}
	return w
}

// waiter is a client over HTTP. The balancer leads each request to another node.
func (c *cluster) waiter(name string) *waiter {
	ask := func(ctx context.Context, method string, params map[string]any) (json.RawMessage, error) {
		body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
		if err != nil {
			return nil, err
		}
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.front.URL+"/w/w/mcp", bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		about, _ := params["taskId"].(string)
		if tool, ok := params["name"].(string); ok {
			about = tool
		}
		for name, value := range map[string]string{
			"Content-Type": "application/json", "Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": method, "Mcp-Name": about, auth.AgentHeader: name,
		} {
			r.Header.Set(name, value)
		}
		got, err := http.DefaultClient.Do(r)
		if err != nil {
			return nil, err
		}
		defer got.Body.Close()
		var a answer
		if err := json.NewDecoder(got.Body).Decode(&a); err != nil || a.Error != nil {
			return nil, fmt.Errorf("status %d: %w %v", got.StatusCode, err, a.Error)
		}
		return a.Result, nil
	}
	return &waiter{name: name, ask: ask, tasks: map[string]bool{}, forget: make(chan struct{})}
}

var errKilled = errors.New("the client was killed")

// request makes a request again until it has an answer.
func (w *waiter) request(ctx context.Context, method string, params map[string]any, out any) error {
	params["_meta"] = takesTasks
	for {
		result, err := w.ask(ctx, method, params)
		switch {
		case err == nil:
			return json.Unmarshal(result, out)
		case ctx.Err() != nil:
			return err
		}
		if w.isKilled() {
			return errKilled
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func (w *waiter) isKilled() bool {
	select {
	case <-w.forget:
		return true
	default:
		return false
	}
}

// taskState is the answer to a call, or the state of a task.
type taskState struct {
	ResultType, TaskID, Status string
	IsError                    bool
	StructuredContent          schemas.ClaimOut
	Content                    []struct{ Text string }
	Result                     *taskState
}

// wait begins a wait for work. What is there already comes at once.
func (w *waiter) wait(ctx context.Context, got func(taskState) error) error {
	var begun taskState
	err := w.request(ctx, "tools/call", map[string]any{"name": "claim_handoff", "arguments": map[string]any{"wait_seconds": 50}}, &begun)
	if err != nil || begun.ResultType != "task" {
		return errors.Join(err, got(begun))
	}
	w.tasks[begun.TaskID] = true
	return nil
}

// serve keeps waits open, and completes what they bring, until ctx is done or the client is killed.
func (w *waiter) serve(ctx context.Context, waits int, done func(schemas.ID)) error {
	finish := func(got taskState) error {
		claim := got.StructuredContent
		if got.IsError || claim.HandoffID == 0 {
			return fmt.Errorf("a wait ended with %+v", got)
		}
		var completed taskState
		args := map[string]any{"handoff_id": claim.HandoffID, "claim_token": claim.Token, "summary": "done"}
		err := w.request(ctx, "tools/call", map[string]any{"name": "complete_handoff", "arguments": args}, &completed)
		if err == nil && completed.IsError {
			err = fmt.Errorf("%s: %+v", claim.HandoffID, completed.Content)
		}
		if err == nil {
			done(claim.HandoffID)
		}
		return err
	}
	var registered taskState
	register := map[string]any{"name": "register_agent", "arguments": map[string]any{"name": w.name, "role": "worker"}}
	if err := w.request(ctx, "tools/call", register, &registered); err != nil || registered.IsError {
		return fmt.Errorf("register: %w %+v", err, registered.Content)
	}
	for ctx.Err() == nil {
		for len(w.tasks) < waits && ctx.Err() == nil {
			if err := w.wait(ctx, finish); err != nil {
				return err
			}
		}
		for id := range w.tasks {
			if w.isKilled() {
				return nil
			}
			var state taskState
			if err := w.request(ctx, "tasks/get", map[string]any{"taskId": id}, &state); err != nil {
				return err
			}
			if state.Status == "working" {
				continue
			}
			delete(w.tasks, id)
			if err := finish(*state.Result); err != nil {
				return err
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	return nil
}

// Waits outlive all that serves them: each handoff ends once, and none stays with a client that is gone.
func TestTasks_SurviveKills(t *testing.T) {
	kills := programtest.ProofSize(t, "HANDOFF_KILLS", 20, 6, strconv.Atoi)
	luck := chance(t)
	t.Run("processes", func(t *testing.T) {
		p := newPlace(t)
		p.surviveKills(kills, p.waiter, func(all []*waiter, n int) {
			switch w := all[luck.IntN(len(all))]; n % 3 {
			case 0: // the owner of the store
				p.killOwner()
			case 1: // a server
				w.kill()
			default: // a session
				close(w.forget)
				w.kill()
			}
		})
	})
	t.Run("nodes", func(t *testing.T) {
		c := newCluster(t, 2)
		c.surviveKills(kills, c.waiter, func(_ []*waiter, n int) {
			c.kill(n % 2)
			require.NoError(t, c.begin(n%2))
		})
	})
}

// killOwner kills the process that owns the store.
func (p *place) killOwner() {
	found, _ := filepath.Glob(filepath.Join(p.state, "handoff", "*", "owner.json"))
	var owner struct{ PID int }
	for _, file := range found {
		if text, err := os.ReadFile(file); err == nil && json.Unmarshal(text, &owner) == nil && owner.PID > 0 {
			if process, err := os.FindProcess(owner.PID); err == nil {
				_ = process.Kill()
			}
		}
	}
}

// surviveKills sends work to clients that wait, while kill kills something every 300 ms.
func (p *place) surviveKills(kills int, join func(name string) *waiter, kill func(all []*waiter, n int)) {
	const clients = 5
	ctx, end := context.WithCancel(p.ctx)
	defer end()
	var mu sync.Mutex
	ended := map[schemas.ID]int{}
	var serving sync.WaitGroup
	begin := func(n int) *waiter {
		w := join(fmt.Sprintf("worker-%d", n))
		serving.Go(func() {
			err := w.serve(ctx, waitsOpen/clients, func(id schemas.ID) {
				mu.Lock()
				defer mu.Unlock()
				ended[id]++
			})
			if err != nil && ctx.Err() == nil && !errors.Is(err, errKilled) {
				p.t.Error(err)
			}
		})
		return w
	}
	var all []*waiter
	for n := range clients {
		all = append(all, begin(n))
	}
	boss := join("boss")
	sent := 0
	for n := range kills {
		for range 5 {
			var out taskState
			args := map[string]any{"to": "role:worker", "task": fmt.Sprint("work ", sent), "key": fmt.Sprint(sent)}
			require.NoError(p.t, boss.request(ctx, "tools/call", map[string]any{"name": "send_handoff", "arguments": args}, &out))
			require.False(p.t, out.IsError, "%+v", out)
			sent++
		}
		kill(all, n)
		for i, w := range all { // a killed client is replaced
			if w.isKilled() {
				all[i] = begin(clients + n)
			}
		}
		time.Sleep(300 * time.Millisecond)
	}
	last := time.Now()
	if !assert.Eventually(p.t, func() bool {
		var completed struct{ Items []struct{} } // a client may die before it reads that it completed one
		err := json.Unmarshal([]byte(p.run("list", "--status", "completed", "--json").out), &completed)
		return err == nil && len(completed.Items) == sent
	}, time.Minute, 100*time.Millisecond) {
		p.t.Fatalf("of %d these are open:\n%s", sent, p.must("list").out)
	}
	p.t.Logf("%d handoffs, %d kills, the last ended %v after the last kill", sent, kills, time.Since(last).Round(time.Millisecond))
	end()
	serving.Wait()
	for id, times := range ended {
		require.Equal(p.t, 1, times, id)
	}
	p.verify()
}
