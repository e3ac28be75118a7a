package conformance_test

import (
	"context"
	"crypto/rand"
	"maps"
	"sync"
	"time"

	sdk "github.com/mark3labs/mcp-go/mcp"

	"handoff/mcp"
)

// job is a task of the suite: after some seconds, and all answers, it has its result or failure.
type job struct {
	began     time.Time
	seconds   float64
	questions sdk.InputRequests
	result    *result
	failure   *sdk.JSONRPCErrorDetails
	cancelled bool
}

// jobs keeps the tasks of this process.
var jobs = &keeper{byID: map[string]*job{}}

type keeper struct {
	mu   sync.Mutex // guards the field below, and the jobs
	byID map[string]*job
}

// run makes a job the answer of a call. For a client that takes no tasks it returns the result.
func (k *keeper) run(ctx context.Context, j *job) *result {
	id := rand.Text()
	j.began = time.Now()
	k.mu.Lock()
	k.byID[id] = j
	k.mu.Unlock()
	if t := k.Get(ctx, id); j.seconds > 0 || j.result == nil || t.Inputs != nil {
		t.Status, t.Inputs, t.Error = mcp.TaskWorking, nil, nil
		if mcp.AnswerWithTask(ctx, t) {
			return new(result)
		}
	}
	return j.result
}

func (k *keeper) Get(_ context.Context, id string) *mcp.Task {
	k.mu.Lock()
	defer k.mu.Unlock()
	j := k.byID[id]
	if j == nil {
		return nil
	}
	t := &mcp.Task{ID: id, Status: mcp.TaskWorking, CreatedAt: j.began.UTC(), UpdatedAt: j.began.UTC(), Interval: 100}
	switch {
	case j.cancelled:
		t.Status = mcp.TaskCancelled
	case len(j.questions) > 0:
		t.Status, t.Inputs = mcp.TaskInputRequired, maps.Clone(j.questions)
	case time.Since(j.began).Seconds() < j.seconds:
	case j.failure != nil:
		t.Status, t.Error = mcp.TaskFailed, j.failure
	default:
		t.Status, t.Result = mcp.TaskCompleted, j.result
	}
	return t
}

func (k *keeper) Update(_ context.Context, id string, answers sdk.InputResponses) bool {
	return k.change(id, func(j *job) {
		maps.DeleteFunc(j.questions, func(key string, _ sdk.InputRequest) bool {
			_, given := answers[key]
			return given
		})
	})
}

func (k *keeper) Cancel(_ context.Context, id string) bool {
	return k.change(id, func(j *job) { j.cancelled = time.Since(j.began).Seconds() < j.seconds || len(j.questions) > 0 })
}

func (k *keeper) change(id string, do func(*job)) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	j := k.byID[id]
	if j != nil {
		do(j)
	}
	return j != nil
}
