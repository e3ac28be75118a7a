package draft_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
	"handoff/schemas/sandbox"
)

func TestMain(m *testing.M) { os.Exit(sandbox.New(m).Run()) }

const never = "9999-12-31T23:59:59-05:00"

// sendWithLimit sets the maximum number of handoffs of a workflow.
func sendWithLimit(most float64) schemas.SendIn {
	return schemas.SendIn{Options: &schemas.SendOptions{Limits: map[string]float64{"max_handoffs": most}}}
}

func TestSend_RefusesInvalidFields(t *testing.T) {
	for name, c := range map[string]struct {
		in          schemas.SendIn
		code        schemas.Code
		field, says string
	}{
		"a deadline too far away":   {schemas.SendIn{Deadline: never}, schemas.Invalid, "deadline", "ten years"},
		"a delay too long":          {schemas.SendIn{Options: &schemas.SendOptions{NotBefore: never}}, schemas.Invalid, "options.not_before", "ten years"},
		"a timeout of no time":      {schemas.SendIn{Expectations: &schemas.Expectations{Timeout: "0s"}}, schemas.Invalid, "expectations.timeout", "leaves no time"},
		"a negative limit":          {sendWithLimit(-3), schemas.Invalid, "options.limits.max_handoffs", "no room"},
		"a limit of nothing":        {sendWithLimit(0), schemas.Invalid, "options.limits.max_handoffs", "no room"},
		"a limit of a half":         {sendWithLimit(0.5), schemas.Invalid, "options.limits.max_handoffs", "no room"},
		"more tags than a list has": {schemas.SendIn{Tags: []string{strings.Repeat("t,", 33)}}, schemas.Limit, "tags", "33 tags"},
		"a long summary":            {schemas.SendIn{Summary: strings.Repeat("é", schemas.MaxSummary+1)}, schemas.Limit, "summary", "4097 characters"},
		"a rollback to the rules":   {schemas.SendIn{Rollback: &schemas.Rollback{OnFailure: schemas.System}}, schemas.Invalid, "rollback.on_failure", "no mailbox"},
	} {
		t.Run(name, func(t *testing.T) {
			w, a := mailboxtest.NewWithAgent(t, "a")
			c.in.To, c.in.Task = "b", "x"
			require.Equal(t, c.field, mailboxtest.RequireRefusal(t, w.Send, a, c.in, c.code, c.says).Field)
			require.Empty(t, w.Events(), "nothing is left behind")
		})
	}
}

func TestSend_CountsCharactersOfTexts(t *testing.T) {
	w, a := mailboxtest.NewWithAgent(t, "a")
	w.Sends(a, "c", "x", func(in *schemas.SendIn) { in.Summary = strings.Repeat("é", schemas.MaxSummary) })
}

func TestSend_LimitsChainToOneToTenHandoffs(t *testing.T) {
	for most, sent := range map[float64]int{1: 1, 2.9: 2, 1e12: 10} {
		w, by := mailboxtest.NewWithAgent(t, "a")
		in := sendWithLimit(most)
		in.To, in.Task, in.Parent = "b", "x", "none"
		for range sent {
			in.Parent = mailboxtest.Must(t, w.Send, by, in).HandoffID.String()
		}
		mailboxtest.RequireRefusal(t, w.Send, by, in, schemas.Limit, "Max handoffs")
	}
}

func TestAmend_RefusesInvalidFields(t *testing.T) {
	w, a := mailboxtest.NewWithAgent(t, "a")
	w.Sends(a, "b", "x")
	data := func(key string) schemas.Changes {
		return schemas.Changes{Data: map[string]string{key: strings.Repeat("x", schemas.MaxDetail/2)}}
	}
	w.Updates(a, 1, schemas.ActAmend, mailboxtest.WithChanges(data("one")))
	for field, c := range map[string]struct {
		changes schemas.Changes
		code    schemas.Code
		says    string
	}{
		"changes.data":                {data("two"), schemas.Limit, "65536"},
		"changes.deadline":            {schemas.Changes{Deadline: never}, schemas.Invalid, "ten years"},
		"changes.rollback.on_failure": {schemas.Changes{Rollback: &schemas.Rollback{OnFailure: schemas.System}}, schemas.Invalid, "no mailbox"},
	} {
		e := w.RefusesUpdate(a, 1, schemas.ActAmend, c.code, c.says, mailboxtest.WithChanges(c.changes))
		require.Equal(t, field, e.Field)
	}
	require.Len(t, w.FullView(1).Handoff.Data, 1)
}
