package draft

import (
	"cmp"
	"fmt"
	"strings"

	"handoff/mailbox/contract"
	"handoff/schemas"
)

// checkNames checks the names and other short fields of a send: the workflow, the expectations with their checks and
// schema, and the message's own id from another program, which has at most 128 bytes. It checks only the form of the
// fields; whether the named things exist is checked later, in the transaction.
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
	return schemas.TooBig("origin.handoff_id", len(schemas.ValueOrZero(in.Origin).HandoffID), 128)
}

// checkExpectations checks the names of checks, the base commit, and the schema of the output.
func checkExpectations(e *schemas.Expectations) error {
	for i, name := range schemas.ValueOrZero(e).Checks {
		if !schemas.IsWord(name) {
			return schemas.Invalidf(fmt.Sprintf("expectations.checks[%d]", i), "%q is no name of a check", schemas.EscapeHidden(schemas.Clip(name, 80))).
				WithHint("Name a check that .handoff/checks.yaml defines, as test: a handoff brings no commands. Nothing was sent.")
		}
	}
	if base := schemas.ValueOrZero(e).Base; base != "" && (len(base) != 40 && len(base) != 64 || !schemas.IsCommit(base)) {
		return schemas.Invalidf("expectations.base", "%q is no whole id of a commit, and a branch or tag may move",
			schemas.EscapeHidden(schemas.Clip(base, 80))).WithHint("git rev-parse BRANCH tells it, with 40 or 64 digits. Nothing was sent.")
	}
	_, err := contract.Compile(schemas.ValueOrZero(e).OutputSchema)
	return err
}

// An AddressParser parses an address in a field, as [schemas.ParseAddress] does.
type AddressParser func(field, s string) (schemas.Address, error)

// ParseAddresses parses the address of the reviewer and the name of the agent that gets failed work. It does not change
// its arguments: if a parsed value differs from the written text, it returns a copy with the parsed value.
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

// keyOfForeignMessage returns the idempotency key for a message from another program that already has an id. The key is
// made from the id, so that the server sends a repeated message only once. keyOfForeignMessage returns "" for a message
// without an id.
func keyOfForeignMessage(from *schemas.Origin) string {
	if id := schemas.ValueOrZero(from).HandoffID; id != "" {
		return foreignPrefix + id
	}
	return ""
}

// foreignPrefix begins the keys that [keyOfForeignMessage] makes. No key of a caller begins with it, because callers'
// keys have no control characters.
const foreignPrefix = "\x00handoff_id "

// ForeignID returns the message's own id if the draft's key was made by [keyOfForeignMessage]. foreign is false for any
// other key.
func (d *Draft) ForeignID() (id string, foreign bool) { return strings.CutPrefix(d.Key, foreignPrefix) }
