package look_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/commandtest"
)

// A list as JSON has every row, over any number of pages and states.
func TestList_AsJSONIsComplete(t *testing.T) {
	t.Parallel()
	d := commandtest.NewDesk(t)
	const sent = 70
	for i := range sent {
		d.Must("dev", "send", []string{"qa", "role:testing"}[i%2], fmt.Sprintf("Task %d", i), "--silent")
	}
	for range 10 {
		d.Must("qa", "claim")
	}
	list := func(args ...string) (ids []string, more any) {
		out := commandtest.ParseRecord(t, []byte(d.Must("qa", append([]string{"list", "--json"}, args...)...)))
		return commandtest.RowIDs(out), out["more"]
	}
	newestFirst := func(from int) (ids []string) {
		for n := from; n > 0; n-- {
			ids = append(ids, fmt.Sprintf("ho_%d", n))
		}
		return ids
	}
	for name, args := range map[string][]string{"under way": {}, "all": {"--all"}, "sent": {"--box", "sent", "--agent", "dev"}} {
		ids, more := list(args...)
		require.ElementsMatch(t, newestFirst(sent), ids, name)
		require.Nil(t, more, name)
	}
	ids, more := list("--all", "--limit", "60")
	require.Equal(t, newestFirst(sent)[:60], ids)
	require.Equal(t, true, more)
	ids, more = list("--limit", fmt.Sprint(sent))
	require.Len(t, ids, sent)
	require.Nil(t, more)
	ids, more = list("--limit", fmt.Sprint(math.MaxInt))
	require.Len(t, ids, sent)
	require.Nil(t, more)
	ids, _ = list("--role", "testing")
	require.Len(t, ids, sent/2)
	_, _, errs := d.Run("qa", "list", "--role", "testing", "--limit", fmt.Sprint(sent/2))
	require.Empty(t, errs)
	_, out, errs := d.Run("qa", "list", "--limit", "60")
	require.Len(t, strings.Split(out, "\n"), 62) // with a head, and nothing but rows
	require.Equal(t, "and 10 more: handoff list --limit 70\n", errs)
	require.Len(t, strings.Split(d.Must("qa", "list"), "\n"), sent+2)
}
