package reading_test

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
)

func TestGet_ShowsEachPartOfOutcomeOnce(t *testing.T) {
	w, lead, coder := mailboxtest.NewWithTwoAgents(t, "lead", "coder")
	w.Sends(lead, "coder", "x", func(in *schemas.SendIn) {
		in.Expectations = &schemas.Expectations{SuccessCriteria: []string{"all green"}}
	})
	w.Claims(coder)
	w.Updates(coder, 1, schemas.ActProgress, mailboxtest.WithNote("half, the rest is next"))
	w.Completes(coder, 1, func(in *schemas.CompleteIn) {
		in.Verification = &schemas.Verification{Criteria: []schemas.Criterion{{Criterion: "1", Met: true, Evidence: "TestAll"}}}
	})
	outcome := mailboxtest.Must(t, w.Get, lead, schemas.GetIn{HandoffID: "1", View: "outcome"})
	require.Equal(t, "TestAll", outcome.Completion.Criteria[0].Evidence)
	b, err := json.Marshal(outcome)
	require.NoError(t, err)
	for _, noise := range []string{"verification", "agent_id", "holder_id", "standing", "completion_id", "half"} {
		require.NotContains(t, string(b), noise)
	}
	full := w.FullView(1)
	require.Empty(t, full.Standing.Note, "the report is history")
	require.NotEmpty(t, full.Completion.CompletionID)
	require.NotEmpty(t, full.Completion.Verification.Criteria)
}

func TestGet_ShowsReasonOfCancel(t *testing.T) {
	w, lead := mailboxtest.NewWithAgent(t, "lead")
	w.Sends(lead, "coder", "x")
	w.Updates(lead, 1, schemas.ActCancel, mailboxtest.WithNote("not needed"))
	require.Equal(t, "not needed", w.FullView(1).Standing.Note)
}

func TestGet_SplitsFullViewIntoParts(t *testing.T) {
	w, lead := mailboxtest.NewWithAgent(t, "lead")
	w.Sends(lead, "coder", "x", func(in *schemas.SendIn) { in.Detail = strings.Repeat("long \"text\" ", 2000) })
	get := func(tokens, offset int) schemas.GetOut {
		out := mailboxtest.Must(t, w.Get, lead, schemas.GetIn{HandoffID: "1", View: "full", MaxTokens: tokens, Offset: offset})
		return out
	}
	require.NotNil(t, get(100_000, 0).Handoff, "it fits")
	for _, tokens := range []int{0, 1000} {
		whole, parts := "", 0
		for out := get(tokens, 0); ; out = get(tokens, out.NextOffset) {
			require.Nil(t, out.Handoff)
			require.LessOrEqual(t, len(out.Content), 4*cmp.Or(tokens, 2500))
			whole, parts = whole+out.Content, parts+1
			if out.NextOffset == 0 {
				break
			}
		}
		var read schemas.GetOut
		require.NoError(t, json.Unmarshal([]byte(whole), &read))
		require.Equal(t, get(100_000, 0).Handoff.Detail, read.Handoff.Detail)
		require.Greater(t, parts, 1)
	}
}

func TestGet_ReturnsPartOfOutcomeByReference(t *testing.T) {
	w, lead, qa := mailboxtest.NewWithTwoAgents(t, "lead", "qa")
	w.Sends(lead, "qa", "x")
	w.Pass(2 * time.Hour)
	w.Claims(qa)
	w.Completes(qa, 1, func(in *schemas.CompleteIn) { in.Detail = "# Head\na\n# Tail\nb\n" })
	list := mailboxtest.Must(t, w.List, lead, schemas.ListIn{Box: "sent", Since: "1h"})
	require.Len(t, list.Items, 1)
	out := mailboxtest.Must(t, w.Get, lead, schemas.GetIn{HandoffID: "1", Reference: "outcome/detail#Tail"})
	require.Equal(t, "# Tail\nb\n", out.Content)
	_, err := w.Get(t.Context(), lead, schemas.GetIn{HandoffID: "1", Reference: "detail"})
	mailboxtest.RequireError(t, err, schemas.NotFound, "What came of it is below outcome/, as outcome/detail.")
	w.Sends(lead, "dev", "y", func(in *schemas.SendIn) {
		in.Context = &schemas.Context{References: []schemas.Reference{{Name: "log", URL: "context://ho_1/outcome/detail"}}}
	})
}

func TestGet_ShowsSenderWhetherMessageWasRead(t *testing.T) {
	w, lead, coder, other := mailboxtest.NewWithThreeAgents(t, "lead", "coder", "other")
	w.Sends(lead, "another", "x", mailboxtest.Message)
	id := w.Sends(lead, "coder", "you may stop", mailboxtest.Message).NoticeID.String()
	get := func(by schemas.Caller) (schemas.GetOut, error) {
		return w.Get(context.Background(), by, schemas.GetIn{HandoffID: id})
	}
	for _, read := range []bool{false, true} {
		got, err := get(lead)
		require.NoError(t, err)
		require.Equal(t, "you may stop", got.Notice.Text)
		require.Equal(t, read, *got.Read)
		_, err = get(other)
		mailboxtest.RequireError(t, err, schemas.NotFound, "other has no notice")
		_, err = get(coder)
		require.NoError(t, err)
	}
}

func TestGet_NamesAddressOfExternalReference(t *testing.T) {
	w, a := mailboxtest.NewWithAgent(t, "a")
	w.Sends(a, "b", "x", func(in *schemas.SendIn) {
		in.Context = &schemas.Context{References: []schemas.Reference{{Name: "log", URL: "https://ci/log"}}}
	})
	in := schemas.GetIn{HandoffID: "1", View: "reference", Reference: "log"}
	mailboxtest.RequireRefusal(t, w.Get, a, in, schemas.NotFound, "It is at https://ci/log, which handoff cannot fetch.")
}
