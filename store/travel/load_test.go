package travel_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
	"handoff/store/memory"
	"handoff/store/travel"
)

func exportToText(t testing.TB, w *mailboxtest.World) string {
	t.Helper()
	var b bytes.Buffer
	_, err := travel.Export(t.Context(), w.Store, schemas.ExportHeading{Workspace: "w"}, &b)
	require.NoError(t, err)
	return b.String()
}

// Each file is refused with its line, even if the hash next to a changed value was changed as well.
func TestLoad_RefusesDamagedFile(t *testing.T) {
	w, a := mailboxtest.NewWithAgent(t, "a")
	w.Sends(a, "b", "one", func(in *schemas.SendIn) {
		in.Context = &schemas.Context{References: []schemas.Reference{{Name: "log", Content: "of"}}}
	})
	w.Claims(w.Stdio("b"))
	w.Completes(w.Stdio("b"), 1)
	w.Sends(a, "b", "kept")
	w.Claims(w.Stdio("b"))
	whole := exportToText(t, w)
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
		"another time":       {strings.Replace(whole, `"n":1,"at":"2026`, `"n":1,"at":"2025`, 1), fmt.Sprintf("line %d: event 1 does not match the tree", event+1)},
		"another text":       {strings.Replace(whole, `"task":"one"`, `"task":"two"`, 1), fmt.Sprintf("line %d: the content of event 1", event+1)},
		"a salt erased":      {strings.Replace(strings.Replace(whole, `"salt":"`, `"words":"`, 1), `"task":"one"`, `"task":"two"`, 1), "no redaction tells of it"},
		"an event too few":   {without(event), fmt.Sprintf("line %d: it has event 2, and event 1 is missing", event+1)},
		"a line twice":       {strings.Join(lines[:record+1], "") + strings.Join(lines[record:], ""), fmt.Sprintf("line %d: the record of ho_1", record+2)},
		"an agent twice":     {lines[0] + lines[1] + strings.Join(lines[1:], ""), "line 3: this agent comes twice"},
		"another record":     {strings.Replace(whole, `"record":{"v":1,"id":"ho_1"`, `"record":{"v":1,"id":"ho_1","att":7`, 1), fmt.Sprintf("line %d: the record of ho_1 does not match its event", record+1)},
		"a record reopened":  {strings.Replace(whole, `"st":"completed"`, `"st":"accepted"`, 1), fmt.Sprintf("line %d: the record of ho_1 does not match its event", record+1)},
		"more behind a line": {lines[0] + strings.Replace(lines[1], "}\n", "}}\n", 1) + strings.Join(lines[2:], ""), "line 2: there is more than one value in it"},
		"another root":       {strings.Replace(whole, `"root":"`, `"root":"A`, 1), "its first line says A"},
		"another content":    {strings.Replace(whole, `"text":"of"`, `"text":"if"`, 1), "does not match its digest"},
		"a NUL":              {strings.Replace(whole, `"name":"a"`, `"name":"a\u0000"`, 1), "line 2: it has a NUL"},
		"one workflow":       {strings.Replace(whole, `"at":`, `"workflow_id":"wf_1","at":`, 1), "line 1: workflow_id: it is one workflow"},
		"a line of 100 MB":   {lines[0] + `{"kind":"agent","key":"` + strings.Repeat("x", 100<<20), "line 2 has more than 33554432 bytes"},
	} {
		require.NotEqual(t, whole, c.file, name)
		_, err := travel.Load(t.Context(), strings.NewReader(c.file), memory.New())
		e := schemas.AsError(err)
		require.Contains(t, e.Error(), c.want, name)
		require.Contains(t, e.Hint, "Nothing was changed", name)
	}
}

// An export shows one moment, even if others write meanwhile.
func TestExport_ShowsOneSnapshotDuringChanges(t *testing.T) {
	w := mailboxtest.New(t, mailboxtest.InBackend(mailboxtest.NewFileBackend(t)))
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
	_, err := travel.Export(t.Context(), w.Store, schemas.ExportHeading{Workspace: "w"}, &delayedBuffer{&file, func() { close(began); <-worked }})
	require.NoError(t, err)
	head, err := travel.Load(t.Context(), &file, memory.New())
	require.NoError(t, err)
	require.Equal(t, 20, head.Lines["handoff"])
	require.Equal(t, uint64(20), head.Events)
}

// delayedBuffer is a buffer that calls a function once, before its first write.
type delayedBuffer struct {
	*bytes.Buffer
	first func()
}

func (s *delayedBuffer) Write(b []byte) (int, error) {
	if s.first != nil {
		s.first()
		s.first = nil
	}
	return s.Buffer.Write(b)
}
