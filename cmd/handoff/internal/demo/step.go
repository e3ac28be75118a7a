package demo

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
)

// storyJSON is the chain of work, a list of steps. Its workspace is new, so the handoffs are ho_1 to ho_6.
//
//go:embed story.json
var storyJSON []byte

// A step is one tool call by one agent, and what must come of it.
type step struct {
	Agent string
	Tool  string
	About string // of the call, for the reader
	Args  map[string]any
	Want  [][2]string // values that the result has, each behind its path: "forwarded.to"
}

func story() (steps []step, err error) {
	err = json.Unmarshal(storyJSON, &steps)
	return steps, err
}

func (conn *connection) play(ctx context.Context, s step) error {
	fmt.Fprintf(conn.Out, "→ %-10s %s %s\n", s.Agent, s.Tool, s.About)
	args := map[string]any{"agent": s.Agent}
	maps.Copy(args, s.Args)
	text, err := conn.call(ctx, s.Tool, args)
	if err != nil {
		return fmt.Errorf("%s by %s: %w", s.Tool, s.Agent, err)
	}
	var result any
	if err := json.Unmarshal([]byte(text), &result); err != nil {
		return fmt.Errorf("result of %s: %w", s.Tool, err)
	}
	var told []string
	for _, want := range s.Want {
		if got := at(result, want[0]); got != want[1] {
			return fmt.Errorf("%s by %s: %s is %v, not %s", s.Tool, s.Agent, want[0], got, want[1])
		}
		told = append(told, want[0]+": "+want[1])
	}
	fmt.Fprintf(conn.Out, "← %-10s %s\n", "", strings.Join(told, ", "))
	return nil
}

// at gives the value at a path through objects, or nil.
func at(value any, path string) any {
	for name := range strings.SplitSeq(path, ".") {
		inner, _ := value.(map[string]any)
		value = inner[name]
	}
	return value
}
