package mailbox_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/mailbox"
	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
	"handoff/store"
	"handoff/store/memory"
	"handoff/store/postgres/postgrestest"
	"handoff/store/travel"
)

// everything is a workspace in which random things happened, and one of each kind that a workspace keeps.
func everything(w *world, seed uint64) *lives {
	l := newLives(w, seed)
	for range 150 {
		l.step()
	}
	a, late := l.agents[1], l.agents[2]
	w.Sends(a, "qa", "remember <canary> & \u2028", func(in *schemas.SendIn) {
		in.Context = &schemas.Context{References: []schemas.Reference{{Name: "log", Content: "of <ho_1>\x01"}}}
		in.Key, in.Workflow = "once", "release"
	})
	first := w.Sends(a, "ciso", "canary of ho_1", func(in *schemas.SendIn) { in.Workflow = "release" }).HandoffID
	w.Sends(late, "ciso", "after "+first.String(), func(in *schemas.SendIn) {
		in.Workflow, in.Options = "release", &schemas.SendOptions{After: []string{first.String()}}
	})
	mailboxtest.Must(w.t, w.Send, a, schemas.SendIn{To: "qa", Type: schemas.TypeMessage, Task: "look at " + first.String()})
	gone := w.Sends(a, "ciso", "canary secret", func(in *schemas.SendIn) { in.Detail = "redact me" }).HandoffID
	mailboxtest.Must(w.t, w.Redact, person, schemas.RedactIn{HandoffID: gone.String()})
	return l
}

func exported(t testing.TB, s *store.Store) string {
	t.Helper()
	var b bytes.Buffer
	_, err := travel.Export(context.Background(), s, schemas.ExportHeading{Workspace: "w"}, &b)
	require.NoError(t, err)
	return b.String()
}

// importing reads an exported workspace into a store of its own, and examines it.
func importing(file string) (store.Backend, *mailbox.Import, error) {
	b, salts := memory.New(), 0
	head, err := travel.Load(context.Background(), strings.NewReader(file), b)
	i := &mailbox.Import{
		Heading: head, By: schemas.Event{At: mailboxtest.Start(), Agent: schemas.Human, Via: schemas.ViaCLI},
		NewID: func(prefix string) string { salts++; return fmt.Sprint(prefix, "_new_", salts) },
	}
	if err == nil {
		err = i.Examine(context.Background(), store.New(b))
	}
	return b, i, err
}

// moved imports a file into an empty store.
func moved(t testing.TB, file string, to store.Backend) *world {
	t.Helper()
	b, i, err := importing(file)
	require.NoError(t, err)
	require.NoError(t, i.Settle(t.Context(), store.New(b)))
	done, err := travel.Copy{From: b, To: to}.Run(t.Context())
	require.NoError(t, err)
	require.Empty(t, done.Audit.Problems)
	return newWorldOn(t, to)
}

func (w *world) releaseAll() {
	for id := schemas.ID(1); ; id++ {
		out, err := w.Get(context.Background(), person, schemas.GetIn{HandoffID: id.String(), View: "full"})
		if err != nil {
			return
		}
		if out.Status.Held() {
			w.Updates(person, id, schemas.ActRelease)
		}
	}
}

func TestAnExportImportedIntoNothingIsExportedAsTheSameBytes(t *testing.T) {
	opens := map[string]func(testing.TB) store.Backend{"memory": func(testing.TB) store.Backend { return memory.New() }, "bolt": mailboxtest.File}
	if !testing.Short() {
		opens["postgres"] = nil
	}
	for name, open := range opens {
		t.Run(name, func(t *testing.T) {
			if open == nil {
				workspaces, n := postgrestest.Workspaces(t), 0
				open = func(t testing.TB) store.Backend { n++; return workspaces(t, fmt.Sprint("w", n)) }
			}
			w := newWorldOn(t, open(t))
			lives := everything(w, 3)
			w.Claims(lives.agents[3])
			claimed := exported(t, w.Store)
			held := 0
			for id, tokens := range lives.tokens {
				if w.Status(id).Held() {
					held++
					require.NotContains(t, claimed, tokens[len(tokens)-1])
				}
			}
			require.NotZero(t, held)
			again := exported(t, moved(t, claimed, open(t)).Store)
			require.Equal(t, again, exported(t, moved(t, again, open(t)).Store), "what was claimed was given back once")
			for line := range strings.Lines(claimed) {
				if strings.HasPrefix(line, `{"kind":"event"`) {
					require.Contains(t, again, line)
				}
			}
			w.releaseAll()
			file := exported(t, w.Store)
			require.Equal(t, file, exported(t, moved(t, file, open(t)).Store))
			for _, kind := range []string{"agent", "workflow", "event", "content", "handoff", "notice", "key"} {
				require.Contains(t, file, "\n"+`{"kind":"`+kind+`"`)
			}
			require.NotContains(t, file, "redact me")
		})
	}
}

// find reads the newest handoff whose task begins so.
func (w *world) find(task string) schemas.GetOut {
	w.t.Helper()
	list := mailboxtest.Must(w.t, w.List, person, schemas.ListIn{Box: "all", Query: strings.Fields(task)[0], Limit: 50})
	for _, item := range list.Items {
		if out := w.Full(item.HandoffID); strings.HasPrefix(out.Handoff.Task, task) {
			return out
		}
	}
	require.Fail(w.t, "there is none", task)
	return schemas.GetOut{}
}

// What was redacted stays so, and its event still verifies without a salt. What comes along can be redacted.
func TestImport_KeepsRedactions(t *testing.T) {
	w := newWorld(t)
	everything(w, 3)
	to := moved(t, exported(t, w.Store), memory.New())
	gone := to.find("remember")
	mailboxtest.Must(t, to.Redact, person, schemas.RedactIn{HandoffID: gone.HandoffID.String()})
	to.Intact()
	require.NotContains(t, exported(t, to.Store), "<canary>")
}

// Earlier versions added to workspaces in use. What they wrote is read, by either id.
func TestShow_TellsWhatEarlierVersionsAdded(t *testing.T) {
	file, err := os.ReadFile("testdata/merged.jsonl")
	require.NoError(t, err)
	w := moved(t, string(file), memory.New())
	w.Intact()
	out := mailboxtest.Must(t, w.Get, person, schemas.GetIn{HandoffID: "shop/ho_1", View: "events"})
	require.Equal(t, schemas.ID(3), out.HandoffID)
	require.Equal(t, "imported", out.Events[len(out.Events)-1].Action)
	require.Equal(t, "All fine", w.Full(3).Completion.Summary)
}

// Each is refused by its line, also where the hash beside what was changed was changed as well.
func TestDamagedExportsAreRefused(t *testing.T) {
	w, a := newWorldWith(t, "a")
	w.Sends(a, "b", "one", func(in *schemas.SendIn) {
		in.Context = &schemas.Context{References: []schemas.Reference{{Name: "log", Content: "of"}}}
	})
	w.Claims(w.Stdio("b"))
	w.Completes(w.Stdio("b"), 1)
	w.Sends(a, "b", "kept")
	w.Claims(w.Stdio("b"))
	whole := exported(t, w.Store)
	lines := strings.SplitAfter(whole, "\n")
	at := func(prefix string) int {
		for i, l := range lines {
			if strings.HasPrefix(l, `{"kind":"`+prefix) {
				return i
			}
		}
		require.Fail(t, prefix)
		return 0
	}
	without := func(i int) string { return strings.Join(append(append([]string{}, lines[:i]...), lines[i+1:]...), "") }
	event, record := at("event"), at("handoff")
	for name, c := range map[string]struct{ file, want string }{
		"empty":              {"", "no exported workspace"},
		"no JSON":            {"#!/bin/sh\n" + whole, "no exported workspace"},
		"a later version":    {strings.Replace(whole, `"version":1`, `"version":2,"more":1`, 1), "line 1: it is of version 2"},
		"half a line":        {whole[:len(whole)-20], fmt.Sprintf("line %d: unexpected EOF", len(lines)-1)},
		"cut off":            {strings.Join(lines[:len(lines)-2], ""), "it was cut off"},
		"an unknown name":    {strings.Replace(whole, `{"kind":"agent"`, `{"kind":"agent","x":1`, 1), `line 2: unknown field "x"`},
		"an unknown kind":    {strings.Replace(whole, `{"kind":"agent"`, `{"kind":"spy"`, 1), `line 2: version 1 has no kind "spy"`},
		"another time":       {strings.Replace(whole, `"n":1,"at":"2026`, `"n":1,"at":"2025`, 1), fmt.Sprintf("line %d: event 1 is not what the tree has", event+1)},
		"another text":       {strings.Replace(whole, `"task":"one"`, `"task":"two"`, 1), fmt.Sprintf("line %d: what was said with event 1", event+1)},
		"a salt erased":      {strings.Replace(strings.Replace(whole, `"salt":"`, `"words":"`, 1), `"task":"one"`, `"task":"two"`, 1), "no redaction tells of it"},
		"an event too few":   {without(event), fmt.Sprintf("line %d: it has event 2, and event 1 is missing", event+1)},
		"a line twice":       {strings.Join(lines[:record+1], "") + strings.Join(lines[record:], ""), fmt.Sprintf("line %d: the record of ho_1", record+2)},
		"an agent twice":     {lines[0] + lines[1] + strings.Join(lines[1:], ""), "line 3: this agent comes twice"},
		"another record":     {strings.Replace(whole, `"record":{"v":1,"id":"ho_1"`, `"record":{"v":1,"id":"ho_1","att":7`, 1), fmt.Sprintf("line %d: the record of ho_1 is not what event", record+1)},
		"a record reopened":  {strings.Replace(whole, `"st":"completed"`, `"st":"accepted"`, 1), fmt.Sprintf("line %d: the record of ho_1 is not what event", record+1)},
		"a held one renamed": {strings.Join(lines[:record+1], "") + strings.ReplaceAll(lines[record+1], `"kept"`, `"lost"`) + strings.Join(lines[record+2:], ""), "the record of ho_2 is not what was sent"},
		"more behind a line": {lines[0] + strings.Replace(lines[1], "}\n", "}}\n", 1) + strings.Join(lines[2:], ""), "line 2: there is more than one value in it"},
		"another root":       {strings.Replace(whole, `"root":"`, `"root":"A`, 1), "its first line says A"},
		"another content":    {strings.Replace(whole, `"text":"of"`, `"text":"if"`, 1), "is not what its digest says"},
		"a NUL":              {strings.Replace(whole, `"name":"a"`, `"name":"a\u0000"`, 1), "line 2: it has a NUL"},
		"one workflow":       {strings.Replace(whole, `"at":`, `"workflow_id":"wf_1","at":`, 1), "line 1: workflow_id: it is one workflow"},
		"a line of 100 MB":   {lines[0] + `{"kind":"agent","key":"` + strings.Repeat("x", 100<<20), "line 2 has more than 33554432 bytes"},
	} {
		require.NotEqual(t, whole, c.file, name)
		_, _, err := importing(c.file)
		e := schemas.AsError(err)
		require.Contains(t, e.Error(), c.want, name)
		require.Contains(t, e.Hint, "Nothing was changed", name)
	}
}

// An export is of one moment, whoever works meanwhile.
func TestAnExportIsOfOneMoment(t *testing.T) {
	w := newWorldOn(t, mailboxtest.File(t))
	a, b := w.Stdio("a"), w.Stdio("b")
	for range 20 {
		w.Sends(a, "b", "one")
	}
	began, worked := make(chan struct{}), make(chan struct{})
	go func() {
		<-began
		for range 10 {
			w.Assigns(a, b, "two")
		}
		close(worked)
	}()
	var file bytes.Buffer
	_, err := travel.Export(t.Context(), w.Store, schemas.ExportHeading{Workspace: "w"}, &slowly{&file, func() { close(began); <-worked }})
	require.NoError(t, err)
	head, err := travel.Load(t.Context(), &file, memory.New())
	require.NoError(t, err)
	require.Equal(t, 20, head.Lines["handoff"])
	require.Equal(t, uint64(20), head.Events)
}

// slowly calls a function once, before it writes.
type slowly struct {
	*bytes.Buffer
	first func()
}

func (s *slowly) Write(b []byte) (int, error) {
	if s.first != nil {
		s.first()
		s.first = nil
	}
	return s.Buffer.Write(b)
}
