package observe

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"go.opentelemetry.io/otel/trace"

	"handoff/schemas"
	"handoff/tools"
)

// pagesRead bounds how much of the story of one handoff is read: its last thousand events.
const pagesRead = 50

// life reads what happened to a handoff up to a change.
func (t *Traces) life(ctx context.Context, inv tools.Invoker, c schemas.Change) (life, error) {
	l := life{handoff: c.Handoff, workflow: c.Workflow}
	in := schemas.GetIn{HandoffID: c.Handoff.String(), View: "events"}
	for range pagesRead {
		page, err := tools.Ask[schemas.GetOut](ctx, inv, tools.Call{Tool: "get_handoff"}, in)
		if err != nil {
			return l, err
		}
		l.events = append(page.Events, l.events...)
		if in.Offset = page.NextOffset; in.Offset == 0 {
			break
		}
	}
	l.events = slices.DeleteFunc(l.events, func(e schemas.Event) bool { return e.N > c.N })
	if len(l.events) == 0 {
		return l, fmt.Errorf("event %d of %s is not among its events", c.N, c.Handoff)
	}
	return l, nil
}

// parent finds the span of the handoff that another one continues, which may belong to another workflow.
func (t *Traces) parent(ctx context.Context, inv tools.Invoker, l life) (none trace.SpanContext, err error) {
	first := l.events[0]
	if first.From != "" || first.Other == 0 {
		return none, nil
	}
	workflow, known := t.workflows.of(first.Other)
	if !known {
		in := schemas.HistoryIn{HandoffID: first.Other.String(), Format: "rows", Limit: 1}
		chain, err := tools.Ask[schemas.HistoryOut](ctx, inv, tools.Call{Tool: "handoff_history"}, in)
		if err != nil {
			return none, err
		}
		workflow = chain.Workflow
		t.workflows.note(first.Other, workflow)
	}
	return t.at(workflow, first.Other), nil
}

// workflowsKept is of how many handoffs the workflow is remembered.
const workflowsKept = 4096

// workflows remembers which workflow handoffs belong to, those that were noted last.
type workflows struct {
	mu    sync.Mutex // guards the fields below
	known map[schemas.ID]schemas.Workflow
	order []schemas.ID // in which they were noted; a ring once it is full
	next  int
}

func newWorkflows() *workflows { return &workflows{known: map[schemas.ID]schemas.Workflow{}} }

func (w *workflows) of(h schemas.ID) (schemas.Workflow, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	name, known := w.known[h]
	return name, known
}

func (w *workflows) note(h schemas.ID, name schemas.Workflow) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, known := w.known[h]; known || name == "" {
		return // it never changes
	}
	w.known[h] = name
	if len(w.order) < workflowsKept {
		w.order = append(w.order, h)
		return
	}
	delete(w.known, w.order[w.next])
	w.order[w.next] = h
	w.next = (w.next + 1) % workflowsKept
}
