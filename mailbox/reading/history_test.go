package reading_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
)

// sampleHistory plays work with a question, a lost holder, a second claim and a dependency, and returns its history.
func sampleHistory(t *testing.T, format string) (*mailboxtest.World, schemas.HistoryOut) {
	w, lead, coder := mailboxtest.NewWithTwoAgents(t, "lead", "coder")
	w.Sends(lead, "coder", "Write the report", func(in *schemas.SendIn) { in.Workflow = "one" })
	w.Sends(lead, "coder", "Describe it", func(in *schemas.SendIn) {
		in.Workflow, in.Options = "one", &schemas.SendOptions{After: []string{"ho_1"}}
	})
	w.Claims(coder)
	w.Pass(4 * time.Minute)
	w.Updates(coder, 1, schemas.ActAsk, mailboxtest.WithQuestions("Which unit?", "A sum?"))
	w.Pass(30 * time.Minute)
	w.Updates(lead, 1, schemas.ActAnswer, mailboxtest.WithNote("1. Seconds. 2. No."))
	w.Claims(coder)
	w.Pass(2 * time.Minute)
	w.Updates(coder, 1, schemas.ActProgress, mailboxtest.WithNote("The table is done"), func(in *schemas.UpdateIn) { in.Percent = 50 })
	mailboxtest.Must(t, w.Detach, coder, schemas.ConnIn{Conn: coder.Conn})
	w.Pass(time.Minute)
	again := coder
	again.Conn = "conn-again"
	mailboxtest.Must(t, w.Attach, again, schemas.ConnIn{Conn: again.Conn})
	w.Claims(again)
	w.Pass(time.Minute)
	w.Completes(again, 1, func(in *schemas.CompleteIn) { in.Summary = "Both forms are printed." })
	out := mailboxtest.Must(t, w.History, lead, schemas.HistoryIn{Workflow: "one", Format: format})
	return w, out
}

func TestHistory_TreeShowsEventsOfHandoffs(t *testing.T) {
	_, out := sampleHistory(t, "tree")
	require.True(t, out.LogVerified)
	for _, line := range []string{
		"- coder asked: 1. Which unit? 2. A sum?", "- lead answered: 1. Seconds. 2. No.",
		"- coder reported: 50%: The table is done", "- the connection of its holder ended", "- coder took it up again",
		"Summary: Both forms are printed.", "Duration: 7 min, and 31 min waiting", "After: ho_1",
	} {
		require.Contains(t, out.Tree, line)
	}
}

func TestHistory_RowsHaveEventsAndDependencies(t *testing.T) {
	_, out := sampleHistory(t, "rows")
	first, second := out.Items[0], out.Items[1]
	var said []string
	for _, m := range first.Story {
		said = append(said, m.Action)
	}
	require.Equal(t, "asked answered progress disconnected reclaimed", strings.Join(said, " "))
	require.Equal(t, []int{7 * 60, 31 * 60}, []int{first.Seconds, first.Waited})
	require.Equal(t, "Both forms are printed.", first.Summary)
	require.Equal(t, []schemas.ID{1}, second.After)
}

func TestHistory_DiagramDashesDependencies(t *testing.T) {
	_, out := sampleHistory(t, "mermaid")
	require.Contains(t, out.Mermaid, "ho_1 -.-> ho_2\n")
	require.Contains(t, out.Mermaid, "lead answered: 1. Seconds. 2. No.")
	require.Contains(t, out.Mermaid, "Both forms are printed.")
}

func TestHistory_OutputIsFromHandoffCompletedLast(t *testing.T) {
	w, a, b := mailboxtest.NewWithTwoAgents(t, "a", "b")
	for range 2 {
		w.Assigns(a, b, "x", func(in *schemas.SendIn) { in.Workflow = "one" })
	}
	w.Completes(b, 2, func(in *schemas.CompleteIn) { in.Summary = "ended first" })
	w.Pass(time.Minute)
	w.Completes(b, 1, func(in *schemas.CompleteIn) { in.Summary = "ended last" })
	out := mailboxtest.Must(t, w.History, a, schemas.HistoryIn{Workflow: "one"})
	require.Equal(t, "ended last", out.Output)
}

func TestGet_SeparatesEventsFromAudit(t *testing.T) {
	w, _ := sampleHistory(t, "tree")
	get := func(view schemas.View) schemas.GetOut {
		return mailboxtest.Must(t, w.Get, mailboxtest.Human, schemas.GetIn{HandoffID: "1", View: view})
	}
	events, audit := get("events"), get("audit")
	require.Len(t, events.Events, len(audit.Audit))
	texts := map[string]string{}
	for _, e := range events.Events {
		texts[e.Action] = e.Text
	}
	require.Equal(t, "1. Which unit? 2. A sum?", texts["asked"])
	require.Equal(t, "1. Seconds. 2. No.", texts["answered"])
	require.Equal(t, "Both forms are printed.", texts["completed"])
	b, err := schemas.Encode(events)
	require.NoError(t, err)
	require.NotContains(t, string(b), "conn-")
	require.NotEmpty(t, audit.Audit[0].State)
}
