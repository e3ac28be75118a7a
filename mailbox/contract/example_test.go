package contract_test

import (
	"fmt"

	"handoff/mailbox/contract"
	"handoff/schemas"
)

func ExampleCompare() {
	asked := &schemas.Expectations{
		Deliverables: []schemas.Deliverable{{
			Type:     "code",
			Criteria: []string{"Implements all spec requirements", "Includes unit tests"},
		}},
		SuccessCriteria: []string{"Passes type checking"},
	}
	answer := &schemas.Verification{Criteria: []schemas.Criterion{
		{Criterion: "1", Met: true, Evidence: "reviewed against the spec"},
		{Criterion: "Passes type checking", Met: false, Evidence: "tsc: 2 errors"},
	}}

	_, err := contract.Compare(asked, answer, false, nil)
	fmt.Println(err)

	answer.Criteria = append(answer.Criteria, schemas.Criterion{Criterion: "#2", Met: true})
	answered, _ := contract.Compare(asked, answer, false, nil)
	fmt.Println(contract.CompletionOutcome(schemas.Completion{Criteria: answered}, ""), contract.UnmetCriteria(answered)[0].Evidence)
	// Output:
	// verification.criteria: criteria not answered, 1 of 3: 2: Includes unit tests
	// partial tsc: 2 errors
}
