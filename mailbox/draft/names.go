package draft

import (
	"cmp"
	"fmt"
	"strings"

	"handoff/mailbox/contract"
	"handoff/schemas"
)

// names checks what the caller names: the workflow, the checks, the schema, the limits, and a foreign id,
// which has 128 bytes at most. What these names lead to is looked up later, in the transaction: here only their form is
// judged.
func (d *Draft) names(in schemas.SendIn) (err error) {
	if in.Workflow != "" {
		if d.Workflow, err = schemas.ParseWorkflow("workflow", in.Workflow); err != nil {
			return err
		}
	}
	err = cmp.Or(checkNamed(in.Expectations), schemas.CheckLimits("options.limits", in.Options.Limits))
	if err != nil {
		return err
	}
	d.Parent, d.Limits = in.Parent, in.Options.Limits
	return schemas.TooBig("origin.handoff_id", len(schemas.OrZero(in.Origin).HandoffID), 128)
}

// checkNamed checks the names of checks, and the schema of the output.
func checkNamed(e *schemas.Expectations) error {
	for i, name := range schemas.OrZero(e).Checks {
		if !schemas.IsWord(name) {
			return schemas.Invalidf(fmt.Sprintf("expectations.checks[%d]", i), "%q is no name of a check", schemas.Visible(schemas.Clip(name, 80))).
				WithHint("Name a check that .handoff/checks.yaml defines, as test: a handoff brings no commands. Nothing was sent.")
		}
	}
	if base := schemas.OrZero(e).Base; base != "" && (len(base) != 40 && len(base) != 64 || !schemas.IsCommit(base)) {
		return schemas.Invalidf("expectations.base", "%q is no whole id of a commit, and a branch or tag may move",
			schemas.Visible(schemas.Clip(base, 80))).WithHint("git rev-parse BRANCH tells it, with 40 or 64 digits. Nothing was sent.")
	}
	_, err := contract.Compile(schemas.OrZero(e).OutputSchema)
	return err
}

// A Reader gives the address that is read for what somebody wrote in a field, as [schemas.ParseAddress] does.
type Reader func(field, s string) (schemas.Address, error)

// Named reads who reviews the work and who takes it back after a failure. Where one is read otherwise than it was
// written, a copy has it.
func Named(e *schemas.Expectations, back *schemas.Rollback, read Reader) (*schemas.Expectations, *schemas.Rollback, error) {
	if review := schemas.OrZero(e).Review; review != "" {
		to, err := read("expectations.review", review)
		if err != nil {
			return e, back, err
		}
		said := *e
		said.Review, e = string(to), &said
	}
	if name := schemas.OrZero(back).OnFailure; name != "" {
		to, err := read.Mailbox("rollback.on_failure", string(name))
		if err != nil {
			return e, back, err
		}
		said := *back
		said.OnFailure, back = to, &said
	}
	return e, back, nil
}

// Mailbox reads the name of somebody who has a mailbox: of an agent, or human.
func (read Reader) Mailbox(field, name string) (schemas.Agent, error) {
	address, err := read(field, name)
	if err != nil {
		return "", err
	}
	to, directed := address.Directed()
	if !directed {
		return "", schemas.Invalidf(field, "%q is not one agent", schemas.Visible(name)).WithHint("Name one agent, or human.")
	}
	return to, nil
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
