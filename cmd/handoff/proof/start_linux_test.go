package proof_test

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/commandtest"
	"handoff/schemas"
)

// Each start of the program runs the initialisers of all packages that it links, also the start of a hook that has
// nothing to say. The package for JSON Schema does not count: the MCP SDK links it, and it alone allocates 21,300 times.
// Of the others, CEL and the packages that it needs allocate 3,000 times.
func TestStart_InitialisersAllocateLittle(t *testing.T) {
	list, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "handoff/cmd/handoff").Output()
	require.NoError(t, err)
	linked := strings.Fields(string(list)) // this test, which is also the program, links more
	start, trace := exec.CommandContext(t.Context(), commandtest.Program, "version"), new(bytes.Buffer)
	start.Env, start.Stderr = append(os.Environ(), "GODEBUG=inittrace=1"), trace
	require.NoError(t, start.Run())
	type initialiser struct {
		of          string
		allocations int
	}
	var all []initialiser
	sum := 0
	for line := range strings.Lines(trace.String()) {
		words := strings.Fields(line) // init errors @0.37 ms, 0.002 ms clock, 0 bytes, 0 allocs
		n, err := strconv.Atoi(words[len(words)-2])
		require.NoError(t, err, line)
		if of := words[1]; slices.Contains(linked, of) && of != "github.com/santhosh-tekuri/jsonschema/v6" {
			all, sum = append(all, initialiser{of, n}), sum+n
		}
	}
	slices.SortFunc(all, func(a, b initialiser) int { return cmp.Compare(b.allocations, a.allocations) })
	require.Greater(t, len(all), 100)
	require.LessOrEqual(t, sum, 5_100, "most of all:\n%s", strings.Join(schemas.Map(all[:30], func(i initialiser) string {
		return fmt.Sprintf("%5d %s", i.allocations, i.of)
	}), "\n"))
}
