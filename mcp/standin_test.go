package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"sync"

	"handoff/schemas"
	"handoff/tools"
)

// standIn replaces the mailbox in tests of behaviour that a real mailbox does not show on demand: it can delay a call,
// fail or panic. It answers everything else with an empty result, and records its calls.
type standIn struct {
	started chan string   // gets the tool of each call that waits or is held
	release chan struct{} // closed to let held calls go on

	mu    sync.Mutex // guards the fields below
	calls []tools.Call
	held  int
	most  int // that were held at once
}

func newStandIn() *standIn {
	return &standIn{started: make(chan string, 10_000), release: make(chan struct{})}
}

// Invoke does the action in the argument "do", and waits if asked.
func (s *standIn) Invoke(ctx context.Context, c tools.Call) (json.RawMessage, error) {
	if _, err := tools.FindTool(c.Tool); err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.calls = append(s.calls, c)
	s.mu.Unlock()
	var a struct {
		Do string
	}
	_ = json.Unmarshal(c.Args, &a) // arguments that are no object have no action
	switch {
	case isLongPoll(c):
		s.started <- c.Tool
		<-ctx.Done()
		return nil, ctx.Err()
	case a.Do == "hold":
		s.waitForRelease(c.Tool)
	case a.Do == "panic":
		panic("a secret of the server")
	case a.Do == "break":
		return nil, errors.New("a secret of the server")
	case a.Do == "garbage":
		return json.RawMessage(`{"half":`), nil
	}
	return json.RawMessage(`{}`), nil
}

// isLongPoll reads the arguments as tools do.
func isLongPoll(c tools.Call) bool {
	tool, err := tools.FindTool(c.Tool)
	if err != nil {
		return false
	}
	canonical, err := tool.CanonicalArgs(c.Args)
	var a struct {
		Wait int `json:"wait_seconds"`
	}
	return err == nil && json.Unmarshal(canonical, &a) == nil && a.Wait > 0
}

func (s *standIn) waitForRelease(tool string) {
	s.countHeld(1)
	defer s.countHeld(-1)
	s.started <- tool
	<-s.release
}

func (s *standIn) countHeld(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held += n
	s.most = max(s.most, s.held)
}

// callsOf lists the calls of a tool.
func (s *standIn) callsOf(tool string) (made []tools.Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.calls {
		if c.Tool == tool {
			made = append(made, c)
		}
	}
	return made
}

// Changes yields none.
func (s *standIn) Changes(ctx context.Context, _ uint64) iter.Seq2[schemas.RegistryChange, error] {
	return func(func(schemas.RegistryChange, error) bool) { <-ctx.Done() }
}
