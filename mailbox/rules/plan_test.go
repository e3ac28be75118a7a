package rules_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/rules"
	"handoff/schemas"
	"handoff/schemas/sandbox"
)

func TestMain(m *testing.M) { os.Exit(sandbox.New(m).Run()) }

func oneStep(name, when string) []schemas.PlanStep {
	return []schemas.PlanStep{{Step: name, When: when, SendIn: schemas.SendIn{To: name, Task: "x"}}}
}

// The next step is the first one behind whose condition holds; later steps do not matter.
func TestPlan_ContinuesWithFirstStepWhoseConditionHolds(t *testing.T) {
	set, problems := rules.Compile(nil, []schemas.Plan{{Name: "p", Steps: [][]schemas.PlanStep{
		oneStep("do", ""), oneStep("fix", "!outcome.passed"), oneStep("tell", `outcome.status == "failed"`), oneStep("ship", ""), oneStep("rest", ""),
	}}})
	require.Empty(t, problems)
	for _, c := range []struct {
		name string
		came rules.Outcome
		next []string
	}{
		{"both conditions hold", rules.Outcome{Status: "failed"}, []string{"fix"}},
		{"the first holds", rules.Outcome{Status: "partial"}, []string{"fix"}},
		{"only the second holds", rules.Outcome{Status: "failed", Passed: true}, []string{"tell"}},
		{"none holds, and it was done well", rules.Outcome{Status: "success", Passed: true}, []string{"ship"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var next []string
			for _, sends := range set.SendsAfter("completed", &rules.Facts{Handoff: rules.Handoff{Step: "p/do"}, Outcome: c.came}) {
				next = append(next, sends.Parts[0].To)
			}
			require.Equal(t, c.next, next)
		})
	}
	require.Empty(t, set.SendsAfter("completed", &rules.Facts{Handoff: rules.Handoff{Step: "other/do"}, Outcome: rules.Outcome{Passed: true}}))
	require.Empty(t, set.SendsAfter("sent", &rules.Facts{Handoff: rules.Handoff{Step: "p/do"}, Outcome: rules.Outcome{Passed: true}}))
}

func TestFirstStepSend_RefusesTextsThatTakeTooLong(t *testing.T) {
	costly := "{{[1, 2, 3, 4, 5, 6, 7, 8, 9].all(a, [1, 2, 3, 4, 5, 6, 7, 8, 9].all(b, [1, 2, 3, 4, 5, 6, 7, 8].all(c, a + b + c < 99)))}}"
	for times, refused := range map[int]bool{1: false, 300: true} {
		first := oneStep("do", "")
		first[0].Task = strings.Repeat(costly, times)
		set, problems := rules.Compile(nil, []schemas.Plan{{Name: "p", Steps: [][]schemas.PlanStep{first}}})
		require.Empty(t, problems)
		sent, err := set.FirstStepSend("p", schemas.SendIn{Task: "x"})
		if refused {
			require.Equal(t, schemas.Limit, schemas.AsError(err).Code)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, "true", sent.Task)
	}
}

func TestCheck_RefusesPlanWithInvalidStepOrder(t *testing.T) {
	unconditional, when, next := oneStep("a", ""), oneStep("b", "true"), oneStep("c", "")
	next[0].Next = "nowhere"
	for says, steps := range map[string][][]schemas.PlanStep{
		"the first step is one handoff":               {when},
		"steps side by side have no condition":        {unconditional, {when[0], oneStep("d", "")[0]}},
		"after steps side by side comes one step":     {unconditional, {oneStep("d", "")[0], oneStep("e", "")[0]}, when},
		`"nowhere" is no single step after the first`: {unconditional, next},
	} {
		require.ErrorContains(t, rules.Check("", nil, []schemas.Plan{{Name: "p", Steps: steps}}), says)
	}
}
