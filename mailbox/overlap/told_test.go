package overlap_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
	"handoff/store"
)

// attachInRepository returns an agent in its own working tree with the given changed files.
func attachInRepository(w *mailboxtest.World, repository string, name schemas.Agent, files ...string) schemas.Caller {
	by := w.Stdio(name)
	by.Tree = &schemas.Tree{Path: "/" + string(name), Branch: string(name), Commit: string(name) + "-commit", Uncommitted: files[:len(files)/2]}
	by.BranchState = &schemas.BranchState{Repository: repository, Ahead: files[len(files)/2:]}
	return by
}

func withDeliverables(files ...string) func(*schemas.SendIn) {
	return func(in *schemas.SendIn) {
		in.Expectations = &schemas.Expectations{Deliverables: []schemas.Deliverable{{Files: files}}}
	}
}

func reportProgress(w *mailboxtest.World, by schemas.Caller, id schemas.ID) []string {
	w.T.Helper()
	out := mailboxtest.Must(w.T, w.Update, by, schemas.UpdateIn{HandoffID: id.String(), Action: schemas.ActProgress})
	return out.Warnings
}

func overlapNotices(w *mailboxtest.World, by schemas.Caller) (texts []string) {
	w.T.Helper()
	out := mailboxtest.Must(w.T, w.List, by, schemas.ListIn{Box: "notices"})
	for _, n := range out.Items {
		if n.Kind == "overlap" && n.Unread {
			texts = append(texts, n.Text)
		}
	}
	return texts
}

func TestOverlap_NotifiesBothHoldersOnce(t *testing.T) {
	w, lead := mailboxtest.NewWithAgent(t, "lead")
	a, b := attachInRepository(w, "shop", "a", "x.go", "y.go"), attachInRepository(w, "shop", "b", "z.go", "y.go")
	first, second := w.Sends(lead, "a", "One").HandoffID, w.Sends(lead, "b", "Two", withDeliverables("x.go")).HandoffID
	require.Empty(t, w.Claims(a).Overlaps)
	require.Equal(t, []string{fmt.Sprintf("%s (a, branch a) is changing x.go, y.go", first)}, w.Claims(b).Overlaps)
	require.Equal(t, []string{fmt.Sprintf("%s (b, branch b) works on the same files: x.go, y.go", second)}, overlapNotices(w, a))
	require.Empty(t, reportProgress(w, a, first))
	require.Empty(t, reportProgress(w, b, second))
	require.Empty(t, overlapNotices(w, b))

	a.BranchState.Ahead = append(a.BranchState.Ahead, "z.go")
	require.Equal(t, []string{fmt.Sprintf("%s (b, branch b) is changing z.go", second)}, reportProgress(w, a, first))
	require.Len(t, overlapNotices(w, b), 1)

	// Other repositories do not overlap. A claim over HTTP shows only the files that it names.
	w.Sends(lead, "c", "Three", withDeliverables("y.go"))
	require.Empty(t, w.Claims(attachInRepository(w, "other", "c", "x.go", "y.go")).Overlaps)
	w.Sends(lead, "d", "Four", withDeliverables("z.*"))
	web := schemas.Caller{Agent: "d", Via: schemas.ViaHTTP}
	require.Equal(t, []string{
		fmt.Sprintf("%s (a, branch a) is changing z.go", first), fmt.Sprintf("%s (b, branch b) is changing z.go", second),
	}, w.Claims(web).Overlaps)
}

func TestOverlap_CountsHandoffCompletedSinceClaim(t *testing.T) {
	w, lead := mailboxtest.NewWithAgent(t, "lead")
	a, b, c := attachInRepository(w, "shop", "a", "loose.go", "done.go"), attachInRepository(w, "shop", "b"), attachInRepository(w, "shop", "c")
	first, second := w.Sends(lead, "a", "One").HandoffID, w.Sends(lead, "b", "Two").HandoffID
	third, fourth := w.Sends(lead, "c", "Three").HandoffID, w.Sends(lead, "d", "Four").HandoffID
	require.Empty(t, w.Claims(a).Overlaps)
	w.Claims(b)
	w.Claims(c)
	require.Empty(t, w.Completes(a, first).Warnings)

	b.BranchState.Ahead = []string{"done.go", "loose.go"}
	require.Equal(t, []string{fmt.Sprintf("%s (a, branch a) changed done.go, loose.go, which your commit has not", first)}, reportProgress(w, b, second))
	c.BranchState = &schemas.BranchState{Repository: "shop", Ahead: []string{"done.go", "loose.go"}, Commits: []string{"c-commit", "a-commit"}}
	require.Equal(t, []string{
		fmt.Sprintf("%s (a, branch a) changed loose.go, which your commit has not", first),
		fmt.Sprintf("%s (b, branch b) is changing done.go, loose.go", second),
	}, w.Completes(c, third).Warnings)
	require.Equal(t, []string{fmt.Sprintf("%s (b, branch b) is changing loose.go", second)}, w.Claims(attachInRepository(w, "shop", "d", "loose.go")).Overlaps)

	// An ended claim overlaps with nothing.
	w.Pass(time.Hour)
	mailboxtest.Must(t, w.Detach, b, schemas.ConnIn{Conn: b.Conn})
	w.Completes(attachInRepository(w, "shop", "d"), fourth)
	w.Pass(time.Hour)
	w.Sends(lead, "e", "Five")
	require.Empty(t, w.Claims(attachInRepository(w, "shop", "e", "loose.go", "done.go")).Overlaps)
}

// In a shared tree, the author of a change is unknown.
func TestOverlap_OmitsAuthorInSharedWorkingTree(t *testing.T) {
	w, lead := mailboxtest.NewWithAgent(t, "lead")
	a, b := attachInRepository(w, "shop", "a", "x.go", "y.go"), attachInRepository(w, "shop", "b", "x.go", "y.go")
	b.Tree.Path = a.Tree.Path
	first, second := w.Sends(lead, "a", "One", withDeliverables("x.go")).HandoffID, w.Sends(lead, "b", "Two").HandoffID
	w.Claims(a)
	require.Equal(t, []string{fmt.Sprintf("changes in this tree may also be of %s (a)", first)}, w.Claims(b).Overlaps)
	require.Empty(t, overlapNotices(w, a))
	require.Equal(t, []string{fmt.Sprintf("changes in this tree may also be of %s (b)", second)}, reportProgress(w, a, first))
	require.Empty(t, reportProgress(w, a, first))
	require.Empty(t, reportProgress(w, b, second))

	c := attachInRepository(w, "shop", "c", "z.go", "w.go")
	c.Tree.Path = a.Tree.Path
	w.Sends(lead, "c", "Three")
	require.Equal(t, []string{fmt.Sprintf("changes in this tree may also be of %s (a), %s (b)", first, second)},
		w.Claims(c).Overlaps, "one text names all")
}

// The files of work count while it is held or was just completed, and after an answer, because its holder goes on.
func TestOverlap_KeepsRowsOfCurrentWorkOnly(t *testing.T) {
	w := mailboxtest.New(t)
	lead, dev, qa := w.Stdio("lead"), attachInRepository(w, "/r", "dev", "loose.go", "a.go"), w.Stdio("qa")
	rows := func() (ids []schemas.ID) {
		require.NoError(t, w.Store.View(t.Context(), func(v *store.View) error {
			return v.EachTouchedFiles(func(id schemas.ID, _ []byte) { ids = append(ids, id) })
		}))
		return ids
	}
	w.Completes(qa, w.Assigns(lead, qa, "Without git", withDeliverables("a.go")).HandoffID)
	require.Empty(t, rows())
	held := w.Assigns(lead, dev, "In git").HandoffID
	w.Updates(dev, held, schemas.ActAsk, func(in *schemas.UpdateIn) { in.Note = "Which one?" })
	w.Updates(lead, held, schemas.ActAnswer, func(in *schemas.UpdateIn) { in.Note = "Both." })
	require.Equal(t, []schemas.ID{held}, rows())
	w.ClaimsID(dev, held)
	w.Updates(dev, held, schemas.ActRelease)
	require.Empty(t, rows())
}
