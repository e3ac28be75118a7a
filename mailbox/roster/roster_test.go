package roster_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/roster"
	"handoff/schemas"
)

func TestQualifies_ComparesNameCapabilityOrRole(t *testing.T) {
	qa := schemas.Card{Name: "qa", Accepts: []string{"code", "test_request"}}
	jack := schemas.Card{Name: "jack", Accepts: []string{"*"}}
	tester := schemas.Card{Name: "RedStone", Role: "testing-specialist"}
	for _, c := range []struct {
		name        string
		card        schemas.Card
		to          schemas.Address
		generalists bool
		want        bool
	}{
		{"own name", qa, "qa", false, true},
		{"other name", qa, "qa-2", false, false},
		{"capability", qa, "capability:code", false, true},
		{"other capability", qa, "capability:specification", true, false},
		{"generalist unasked", jack, "capability:code", false, false},
		{"generalist asked", jack, "capability:code", true, true},
		{"role", tester, "role:testing-specialist", false, true},
		{"role, short", tester, "role:testing", false, true},
		{"other role", tester, "role:fixing", false, false},
		{"no role", qa, "role:testing", true, false},
		{"no role, empty", qa, "role:", false, false},
		{"skills do not qualify", schemas.Card{Name: "a", Skills: []string{"code"}}, "capability:code", true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, roster.Qualifies(c.card, c.to, c.generalists))
		})
	}
}

func TestAcceptsType_ComparesDeclaredTypes(t *testing.T) {
	qa := schemas.Card{Name: "qa", Accepts: []string{"code"}}
	for workType, want := range map[string]bool{
		"code": true, "specification": false, "Code": true, "codes": true, "code_review": false, "review": true, "coder": false,
		"": true, "task_handoff": true, "message": true,
		"test_failure_report": true, "fix_complete": true, "verification_request": true,
	} {
		require.Equal(t, want, roster.AcceptsType(qa, workType), workType)
	}
	require.True(t, roster.AcceptsType(schemas.Card{Name: "anyone"}, "code"), "nothing declared")
	require.True(t, roster.AcceptsType(schemas.Card{Name: "jack", Accepts: []string{"*"}}, "code"))
}

func TestMissingProducts_ComparesWordsAndTheirKinds(t *testing.T) {
	qa := schemas.Card{Name: "qa", Produces: []string{"test_results", "bug-fix", "security report", "api-docs", "policy", "code review", "cs"}}
	for asked, want := range map[string]bool{
		"Test Results": true, "testResults": true, "bug fixes": true, "BugFix": true, "report": true, "docs": true, "policies": true,
		"audit of the test results": true, "test": false, "code": false, "c": false, "results of the audit": false, "class": false, "": false,
	} {
		require.Equal(t, want, roster.Produces(qa, []string{asked}), asked)
	}
}

func TestBoxesForCard_ListsNameCapabilitiesAndRoles(t *testing.T) {
	for _, c := range []struct {
		card schemas.Card
		want []schemas.Address
	}{
		{schemas.Card{Name: "solo"}, []schemas.Address{"solo"}},
		{
			schemas.Card{Name: "qa", Accepts: []string{"code", "*", "code", ""}, Role: "testing"},
			[]schemas.Address{"qa", "capability:code", "capability:*", "role:testing", "role:testing-specialist"},
		},
		{
			schemas.Card{Name: "RedStone", Role: "testing-specialist"},
			[]schemas.Address{"RedStone", "role:testing-specialist", "role:testing"},
		},
	} {
		require.Equal(t, c.want, roster.BoxesForCard(c.card))
	}
}

func TestBoxesForCard_AgreesWithQualifies(t *testing.T) {
	card := schemas.Card{Name: "qa", Accepts: []string{"code", "*"}, Role: "testing-specialist"}
	for _, box := range roster.BoxesForCard(card) {
		require.True(t, roster.Qualifies(card, box, false), box)
	}
}

func TestPoolSearchWords_AreOnEveryQualifyingCard(t *testing.T) {
	cards := []schemas.Card{
		{Accepts: []string{"a<b", "review"}},
		{Accepts: []string{roster.Anything}},
		{Role: "testing"},
		{Role: "testing-specialist"},
	}
	for _, to := range []schemas.Address{"capability:review", "capability:a<b", "role:testing", "role:testing-specialist"} {
		for _, generalists := range []bool{false, true} {
			for _, card := range cards {
				said := slices.ContainsFunc(roster.PoolSearchWords(to, generalists), func(word string) bool {
					return card.Role == word || slices.Contains(card.Accepts, word)
				})
				require.True(t, said || !roster.Qualifies(card, to, generalists), "%v for %s", card, to)
			}
		}
	}
}
