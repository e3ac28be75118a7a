package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
)

// A step is one tool call by one agent, and what must come of it.
type step struct {
	agent string
	tool  string
	about string // of the call, for the reader
	args  object

	want results
}

// results are values that the result has, by path: "forwarded.to".
type results []struct {
	path  string
	value any
}

type (
	object = map[string]any
	list   = []any
)

func (conn *connection) play(ctx context.Context, s step) error {
	fmt.Fprintf(conn.Out, "→ %-10s %s %s\n", s.agent, s.tool, s.about)
	args := maps.Clone(s.args)
	if args == nil {
		args = object{}
	}
	args["agent"] = s.agent
	text, err := conn.call(ctx, s.tool, args)
	if err != nil {
		return fmt.Errorf("%s by %s: %w", s.tool, s.agent, err)
	}
	var result object
	if err := json.Unmarshal([]byte(text), &result); err != nil {
		return fmt.Errorf("result of %s: %w", s.tool, err)
	}
	if err := s.check(result); err != nil {
		return err
	}
	fmt.Fprintf(conn.Out, "← %-10s %s\n", "", s.want)
	return nil
}

func (s step) check(result object) error {
	for _, want := range s.want {
		if got := at(result, want.path); got != want.value {
			return fmt.Errorf("%s by %s: %s is %v, not %v", s.tool, s.agent, want.path, got, want.value)
		}
	}
	return nil
}

// String tells of a result what the story is about.
func (r results) String() string {
	var told []string
	for _, want := range r {
		told = append(told, fmt.Sprintf("%s: %v", want.path, want.value))
	}
	return strings.Join(told, ", ")
}

// at gives the value at a path through objects, or nil.
func at(value any, path string) any {
	for name := range strings.SplitSeq(path, ".") {
		inner, _ := value.(object)
		value = inner[name]
	}
	return value
}
