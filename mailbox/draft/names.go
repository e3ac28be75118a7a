package draft

import (
	"cmp"
	"fmt"
	"strings"

	"handoff/mailbox/contract"
	"handoff/schemas"
)

// names checks what the caller names: the workflow, the agent for a failure, the schema, the limits, and a foreign id,
// which has 128 bytes at most. What these names lead to is looked up later, in the transaction: here only their form is
// judged.
func (d *Draft) names(in schemas.SendIn) (err error) {
	if in.Workflow != "" {
		if d.Workflow, err = schemas.ParseWorkflow("workflow", in.Workflow); err != nil {
			return err
		}
	}
	err = cmp.Or(checkNamed(in.Expectations, in.Rollback), schemas.CheckLimits("options.limits", in.Options.Limits))
	if err != nil {
		return err
	}
	d.Parent, d.Limits = in.Parent, in.Options.Limits
	if in.Origin != nil {
		return schemas.TooBig("origin.handoff_id", len(in.Origin.HandoffID), 128)
	}
	return nil
}

// checkNamed checks who takes the work back after a failure, the names of checks, who reviews, and the schema of the
// output.
func checkNamed(e *schemas.Expectations, rollback *schemas.Rollback) error {
	if to := schemas.OrZero(rollback).OnFailure; to != "" {
		if err := CheckMailbox("rollback.on_failure", string(to)); err != nil {
			return err
		}
	}
	for i, name := range schemas.OrZero(e).Checks {
		if !schemas.IsWord(name) {
			return schemas.Invalidf(fmt.Sprintf("expectations.checks[%d]", i), "%q is no name of a check", schemas.Visible(schemas.Clip(name, 80))).
				WithHint("Name a check that .handoff/checks.yaml defines, as test: a handoff brings no commands. Nothing was sent.")
		}
	}
	if review := schemas.OrZero(e).Review; review != "" {
		if _, err := schemas.ParseAddress("expectations.review", review); err != nil {
			return err
		}
	}
	_, err := contract.Compile(schemas.OrZero(e).OutputSchema)
	return err
}

// CheckMailbox checks that a name is of somebody who has a mailbox: of an agent, or human.
func CheckMailbox(field, name string) error {
	address, err := schemas.ParseAddress(field, name)
	if err != nil {
		return err
	}
	if _, directed := address.Directed(); !directed {
		return schemas.Invalidf(field, "%q is not one agent", schemas.Visible(name)).WithHint("Name one agent, or human.")
	}
	return nil
}

// foreignKey is the key of a message that has an id of its own: a sender that sends it again sends it once. It is ""
// for a message without an id.
func foreignKey(from *schemas.Origin) string {
	if id := schemas.OrZero(from).HandoffID; id != "" {
		return foreignPrefix + id
	}
	return ""
}

// foreignPrefix begins no key of a caller, since those have no control characters.
const foreignPrefix = "\x00handoff_id "

// ForeignID is the id that a message brought along, of which its key was made; foreign tells whether it was.
func (d *Draft) ForeignID() (id string, foreign bool) { return strings.CutPrefix(d.Key, foreignPrefix) }
