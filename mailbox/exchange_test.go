package mailbox_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/mailbox"
	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
	"handoff/store"
	"handoff/store/memory"
	"handoff/store/postgres/postgrestest"
)

// everything is a workspace in which random things happened, and one of each kind that a workspace keeps.
func everything(w *world, seed uint64) *lives {
	l := newLives(w, seed)
	for range 150 {
		l.step()
	}
	a, late := l.agents[1], l.agents[2]
	w.send(a, "qa", "remember <canary> & \u2028", func(in *schemas.SendIn) {
		in.Context = &schemas.Context{References: []schemas.Reference{{Name: "log", Content: "of <ho_1>\x01"}}}
		in.Key, in.Workflow = "once", "release"
	})
	first := w.send(a, "ciso", "canary of ho_1", func(in *schemas.SendIn) { in.Workflow = "release" }).HandoffID
	w.send(late, "ciso", "after "+first.String(), func(in *schemas.SendIn) {
		in.Workflow, in.Options = "release", &schemas.SendOptions{After: []string{first.String()}}
	})
	_, err := w.Send(context.Background(), a, schemas.SendIn{To: "qa", Type: schemas.TypeMessage, Task: "look at " + first.String()})
	require.NoError(w.t, err)
	gone := w.send(a, "ciso", "canary secret", func(in *schemas.SendIn) { in.Detail = "redact me" }).HandoffID
	_, err = w.Redact(context.Background(), person, schemas.RedactIn{HandoffID: gone.String()})
	require.NoError(w.t, err)
	return l
}

func exported(t testing.TB, s *store.Store, workflow schemas.Workflow) string {
	t.Helper()
	var b bytes.Buffer
	_, err := s.Export(context.Background(), schemas.ExportHeading{Workspace: "w", Workflow: workflow}, &b)
	require.NoError(t, err)
	return b.String()
}

// loaded is an exported workspace in a store of its own.
func loaded(t testing.TB, file string) (*store.Store, store.Backend, mailbox.Import) {
	t.Helper()
	b := memory.New()
	head, err := store.Load(context.Background(), strings.NewReader(file), b)
	require.NoError(t, err)
	salts := 0
	i := mailbox.Import{
		Heading: head, By: schemas.Event{At: mailboxtest.Start(), Agent: schemas.Human, Via: schemas.ViaCLI},
		NewID: func(prefix string) string { salts++; return fmt.Sprint(prefix, "_new_", salts) },
	}
	return store.New(b), b, i
}

// moved imports a file into an empty store.
func moved(t testing.TB, file string, to store.Backend) *world {
	t.Helper()
	s, b, i := loaded(t, file)
	_, err := i.Settle(t.Context(), s)
	require.NoError(t, err)
	done, err := store.Copy{From: b, To: to}.Run(t.Context())
	require.NoError(t, err)
	require.Empty(t, done.Audit.Problems)
	return newWorldOn(t, to)
}

func merged(t testing.TB, file string, to *world) store.Merged {
	t.Helper()
	s, _, i := loaded(t, file)
	done, err := i.Into(t.Context(), s, to.Store)
	require.NoError(t, err)
	to.Intact()
	return done
}

func (w *world) releaseAll() {
	for id := schemas.ID(1); ; id++ {
		out, err := w.Get(context.Background(), person, schemas.GetIn{HandoffID: id.String(), View: "full"})
		if err != nil {
			return
		}
		if out.Status.Held() {
			w.update(person, id, schemas.ActRelease)
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
			w.claim(lives.agents[3])
			claimed := exported(t, w.Store, "")
			held := 0
			for id, tokens := range lives.tokens {
				if w.status(id).Held() {
					held++
					require.NotContains(t, claimed, tokens[len(tokens)-1])
				}
			}
			require.NotZero(t, held)
			again := exported(t, moved(t, claimed, open(t)).Store, "")
			require.Equal(t, again, exported(t, moved(t, again, open(t)).Store, ""), "what was claimed was given back once")
			for line := range strings.Lines(claimed) {
				if strings.HasPrefix(line, `{"kind":"event"`) {
					require.Contains(t, again, line)
				}
			}
			w.releaseAll()
			file := exported(t, w.Store, "")
			require.Equal(t, file, exported(t, moved(t, file, open(t)).Store, ""))
			for _, kind := range []string{"agent", "workflow", "event", "content", "handoff", "notice", "key"} {
				require.Contains(t, file, "\n"+`{"kind":"`+kind+`"`)
			}
			require.NotContains(t, file, "redact me")
		})
	}
}
