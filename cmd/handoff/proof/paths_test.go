package proof_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A shown says where get_handoff with view full shows the arguments of each tool.
type shown map[string][]showing

type showing struct {
	argument string
	paths    []string // the value is at one of them
}

// readShown reads testdata/shown.txt.
func readShown(t testing.TB) shown {
	t.Helper()
	text, err := os.ReadFile("testdata/shown.txt")
	require.NoError(t, err)
	all, tool := shown{}, ""
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0 || fields[0] == "#":
		case len(fields) == 1:
			tool = strings.TrimSuffix(fields[0], ":")
		default:
			paths := slices.DeleteFunc(fields[1:], func(s string) bool { return s == "or" })
			all[tool] = append(all[tool], showing{fields[0], paths})
		}
	}
	return all
}

// of returns the paths that show an argument: the paths of the longest listed argument that contains it.
func (s shown) of(tool, argument string) (paths []string) {
	longest := ""
	for _, p := range s[tool] {
		rest, within := strings.CutPrefix(argument, p.argument)
		if !within || rest != "" && rest[0] != '.' && rest[0] != '[' || len(p.argument) < len(longest) {
			continue
		}
		longest, paths = p.argument, nil
		for _, path := range p.paths {
			paths = append(paths, path+rest)
		}
	}
	return paths
}

// kept reports whether a value is the given one, unchanged or in the one spelling of its field.
func kept(said, have any, argument string) bool {
	field, _, _ := strings.Cut(argument, "[")
	text := fmt.Sprint(said)
	switch {
	case have == nil:
		return text == "0" || text == "false" // an omitted zero
	case text == fmt.Sprint(have):
		return true
	case argument == "priority":
		return map[string]string{"0": "critical", "1": "high", "2": "normal", "3": "low", "4": "low"}[text] == have
	case argument == "deadline":
		return sameTime(text, fmt.Sprint(have))
	case argument == "expectations.timeout":
		n, _ := strconv.Atoi(text)
		return (time.Duration(n) * time.Millisecond).String() == have
	case argument == "expectations.estimated_duration":
		n, _ := strconv.Atoi(text)
		return (time.Duration(n) * time.Minute).String() == have
	case field == "context.files":
		file, _ := have.(map[string]any)
		if file["lines"] == nil {
			return text == file["path"]
		}
		return text == fmt.Sprint(file["path"], ":", file["lines"])
	case argument == "detail", field == "context.completed_steps", strings.HasSuffix(argument, ".rationale"):
		return strings.Contains(fmt.Sprint(have), text) // several values in one text
	}
	return false
}

func sameTime(a, b string) bool {
	x, err := time.Parse(time.RFC3339, a)
	y, err2 := time.Parse(time.RFC3339, b)
	return err == nil && err2 == nil && x.Equal(y)
}

// carriesNothing reports whether a value is null or empty.
func carriesNothing(v any) bool {
	b, err := json.Marshal(v)
	return err == nil && slices.Contains([]string{`null`, `""`, `[]`, `{}`}, string(b))
}
