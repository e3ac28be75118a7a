package keeping_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/keeping"
	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
	"handoff/store"
	"handoff/store/memory"
	"handoff/store/postgres/postgrestest"
	"handoff/store/travel"
)

func exportText(t testing.TB, s *store.Store) string {
	t.Helper()
	var b bytes.Buffer
	_, err := travel.Export(context.Background(), s, schemas.ExportHeading{Workspace: "w"}, &b)
	require.NoError(t, err)
	return b.String()
}

// examineExport loads an exported workspace into a store of its own, and examines it.
func examineExport(file string) (store.Backend, *keeping.Import, error) {
	b, salts := memory.New(), 0
	head, err := travel.Load(context.Background(), strings.NewReader(file), b)
	i := &keeping.Import{
		Heading: head, By: schemas.Event{At: mailboxtest.StartTime(), Agent: schemas.Human, Via: schemas.ViaCLI},
		NewID: func(prefix string) string { salts++; return fmt.Sprint(prefix, "_new_", salts) },
	}
	if err == nil {
		err = i.Examine(context.Background(), store.New(b))
	}
	return b, i, err
}

// importInto imports a file into an empty store.
func importInto(t testing.TB, file string, to store.Backend) *mailboxtest.World {
	t.Helper()
	b, i, err := examineExport(file)
	require.NoError(t, err)
	require.NoError(t, i.RemoveClaims(t.Context(), store.New(b)))
	done, err := travel.Copy{From: b, To: to}.Run(t.Context())
	require.NoError(t, err)
	require.Empty(t, done.Audit.Problems)
	return mailboxtest.New(t, mailboxtest.InBackend(to))
}

func releaseAll(w *mailboxtest.World) {
	list := mailboxtest.Must(w.T, w.List, mailboxtest.Human, schemas.ListIn{Box: "all", Status: "in_progress", Limit: 200})
	for _, item := range list.Items {
		if item.Status.IsHeld() {
			w.Updates(mailboxtest.Human, item.HandoffID, schemas.ActRelease)
		}
	}
}

func TestImport_ReexportsSameBytes(t *testing.T) {
	opens := map[string]func(testing.TB) store.Backend{"memory": func(testing.TB) store.Backend { return memory.New() }, "bolt": mailboxtest.NewFileBackend}
	if !testing.Short() {
		opens["postgres"] = nil
	}
	for name, open := range opens {
		t.Run(name, func(t *testing.T) {
			if open == nil {
				workspaces, n := postgrestest.NewWorkspaceOpener(t), 0
				open = func(t testing.TB) store.Backend { n++; return workspaces(t, fmt.Sprint("w", n)) }
			}
			w := mailboxtest.New(t, mailboxtest.InBackend(open(t)))
			tokens := fillWorkspace(w, 3)
			claimed := exportText(t, w.Store)
			held := 0
			for id, token := range tokens {
				if w.Status(id).IsHeld() {
					held++
					require.NotContains(t, claimed, token)
				}
			}
			require.NotZero(t, held)
			again := exportText(t, importInto(t, claimed, open(t)).Store)
			require.Equal(t, again, exportText(t, importInto(t, again, open(t)).Store), "the claims were released once")
			for line := range strings.Lines(claimed) {
				if strings.HasPrefix(line, `{"kind":"event"`) {
					require.Contains(t, again, line)
				}
			}
			releaseAll(w)
			file := exportText(t, w.Store)
			require.Equal(t, file, exportText(t, importInto(t, file, open(t)).Store))
			for _, kind := range []string{"agent", "workflow", "event", "content", "handoff", "notice", "key"} {
				require.Contains(t, file, "\n"+`{"kind":"`+kind+`"`)
			}
			require.NotContains(t, file, "redact me")
		})
	}
}

// findByTask returns the newest handoff whose task begins with task.
func findByTask(w *mailboxtest.World, task string) schemas.GetOut {
	w.T.Helper()
	list := mailboxtest.Must(w.T, w.List, mailboxtest.Human, schemas.ListIn{Box: "all", Query: strings.Fields(task)[0], Limit: 50})
	for _, item := range list.Items {
		if out := w.FullView(item.HandoffID); strings.HasPrefix(out.Handoff.Task, task) {
			return out
		}
	}
	require.Fail(w.T, "there is none", task)
	return schemas.GetOut{}
}

// Redacted texts stay redacted, and their events still verify without a salt. Imported texts can be redacted.
func TestImport_KeepsRedactions(t *testing.T) {
	w := mailboxtest.New(t)
	fillWorkspace(w, 3)
	to := importInto(t, exportText(t, w.Store), memory.New())
	gone := findByTask(to, "remember")
	mailboxtest.Must(t, to.Redact, mailboxtest.Human, schemas.RedactIn{HandoffID: gone.HandoffID.String()})
	to.CheckIntact()
	require.NotContains(t, exportText(t, to.Store), "<canary>")
}

// Earlier versions could merge a file into a workspace in use. Such rows are still readable, by either id.
func TestImport_ReadsWorkspacesMergedByEarlierVersions(t *testing.T) {
	file, err := os.ReadFile("testdata/merged.jsonl")
	require.NoError(t, err)
	w := importInto(t, string(file), memory.New())
	w.CheckIntact()
	out := mailboxtest.Must(t, w.Get, mailboxtest.Human, schemas.GetIn{HandoffID: "shop/ho_1", View: "events"})
	require.Equal(t, schemas.ID(3), out.HandoffID)
	require.Equal(t, "imported", out.Events[len(out.Events)-1].Action)
	require.Equal(t, "All fine", w.FullView(3).Completion.Summary)
}

// The record of a held handoff loses its claim, so no event proves it.
func TestImport_RefusesChangedRecordOfHeldHandoff(t *testing.T) {
	w, a := mailboxtest.NewWithAgent(t, "a")
	w.Sends(a, "b", "kept")
	w.Claims(w.Stdio("b"))
	lines := strings.SplitAfter(exportText(t, w.Store), "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, `{"kind":"handoff"`) {
			lines[i] = strings.ReplaceAll(l, `"kept"`, `"lost"`)
		}
	}
	_, _, err := examineExport(strings.Join(lines, ""))
	e := schemas.AsError(err)
	require.Contains(t, e.Error(), "the record of ho_1 differs from the sent handoff")
	require.Contains(t, e.Hint, "Nothing was changed")
}

// Dropped texts stay dropped in another workspace, and its registry verifies.
func TestImport_LeavesDroppedTextsDropped(t *testing.T) {
	w, a, qa := mailboxtest.NewWithTwoAgents(t, "a", "qa")
	w.Assigns(a, qa, "look", func(in *schemas.SendIn) { in.Detail = strings.Repeat("long ", 60) })
	w.Completes(qa, 1)
	w.Pass(180 * 24 * time.Hour)
	mailboxtest.Must(t, w.Retain, mailboxtest.Human, schemas.RetainIn{Before: w.Now()})
	require.Equal(t, "[no longer kept]", findByTask(importInto(t, exportText(t, w.Store), memory.New()), "look").Handoff.Detail)
}

// declarePlan has a file of the project declare a workflow of two steps, with or without a person's leave.
func declarePlan(w *mailboxtest.World, unallowed bool) {
	w.T.Helper()
	steps := mailboxtest.StepsInOrder(mailboxtest.PlanStep("build", "b"), mailboxtest.PlanStep("test", "c"))
	mailboxtest.Must(w.T, w.Declare, mailboxtest.Human, schemas.DeclareIn{
		Leave: true, Digest: fmt.Sprint(unallowed), Files: []schemas.DeclaringFile{{
			Name: "p/.handoff/agents.yaml", Unallowed: unallowed, Plans: []schemas.Plan{{Name: "factory", Steps: steps}},
		}},
	})
}

func TestImport_KeepsHandoffThatWaitsForPermission(t *testing.T) {
	b := &mailboxtest.BreakingBackend{Backend: memory.New()}
	w := mailboxtest.New(t, mailboxtest.InBackend(b))
	declarePlan(w, false)
	w.Sends(w.Stdio("a"), "workflow:factory", "the login")
	declarePlan(w, true)
	dev := w.Stdio("b")
	w.Claims(dev)
	w.Completes(dev, 1)
	waits := exportText(t, w.Store)
	b.BreakAfter(1)
	declarePlan(w, false)
	b.Repair()
	for _, file := range []string{waits, exportText(t, w.Store)} {
		to := importInto(t, file, memory.New())
		require.Empty(t, to.SentByRules(), "no file is known yet")
		declarePlan(to, false)
		require.Equal(t, []string{"c pending test: the login"}, to.SentByRules())
	}
}
