package mailbox_test

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

// outcomesIn are the handoffs whose outcomes a brief tells, as "ho_1 by qa", in its order.
func outcomesIn(brief string) (told []string) {
	for _, m := range regexp.MustCompile(`(?m)^- Result of (ho_\d+), .*, success( by \w+): done$`).FindAllStringSubmatch(brief, -1) {
		told = append(told, m[1]+m[2])
	}
	return told
}

func TestWhatWaitedForSeveralReadsTheirOutcomesInTheOrderOfTheNames(t *testing.T) {
	w := newWorld(t)
	lead, qa, dev := w.stdio("lead"), w.stdio("qa"), w.stdio("dev")
	for _, task := range []string{"one", "two", "three"} {
		w.send(lead, "qa", task)
	}
	w.send(lead, "dev", "Join them", afterwards("3", "HO-001", "2"))
	for range 2 {
		w.complete(qa, w.claim(qa).HandoffID)
	}
	rework := w.update(lead, 1, schemas.ActReturn, note("no")).Created
	w.claim(qa)
	w.fail(qa, schemas.FailIn{HandoffID: "3", FailureDetail: because("no disk"), Then: schemas.ThenStop})
	retry := w.update(lead, 3, schemas.ActRetry, func(in *schemas.UpdateIn) { in.To = "dev" }).Created
	w.claim(qa)
	w.complete(qa, rework, evidence("1"))
	require.Equal(t, retry, w.claim(dev).HandoffID)
	w.complete(dev, retry)
	want := []string{retry.String() + " by dev", rework.String() + " by qa", "ho_2 by qa"}
	require.Equal(t, want, outcomesIn(w.claim(dev).Brief))
	got, err := w.Get(t.Context(), lead, schemas.GetIn{HandoffID: "4"})
	require.NoError(t, err)
	require.Equal(t, want, outcomesIn(got.Brief))

	w.update(lead, rework, schemas.ActReturn, note("still no"))
	got, err = w.Get(t.Context(), lead, schemas.GetIn{HandoffID: "4"})
	require.NoError(t, err)
	require.Equal(t, []string{want[0], want[2]}, outcomesIn(got.Brief), "an outcome that was returned counts no more")
}
