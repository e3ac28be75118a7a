package contract_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/contract"
	"handoff/schemas"
)

// loginExpectations declares four criteria; the third criterion repeats the first.
func loginExpectations() *schemas.Expectations {
	return &schemas.Expectations{
		Deliverables: []schemas.Deliverable{
			{Type: "code", Criteria: []string{"Implements all spec requirements", "Includes unit tests"}},
			{Type: "docs", Criteria: []string{" implements ALL  spec requirements", "Has an example"}},
		},
		SuccessCriteria: []string{"", "No breaking changes to the API"},
	}
}

func criteriaAnswers(names ...string) *schemas.Verification {
	v := &schemas.Verification{}
	for _, name := range names {
		v.Criteria = append(v.Criteria, schemas.Criterion{Criterion: name, Met: true, Evidence: "seen"})
	}
	return v
}

func requireRefusal(t *testing.T, err error, code schemas.Code) *schemas.Error {
	t.Helper()
	var e *schemas.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, code, e.Code)
	return e
}

func TestNumberedCriteria_ListEachTextOnce(t *testing.T) {
	require.Equal(t, []schemas.AnsweredCriterion{
		{Number: 1, Criterion: "Implements all spec requirements"},
		{Number: 2, Criterion: "Includes unit tests"},
		{Number: 3, Criterion: "Has an example"},
		{Number: 4, Criterion: "No breaking changes to the API"},
	}, contract.NumberedCriteria(loginExpectations()))
	require.Empty(t, contract.NumberedCriteria(nil))
	require.Empty(t, contract.NumberedCriteria(&schemas.Expectations{}))
}

func TestCompare_FindsCriteriaByNumberOrText(t *testing.T) {
	for _, names := range [][]string{
		{"1", "2", "3", "4"},
		{"#1", "2.", "(3)", "Criterion 4"},
		{"4", "3", "2", "1"},
		{"Implements all spec requirements", "includes  UNIT tests", "Has an example ", "No breaking changes to the API"},
		{"1. Implements all spec requirements", "2) includes unit tests", "#3: has an example", "4"},
		{"1", "2", "3", "4", "Includes unit tests"},
	} {
		answered, err := contract.Compare(loginExpectations(), criteriaAnswers(names...), false, nil)
		require.NoError(t, err, names)
		require.Len(t, answered, 4)
		for i, a := range answered {
			require.Equal(t, i+1, a.Number)
			require.True(t, a.Met)
			require.Equal(t, "seen", a.Evidence)
		}
		require.Equal(t, schemas.Success, contract.CompletionOutcome(schemas.Completion{Criteria: answered}, ""))
	}
}

func TestCompare_RefusesUnknownCriteria(t *testing.T) {
	for _, name := range []string{"0", "5", "-1", "1.5", "", "unit tests", "2. Has an example", "99999999999999999999"} {
		_, err := contract.Compare(loginExpectations(), criteriaAnswers("1", name), false, nil)
		e := requireRefusal(t, err, schemas.Invalid)
		require.Equal(t, "verification.criteria[1].criterion", e.Field)
		require.Len(t, e.Known, 4)
	}
}

func TestCompare_ListsMissingAnswers(t *testing.T) {
	_, err := contract.Compare(loginExpectations(), criteriaAnswers("2", "4"), false, nil)
	e := requireRefusal(t, err, schemas.Invalid)
	require.Equal(t, "verification.criteria", e.Field)
	require.Equal(t, "criteria not answered, 2 of 4: 1: Implements all spec requirements; 3: Has an example", e.Message)
	require.Equal(t, "Answer each of them too, as {criterion: number, met: true or false, evidence: text}.", e.Hint)

	_, err = contract.Compare(loginExpectations(), nil, false, nil)
	require.Contains(t, requireRefusal(t, err, schemas.Invalid).Message, "4 of 4")
}

func TestCompare_RefusesContradictoryAnswers(t *testing.T) {
	v := criteriaAnswers("1", "2", "3", "4", "includes unit tests")
	v.Criteria[4].Met = false
	_, err := contract.Compare(loginExpectations(), v, false, nil)
	require.Contains(t, requireRefusal(t, err, schemas.Invalid).Message, "2: Includes unit tests")
}

func TestCompare_JoinsEvidenceOfRepeatedAnswers(t *testing.T) {
	v := criteriaAnswers("1", "2", "3", "4", "2", "2")
	v.Criteria[4].Evidence = "CI is green"
	v.Criteria[5].Evidence = ""
	answered, err := contract.Compare(loginExpectations(), v, false, nil)
	require.NoError(t, err)
	require.Equal(t, "seen; CI is green", answered[1].Evidence)
}

func TestCompletionOutcome_IsPartialWithUnmetCriterion(t *testing.T) {
	v := criteriaAnswers("1", "2", "3", "4")
	v.Criteria[2].Met = false
	answered, err := contract.Compare(loginExpectations(), v, false, nil)
	require.NoError(t, err)
	require.Equal(t, schemas.Partial, contract.CompletionOutcome(schemas.Completion{Criteria: answered}, ""))
	require.Equal(t, []schemas.AnsweredCriterion{{Number: 3, Criterion: "Has an example", Evidence: "seen"}}, contract.UnmetCriteria(answered))

	strict := loginExpectations()
	strict.Strict = true
	_, err = contract.Compare(strict, v, false, nil)
	require.Contains(t, requireRefusal(t, err, schemas.Conflict).Message, "3: Has an example")
}

func TestCompare_AcceptsResultWithoutCriteria(t *testing.T) {
	answered, err := contract.Compare(nil, &schemas.Verification{TestsPassed: 3}, false, nil)
	require.NoError(t, err)
	require.Nil(t, answered)
	require.Equal(t, schemas.Success, contract.CompletionOutcome(schemas.Completion{Criteria: answered}, ""))

	_, err = contract.Compare(nil, criteriaAnswers("All tests pass"), false, nil)
	require.Contains(t, requireRefusal(t, err, schemas.Invalid).Message, "declares no criteria")
}

func TestCompare_LimitsListsInErrors(t *testing.T) {
	e := &schemas.Expectations{}
	for i := range 100 {
		e.SuccessCriteria = append(e.SuccessCriteria, string(rune('a'+i%26))+"\x1b[31m"+string(rune('a'+i/26)))
	}
	_, err := contract.Compare(e, nil, false, nil)
	message := requireRefusal(t, err, schemas.Invalid).Message
	require.Contains(t, message, "and 80 more")
	require.NotContains(t, message, "\x1b")
}
