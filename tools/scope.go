package tools

import "handoff/schemas"

// offered refuses a tool that the caller may not call. For callers over a network there are no administrative tools. A
// caller whose token has the scope read is told which tools it may call instead.
func (t Tool) offered(by schemas.Caller) error {
	switch {
	case t.Admin && by.Via == schemas.ViaHTTP:
		return noTool(t.Name)
	case by.Scope != schemas.ScopeRead || t.ReadOnly:
		return nil
	}
	var readers []string
	for _, other := range Table {
		if other.ReadOnly {
			readers = append(readers, other.Name)
		}
	}
	e := schemas.Errorf(schemas.Denied, "%s needs scope agent, and this token has scope read", t.Name)
	e = e.WithHint("It may only read. Whoever runs the server gives out tokens of other scopes.")
	return t.refuse(e.WithField("tool").WithKnown(readers...))
}
