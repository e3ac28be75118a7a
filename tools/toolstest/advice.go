// Package toolstest checks that tools accept the advice of results and errors. Tests that drive many operations call
// through [AdviceChecker], or pass advice to [AdviceFaults].
//
// Only tests import it. The decoder of the tool checks the call in a piece of advice, and a few patterns check its
// sentence.
package toolstest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"handoff/schemas"
	"handoff/tools"
)

// AdviceChecker is an invoker that fails the test if a result or an error gives bad advice.
//
// It changes neither calls nor results. For each fault it reports an error of the test, which names the call that
// returned the advice. The test continues.
type AdviceChecker struct {
	tools.Invoker
	TB testing.TB
}

// Invoke makes the call and checks the advice of its result or error.
func (a AdviceChecker) Invoke(ctx context.Context, c tools.Call) (json.RawMessage, error) {
	a.TB.Helper()
	out, err := a.Invoker.Invoke(ctx, c)
	for _, fault := range AdviceFaults(adviceOf(out, err)) {
		a.TB.Errorf("after %s %s: %s", c.Tool, c.Args, fault)
	}
	return out, err
}

// adviceOf returns the advice of a result, or of the error if there is one. For an unreadable result it returns one
// empty advice, which [AdviceFaults] reports as a fault.
func adviceOf(out json.RawMessage, err error) []schemas.Advice {
	if err != nil {
		return schemas.AsError(err).Next
	}
	var result struct{ Next []schemas.Advice }
	if json.Unmarshal(out, &result) != nil {
		return []schemas.Advice{{}} // an empty advice is a fault
	}
	return result.Next
}

// AdviceFaults lists the faults of advice. Its calls must be complete and valid, which the decoder of their tool
// checks. They must destroy nothing, and must not state facts that only their caller knows. Its words must suit readers
// who call tools and readers on a command line.
//
// It returns a sentence for each fault, none for good advice, and calls no tool.
func AdviceFaults(next []schemas.Advice) (faults []string) {
	for _, a := range next {
		for _, fault := range slices.Concat(checkWords(a), checkCall(a)) {
			faults = append(faults, fmt.Sprintf("%q: %s", a, fault))
		}
	}
	return faults
}

// Jargon matches terms that hints and advice must not hold: names of tools, paths of arguments, flags and JSON.
var Jargon = regexp.MustCompile(strings.Join(append(namePatterns(tools.Table()),
	`\b(options|verification|expectations|context|continuation|rollback|conditions|changes|partial_progress)\.[a-z]`,
	`\b(handoff_id|claim_token|wait_seconds)\b`, `\bwith (view|box|action) [a-z]`, `(^|\s)--[a-z]`, `[{\[]["…]`), "|"))

func namePatterns(table []tools.Tool) []string {
	return schemas.Map(table, func(t tools.Tool) string { return `\b` + t.Name + `\b` })
}

// checkWords checks the words. Advice without a call must be a sentence. Advice with a call must be a predicate whose
// subject is the call, because the command line prints it behind the call.
func checkWords(a schemas.Advice) (faults []string) {
	if found := Jargon.FindString(a.Say); found != "" {
		faults = append(faults, fmt.Sprintf("its words hold %q", found))
	}
	first, sentence := []rune(a.Say + " ")[0], strings.HasSuffix(a.Say, ".")
	switch {
	case strings.TrimSpace(a.Say) == "":
		faults = append(faults, "it says nothing")
	case a.Tool == "" && (!sentence || !unicode.IsUpper(first)):
		faults = append(faults, "without a call it is a sentence")
	case a.Tool != "" && (sentence || !unicode.IsLower(first)):
		faults = append(faults, "it does not say what the call does")
	}
	return faults
}

// shows returns an error if arguments do not match the schema that clients get. An administrative tool has none. Filters
// and lengths are exempt, because only a caller that gave them before is advised to give them.
func shows(t tools.Tool, args string) error {
	if t.Admin {
		return nil
	}
	c := jsonschema.NewCompiler()
	schema, _ := jsonschema.UnmarshalJSON(bytes.NewReader(t.InputSchema()))
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(args))
	if m, ok := value.(map[string]any); ok {
		maps.DeleteFunc(m, func(name string, _ any) bool {
			return slices.Contains([]string{"max_tokens", "limit", "since", "type", "tags"}, name)
		})
	}
	if err = cmp.Or(err, c.AddResource("row", schema)); err != nil {
		return err
	}
	return c.MustCompile("row").Validate(value)
}

// checkCall checks an advised call. Its tool must exist. A tool for administrators must only read. The tool must accept
// the arguments after blanks are filled in. The call must destroy nothing.
func checkCall(a schemas.Advice) (faults []string) {
	if a.Tool == "" {
		return nil
	}
	t, err := tools.FindTool(a.Tool)
	if err != nil {
		return []string{err.Error()}
	}
	if t.Admin && !t.ReadOnly {
		faults = append(faults, "agents do not keep the workspace")
	}
	written := strings.ReplaceAll(string(a.Args), `"`+schemas.Blank+`"`, `"x"`) // as its reader fills it in
	canonical, err := t.CanonicalArgs(json.RawMessage(written))
	if err != nil {
		return append(faults, "the call is refused: "+err.Error())
	}
	for _, done := range DestructiveArgs {
		if strings.Contains(string(canonical), done) {
			faults = append(faults, "it destroys: "+done)
		}
	}
	if strings.Contains(string(canonical), `"met":true`) {
		faults = append(faults, "only the holder knows what is met")
	}
	if err := shows(t, written); err != nil && len(faults) == 0 {
		faults = append(faults, "the list of tools does not show it, so some clients refuse it: "+err.Error())
	}
	return faults
}

// DestructiveArgs are parts of canonical arguments that no advised call may hold: calls with these arguments take work
// away from an agent, or leave it without an agent.
var DestructiveArgs = []string{`"action":"cancel"`, `"action":"refuse"`, `"changes":`, `"force":true`}
