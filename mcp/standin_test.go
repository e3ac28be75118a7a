package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"strings"
	"sync"

	"handoff/schemas"
	"handoff/tools"
)

// standIn stands where the mailbox is, so that what the protocol makes of an Invoker can be tested by itself:
// one that waits, breaks, panics, or knows two handoffs.
type standIn struct {
	started chan string   // gets the tool of each call that waits or is held
	release chan struct{} // closed to let held calls go on

	mu    sync.Mutex // guards the fields below
	calls []tools.Call
	log   []schemas.Change
	grown chan struct{} // closed when log grows
}

func newStandIn() *standIn {
	return &standIn{started: make(chan string, 10_000), release: make(chan struct{}), grown: make(chan struct{})}
}

// Invoke does what the argument "do" says, else what the tool would do with the two handoffs.
func (s *standIn) Invoke(ctx context.Context, c tools.Call) (json.RawMessage, error) {
	s.mu.Lock()
	s.calls = append(s.calls, c)
	s.mu.Unlock()
	var a struct {
		Do        string
		HandoffID string `json:"handoff_id"`
		Workflow  string
		Agent     string
		Reference string
		Offset    int
		Wait      int `json:"wait_seconds"`
	}
	if err := json.Unmarshal(c.Args, &a); err != nil {
		return nil, schemas.Invalidf("", "the arguments are not an object")
	}
	switch {
	case a.Do == "wait" || a.Wait > 0:
		s.started <- c.Tool
		<-ctx.Done()
		return nil, ctx.Err()
	case a.Do == "hold":
		s.started <- c.Tool
		<-s.release
	case a.Do == "panic":
		panic("a secret of the server")
	case a.Do == "break":
		return nil, errors.New("a secret of the server")
	case a.Do == "garbage":
		return json.RawMessage(`{"half":`), nil
	}
	return s.result(c, a.HandoffID, a.Workflow, a.Reference, a.Offset)
}

func (s *standIn) result(c tools.Call, id, workflow, reference string, offset int) (json.RawMessage, error) {
	switch {
	case c.Tool == "list_agents":
		return json.RawMessage(`{"agents":[{"name":"qa","accepts":["review","test_failure_report"],"live":true},{"name":"architect"},{"name":"amy"}],"inbox":{"pending":2,"urgent":1,"notices":3}}`), nil
	case c.Tool == "list_handoffs" && strings.Contains(string(c.Args), "nobody"):
		return json.RawMessage(`{"items":[]}`), nil
	case c.Tool == "list_handoffs":
		return json.RawMessage(`{"items":[{"handoff_id":"ho_12","from":"architect","status":"pending","title":"Build\n the login","priority":"high","workflow":"wf_login"},{"handoff_id":"ho_7","from":"qa","status":"pending","title":"Fix it","type":"test_failure_report","workflow":"wf_login"}]}`), nil
	case reference != "" && offset == 0:
		return json.RawMessage(`{"content":"first half, ","next_offset":12}`), nil
	case reference != "":
		return json.RawMessage(`{"content":"second half"}`), nil
	case c.Tool == "get_handoff" && id != "12" && id != "ho_12":
		return nil, schemas.Errorf(schemas.NotFound, "there is no handoff %s", id)
	case c.Tool == "get_handoff":
		return json.RawMessage(`{"handoff_id":"ho_12","status":"failed","brief":"# Build the login"}`), nil
	case c.Tool == "handoff_history" && (workflow == "wf_login" || id == "12"):
		return json.RawMessage(`{"workflow":"wf_login","tree":"architect\n└─ amy ho_12\n","output":"It works.","final_agent":"amy","verified":true}`), nil
	case c.Tool == "handoff_history":
		return nil, schemas.Errorf(schemas.NotFound, "there is no workflow %s", workflow)
	}
	return json.Marshal(map[string]any{"tool": c.Tool, "agent": c.Caller.Agent, "agent_id": c.Caller.AgentID, "args": c.Args})
}

// made lists the calls of a tool.
func (s *standIn) made(tool string) (made []tools.Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.calls {
		if c.Tool == tool {
			made = append(made, c)
		}
	}
	return made
}

func (s *standIn) happen(changes ...schemas.Change) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range changes {
		c.N = uint64(len(s.log) + 1)
		s.log = append(s.log, c)
	}
	close(s.grown)
	s.grown = make(chan struct{})
}

func (s *standIn) newest(context.Context) (uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return uint64(len(s.log)), nil
}

func (s *standIn) Changes(ctx context.Context, after uint64) iter.Seq2[schemas.Change, error] {
	return func(yield func(schemas.Change, error) bool) {
		for ctx.Err() == nil {
			s.mu.Lock()
			more, grown := slices.Clone(s.log[after:]), s.grown
			s.mu.Unlock()
			for _, c := range more {
				if after = c.N; !yield(c, nil) {
					return
				}
			}
			select {
			case <-grown:
			case <-ctx.Done():
			}
		}
	}
}
