package draft

import (
	"cmp"
	"fmt"
	"strings"

	"handoff/mailbox/contract"
	"handoff/schemas"
)

// checkNames checks the form of the names in a send: the workflow, the checks, the schema of the output, and the id
// that another program gave the message. Package mailbox checks later whether these things exist.
func (d *Draft) checkNames(in schemas.SendIn) (err error) {
	if in.Workflow != "" {
		if d.Workflow, err = schemas.ParseWorkflow("workflow", in.Workflow); err != nil {
			return err
		}
	}
	err = cmp.Or(checkExpectations(in.Expectations), schemas.CheckLimits("options.limits", in.Options.Limits))
	if err != nil {
		return err
	}
	d.Parent, d.Limits = in.Parent, in.Options.Limits
	return schemas.CheckBytes("origin.handoff_id", len(schemas.ValueOrZero(in.Origin).HandoffID), 128)
}

// checkExpectations checks the names of checks, the base commit, and the schema of the output.
func checkExpectations(e *schemas.Expectations) error {
	for i, name := range schemas.ValueOrZero(e).Checks {
		if !schemas.IsValidName(name) {
			return schemas.Invalidf(fmt.Sprintf("expectations.checks[%d]", i), "%q is no name of a check", schemas.EscapeHidden(schemas.Clip(name, 80))).
				WithHint("Name a check that .handoff/checks.yaml defines: a handoff brings no commands. Nothing was sent.")
		}
	}
	if base := schemas.ValueOrZero(e).Base; base != "" && (len(base) != 40 && len(base) != 64 || !schemas.IsCommitID(base)) {
		return schemas.Invalidf("expectations.base", "%q is no whole id of a commit, and a branch or tag may move",
			schemas.EscapeHidden(schemas.Clip(base, 80))).WithHint("git rev-parse BRANCH tells it, with 40 or 64 digits. Nothing was sent.")
	}
	_, err := contract.Compile(schemas.ValueOrZero(e).OutputSchema)
	return err
}

// An AddressParser parses an address in a field, as [schemas.ParseAddress] does.
type AddressParser func(field, s string) (schemas.Address, error)

// ParseAddresses parses the reviewer in e and the agent for failed work in back. It does not change its arguments. If a
// parsed name differs from the written one, the result is a changed copy.
func ParseAddresses(e *schemas.Expectations, back *schemas.Rollback, read AddressParser) (*schemas.Expectations, *schemas.Rollback, error) {
	if review := schemas.ValueOrZero(e).Review; review != "" {
		to, err := read("expectations.review", review)
		if err != nil {
			return e, back, err
		}
		parsed := *e
		parsed.Review, e = string(to), &parsed
	}
	if name := schemas.ValueOrZero(back).OnFailure; name != "" {
		to, err := read.ParseAgent("rollback.on_failure", string(name))
		if err != nil {
			return e, back, err
		}
		parsed := *back
		parsed.OnFailure, back = to, &parsed
	}
	return e, back, nil
}

// ParseAgent parses the name of an agent, or human.
func (read AddressParser) ParseAgent(field, name string) (schemas.Agent, error) {
	address, err := read(field, name)
	if err != nil {
		return "", err
	}
	to, directed := address.SingleAgent()
	if !directed {
		return "", schemas.Invalidf(field, "%q is not one agent", schemas.EscapeHidden(name)).WithHint("Name one agent, or human.")
	}
	return to, nil
}

// keyOfForeignMessage returns an idempotency key for a message with an id from another program, so that the server
// sends a repeated message only once. It returns "" for a message without this id.
func keyOfForeignMessage(from *schemas.Origin) string {
	if id := schemas.ValueOrZero(from).HandoffID; id != "" {
		return foreignPrefix + id
	}
	return ""
}

// foreignPrefix begins each key of [keyOfForeignMessage]. A caller's key cannot begin with it, because it has a control
// character.
const foreignPrefix = "\x00handoff_id "

// ForeignID returns the id that another program gave the message, from a key of [keyOfForeignMessage]. For any other
// key, foreign is false.
func (d *Draft) ForeignID() (id string, foreign bool) { return strings.CutPrefix(d.Key, foreignPrefix) }
