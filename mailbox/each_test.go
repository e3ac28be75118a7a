package mailbox_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/mailbox"
	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
)

// outcomesIn returns the handoffs whose outcomes are in a brief, such as "ho_1 by qa", in its order.
func outcomesIn(brief string) (told []string) {
	for _, m := range regexp.MustCompile(`(?m)^- Result of (ho_\d+), .*, success( by \w+): done$`).FindAllStringSubmatch(brief, -1) {
		told = append(told, m[1]+m[2])
	}
	return told
}

func TestBrief_ListsOutcomesInOrderOfDependencies(t *testing.T) {
	w, lead, qa, dev := newTrio(t, "lead", "qa", "dev")
	for _, task := range []string{"one", "two", "three"} {
		w.Sends(lead, "qa", task)
	}
	w.Sends(lead, "dev", "Join them", mailboxtest.NoParent, mailboxtest.After("3", "HO-001", "2"))
	for range 2 {
		w.Completes(qa, w.Claims(qa).HandoffID)
	}
	rework := w.Updates(lead, 1, schemas.ActReturn, note("no")).Created
	w.Claims(qa)
	w.Fails(qa, schemas.FailIn{HandoffID: "3", FailureDetail: because("no disk"), Then: schemas.ThenStop})
	retry := w.Updates(lead, 3, schemas.ActRetry, func(in *schemas.UpdateIn) { in.To = "dev" }).Created
	w.Claims(qa)
	w.Completes(qa, rework, withEvidence("1"))
	require.Equal(t, retry, w.Claims(dev).HandoffID)
	w.Completes(dev, retry)
	want := []string{retry.String() + " by dev", rework.String() + " by qa", "ho_2 by qa"}
	require.Equal(t, want, outcomesIn(w.Claims(dev).Brief))
	got := mailboxtest.Must(t, w.Get, lead, schemas.GetIn{HandoffID: "4"})
	require.Equal(t, want, outcomesIn(got.Brief))

	w.Updates(lead, rework, schemas.ActReturn, note("still no"))
	got = mailboxtest.Must(t, w.Get, lead, schemas.GetIn{HandoffID: "4"})
	require.Equal(t, []string{want[0], want[2]}, outcomesIn(got.Brief), "an outcome that was returned counts no more")
}

// withEach makes a send to qa for each text, with a join for dev.
func withEach(texts ...string) func(*schemas.SendIn) {
	return func(in *schemas.SendIn) {
		in.Options = &schemas.SendOptions{Each: texts, Join: &schemas.Join{To: "dev", Task: "Merge {{each}}"}}
	}
}

func TestSend_WithEachSendsOnePartPerTextAndJoin(t *testing.T) {
	w, lead, qa, dev := newTrio(t, "lead", "qa", "dev")
	out := w.Sends(lead, "qa", "Review {{each}}", withEach("the API", `"web"`), func(in *schemas.SendIn) {
		in.Title, in.Data, in.Key = "Review", map[string]string{"of": "{{ each }}"}, "k"
	})
	require.Equal(t, []schemas.ID{1, 2}, out.Parts)
	require.Equal(t, schemas.ID(3), out.Joined)
	require.Equal(t, schemas.ID(1), out.HandoffID)
	second, join := w.FullView(2).Handoff, w.FullView(3)
	require.Equal(t, `Review ("web")`, second.Title)
	require.Equal(t, `Review "web"`, second.Task)
	require.Equal(t, `"web"`, second.Data["of"])
	require.Equal(t, `Merge the API, "web"`, join.Handoff.Task)
	require.Equal(t, schemas.Workflow("wf_1"), join.Handoff.Metadata.Workflow)
	require.Equal(t, []string{"ho_1", "ho_2"}, join.Standing.BlockedBy)

	w.Claims(qa)
	w.Fails(qa, schemas.FailIn{HandoffID: "1", FailureDetail: because("no access"), Then: schemas.ThenStop})
	require.Equal(t, []string{"blocked", "failed"}, []string{w.Notices(lead)[0].Kind, w.Notices(lead)[1].Kind})
	retry := w.Updates(lead, 1, schemas.ActRetry, func(in *schemas.UpdateIn) { in.To = "qa" }).Created
	for range 2 {
		require.True(t, w.Claims(dev).Empty)
		w.Completes(qa, w.Claims(qa).HandoffID)
	}
	require.Equal(t, []string{retry.String() + " by qa", "ho_2 by qa"}, outcomesIn(w.Claims(dev).Brief))
}

func TestSend_WithEachGivesPartsAndJoinSameParent(t *testing.T) {
	w, lead, qa := newPair(t, "lead", "qa")
	w.Assigns(lead, qa, "Split this")
	out := w.Sends(qa, "{{each}}", "Do it", withEach("a", "b"))
	for _, id := range append(out.Parts, out.Joined) {
		m := w.FullView(id).Handoff.Metadata
		require.Equal(t, []any{schemas.ID(1), 2, schemas.Workflow("wf_1")}, []any{m.Parent, m.Depth, m.Workflow})
	}
	require.Equal(t, schemas.Agent("b"), w.FullView(out.Parts[1]).Handoff.Target.Agent)
	require.Equal(t, "Do it", w.FullView(out.Parts[1]).Handoff.Task)
}

func TestSend_WithEachAndSameKeyReturnsFirstResult(t *testing.T) {
	w, lead := newWorldWith(t, "lead")
	key := func(in *schemas.SendIn) { in.Key = "k" }
	first := w.Sends(lead, "qa", "Review", withEach("a", "b"), key)
	require.Len(t, first.Warnings, 3, "of qa and of dev, whom nobody has seen, and of the text without {{each}}")
	again := w.Sends(lead, "qa", "Review", withEach("a", "b"), key)
	require.Equal(t, []any{first.Parts, first.Joined}, []any{again.Parts, again.Joined})
	for _, other := range []func(*schemas.SendIn){
		withEach("a"), withEach("a", "c"), func(in *schemas.SendIn) { withEach("a", "b")(in); in.Options.Join.Task = "Else" },
	} {
		in := schemas.SendIn{To: "qa", Task: "Review", Key: "k"}
		other(&in)
		mailboxtest.RequireRefusal(t, w.Send, lead, in, schemas.Conflict, "was used for other content")
	}
}

func TestSend_WithEachSendsNothingIfOnePartIsRefused(t *testing.T) {
	few := callerWithPendingLimit("lead", 2)
	for name, test := range map[string]struct {
		by    schemas.Caller
		alter func(*schemas.SendIn)
		code  schemas.Code
		field string
	}{
		"no text":                    {alter: withEach([]string{}...), code: schemas.Invalid, field: "options.each"},
		"an empty text":              {alter: withEach("a", " "), code: schemas.Invalid, field: "options.each[1]"},
		"a text twice":               {alter: withEach("a", "b", "a"), code: schemas.Invalid, field: "options.each[2]"},
		"a long text":                {alter: withEach(strings.Repeat("a", 201)), code: schemas.Limit, field: "options.each[0]"},
		"a message":                  {alter: mailboxtest.Message, code: schemas.Invalid, field: "options.each"},
		"a join that is a message":   {alter: func(in *schemas.SendIn) { in.Options.Join.Type = schemas.TypeMessage }, code: schemas.Invalid, field: "options.join.type"},
		"a join for nobody":          {alter: func(in *schemas.SendIn) { in.Options.Join.To = "" }, code: schemas.Invalid, field: "options.join.to"},
		"an unknown dependency":      {alter: func(in *schemas.SendIn) { in.Options.Join.Options = &schemas.JoinOptions{After: []string{"9"}} }, code: schemas.NotFound, field: "options.join.options.after[2]"},
		"a full mailbox":             {alter: func(in *schemas.SendIn) { in.Options.Join.To = "qa" }, code: schemas.Limit, field: "options.join.to"},
		"a token with a lower limit": {by: few, code: schemas.Limit, field: "options.join"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, func(c *mailbox.Config) { c.Limits.Mailbox = 2 })
			in := schemas.SendIn{To: "qa", Task: "Review"}
			withEach("a", "b")(&in)
			if test.by.Agent == "" {
				test.by = w.Stdio("lead")
			}
			if test.alter != nil {
				test.alter(&in)
			}
			require.Equal(t, test.field, mailboxtest.RequireRefusal(t, w.Send, test.by, in, test.code, "").Field)
			require.Equal(t, schemas.ID(1), w.Sends(w.Stdio("lead"), "qa", "the first").HandoffID)
		})
	}
}

func TestEach_IsRefusedForReturnAndContinuation(t *testing.T) {
	w, a, b, _ := newCompletedWork(t)
	several := schemas.SendOptions{Each: []string{"x"}}
	_, err := w.TryUpdate(a, 1, schemas.ActReturn, note("no"), withOptions(several))
	require.Equal(t, "changes.options", refused(t, err, schemas.Invalid, "send_handoff").Field)
	w.Assigns(a, b, "y")
	_, err = w.Complete(t.Context(), b, schemas.CompleteIn{HandoffID: "2", Result: schemas.Result{
		Summary: "done", Continuation: &schemas.Continuation{SendIn: schemas.SendIn{To: "c", Task: "z", Options: &several}},
	}})
	require.Equal(t, "continuation.options", refused(t, err, schemas.Invalid, "send_handoff").Field)
}

func TestSend_DryRunWithEachChecksAllParts(t *testing.T) {
	w := newWorld(t)
	dry := func(in *schemas.SendIn) { in.DryRun = true }
	out := w.Sends(w.Stdio("lead"), "qa", "Review {{each}}", withEach("a", "b"), dry)
	require.Contains(t, out.Brief, "> Review a\n")
	require.Contains(t, out.Warnings, "this is the first of 2 parts, and one more waits for all of them")
	require.Equal(t, []any{"dry_run", 0, schemas.ID(0)}, []any{out.Status, len(out.Parts), out.Joined})
	in := schemas.SendIn{To: "qa", Task: "x", DryRun: true}
	withEach("a")(&in)
	in.Options.Join.Deadline = "yesterday"
	_, err := w.Send(t.Context(), w.Stdio("lead"), in)
	require.Equal(t, "options.join.deadline", refused(t, err, schemas.Invalid, "").Field)
}

func TestRule_WithEachSendsPartsAndJoin(t *testing.T) {
	w, lead, dev := newPair(t, "lead", "dev")
	several := schemas.SendIn{To: "qa", Task: "Check {{each}} of {{root.task}}", Options: &schemas.SendOptions{Each: []string{"a", "b"}}}
	w.DeclareRules([]schemas.Route{{On: []string{"completed"}, When: `handoff.to == "dev"`, Send: []schemas.SendIn{several}, Join: &schemas.SendIn{To: "ops", Task: "Ship"}}})
	w.Assigns(lead, dev, "it")
	out := w.Completes(dev, 1)
	require.Equal(t, []schemas.ID{2, 3}, out.Forwarded.Parts)
	require.Equal(t, []string{"qa pending Check a of it", "qa pending Check b of it", "ops pending Ship"}, w.SentByRules())
	require.Equal(t, "done", w.FullView(3).Handoff.Summary)
	require.Equal(t, []string{"ho_2", "ho_3"}, w.FullView(4).Standing.BlockedBy)
}
