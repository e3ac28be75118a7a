//go:build unix

package together_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"handoff/schemas"
)

// errGone says that a process ended before it answered: the effect of the call is unknown.
var errGone = errors.New("the process ended before it answered")

// welcome is the answer to initialize.
type welcome struct {
	ServerInfo   struct{ Name, Version string }
	Instructions string
}

// answer is one line that a process writes.
type answer struct {
	ID     *int
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
	}
}

// listen hands each answer to its waiting caller, until the output ends.
func (s *process) listen(out io.Reader) {
	lines := bufio.NewReaderSize(out, 1<<16)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		var a answer
		if json.Unmarshal(line, &a) == nil && a.ID != nil {
			s.hand(a)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, waiter := range s.waiting {
		close(waiter)
	}
	s.waiting = nil
}

func (s *process) hand(a answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if waiter, ok := s.waiting[*a.ID]; ok {
		waiter <- a // there is room for it
		delete(s.waiting, *a.ID)
	}
}

// ask makes a request and waits for the result. Many requests may run at a time. The error is [errGone] if the
// process ended first, and the error of ctx if no answer came in time.
func (s *process) ask(ctx context.Context, method string, params any) (json.RawMessage, error) {
	come := make(chan answer, 1)
	id, err := s.expect(come)
	if err != nil {
		return nil, err
	}
	if err := s.write(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params}); err != nil {
		return nil, err
	}
	select {
	case a, ok := <-come:
		switch {
		case !ok:
			return nil, errGone
		case a.Error != nil:
			return nil, fmt.Errorf("%s: protocol error %d: %s", method, a.Error.Code, a.Error.Message)
		}
		return a.Result, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("%s: no answer: %w", method, ctx.Err())
	}
}

// expect registers the receiver of the next answer, and returns the id of the request.
func (s *process) expect(come chan<- answer) (id int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting == nil {
		return 0, errGone
	}
	s.asked++
	s.waiting[s.asked] = come
	return s.asked, nil
}

// hears reports whether the process still answers, as far as is known.
func (s *process) hears() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.waiting != nil
}

func (s *process) write(message any) error {
	line, err := json.Marshal(message)
	if err != nil {
		return err
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	if _, err := s.in.Write(append(line, '\n')); err != nil {
		return errGone
	}
	return nil
}

// greet opens the conversation in the name of a client.
func (s *process) greet(ctx context.Context, client string) error {
	result, err := s.ask(ctx, "initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": client, "version": "1"},
	})
	if err != nil {
		return err
	}
	if err := json.Unmarshal(result, &s.welcome); err != nil {
		return err
	}
	return s.write(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
}

// call calls a tool and reads its result into out, if that is not nil. A refusal is a *[schemas.Error].
func (s *process) call(ctx context.Context, tool string, in, out any) error {
	raw, err := s.ask(ctx, "tools/call", map[string]any{"name": tool, "arguments": in, "_meta": s.meta})
	if err != nil {
		return err
	}
	var result struct {
		Content           []struct{ Text string }
		StructuredContent json.RawMessage
		IsError           bool
	}
	if err := json.Unmarshal(raw, &result); err != nil {
		return fmt.Errorf("%s: %w", tool, err)
	}
	if result.IsError {
		return refusal(tool, result.Content[0].Text)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(result.StructuredContent, out)
}

// refusal reads the text of a refused call, which has to be a coded error.
func refusal(tool, text string) error {
	var coded schemas.Error
	if err := json.Unmarshal([]byte(text), &coded); err != nil || coded.Code == "" {
		return fmt.Errorf("%s was refused without a code: %s", tool, text)
	}
	return &coded
}

// The calls that the tests make most.

func (s *process) send(ctx context.Context, in schemas.SendIn) (out schemas.SendOut, err error) {
	return out, s.call(ctx, "send_handoff", in, &out)
}

func (s *process) claim(ctx context.Context, in schemas.ClaimIn) (out schemas.ClaimOut, err error) {
	return out, s.call(ctx, "claim_handoff", in, &out)
}

func (s *process) complete(ctx context.Context, in schemas.CompleteIn) (out schemas.CompleteOut, err error) {
	return out, s.call(ctx, "complete_handoff", in, &out)
}

func (s *process) get(ctx context.Context, in schemas.GetIn) (out schemas.GetOut, err error) {
	return out, s.call(ctx, "get_handoff", in, &out)
}

// everything lists all handoffs, in pages.
func (s *process) everything(ctx context.Context) (items []schemas.ListItem, err error) {
	for in := (schemas.ListIn{Box: "all", Limit: 50}); ; {
		var out schemas.ListOut
		if err := s.call(ctx, "list_handoffs", in, &out); err != nil {
			return nil, err
		}
		items = append(items, out.Items...)
		if in.Cursor = out.Cursor; in.Cursor == "" {
			return items, nil
		}
	}
}
