package brief

import (
	"fmt"
	"slices"
	"strings"

	"handoff/mailbox/content"
	"handoff/schemas"
)

// An omittedPart is a part that a brief leaves out or shortens, with its name in the footer.
type omittedPart struct {
	name string
	part briefPart
}

// minCallTokens is the size in tokens from which an omitted part gets its own call in the footer. For a smaller part,
// the call would be longer than the part.
const minCallTokens = 25

// footer lists the omitted parts, each with the calls that return the part. It stands after the closing tag, because
// the server writes the footer. Parts with the same calls share a line, with the sum of their tokens. The argument room
// limits the size of these lines, in tenths of a token. Small parts, and parts whose line does not fit, share the last
// line, whose call returns the whole handoff. A part about another handoff has its own line even if the line does not
// fit, because the whole handoff does not contain this part.
func (f frame) footer(omitted []omittedPart, room int) string {
	if len(omitted) == 0 {
		return ""
	}
	var order []string // calls in the order of the parts
	named, tokens, elsewhere := map[string][]string{}, map[string]int{}, map[string]bool{}
	for _, a := range omitted {
		calls := strings.Join(a.part.calls, ", ")
		if !slices.Contains(order, calls) {
			order = append(order, calls)
		}
		named[calls] = append(named[calls], a.name)
		tokens[calls] += sizeOfLines(a.part.lines) / 10
		elsewhere[calls] = elsewhere[calls] || a.part.foreign
	}
	var b strings.Builder
	var others []string
	for _, calls := range order {
		line := fmt.Sprintf("- %s, %s: %s\n", strings.Join(named[calls], ", "), schemas.CountNoun(tokens[calls], "token"), calls)
		if !elsewhere[calls] && (tokens[calls] < minCallTokens || calls == "" || room < content.CountTokenTenths(line)) {
			others = append(others, named[calls]...)
			continue
		}
		room -= content.CountTokenTenths(line)
		b.WriteString(line)
	}
	last := strings.Join(append(others, "all of it"), ", ")
	return "\nLeft out:\n" + b.String() + "- " + last + ": " + getHandoffCall(f.id, schemas.GetIn{View: "full"})
}

// getHandoffCall returns a get_handoff call for a handoff, in the syntax that clients use.
func getHandoffCall(id schemas.ID, in schemas.GetIn) string {
	in.HandoffID = id.String()
	return schemas.AdviseCall(in, "").Request()
}

// callsForPart returns the calls that return a whole part. For most parts, the call is get_handoff with the name of a
// field of the sent handoff. callsForPart returns nil for a part that only the view full of get_handoff shows.
func callsForPart(in Input, name string) []string {
	id := in.Handoff.ID
	switch name {
	case "specific task":
		return nil
	case "success criteria", "constraints", "if stuck":
		if in.Handoff.Expectations == nil {
			return nil
		}
		name = "expectations"
	case "earlier session", "ending", "progress":
		calls := []string{getHandoffCall(id, schemas.GetIn{View: "events"})}
		if name == "progress" && contextOrEmpty(in.Handoff).Checkpoint != nil {
			calls = append(calls, getHandoffCall(id, schemas.GetIn{View: "checkpoint"}))
		}
		return calls
	case "earlier handoffs":
		return []string{schemas.AdviseCall(schemas.HistoryIn{HandoffID: id.String()}, "").Request()}
	case recalledPart:
		return schemas.Unique(schemas.Map(in.Recalled, func(r RecalledText) string { return getHandoffCall(r.Of, schemas.GetIn{View: "full"}) }))
	case earlierResultsPart:
		calls := []string{getHandoffCall(in.Results[0].HandoffID, schemas.GetIn{View: "outcome"})}
		calls = append(calls, schemas.Map(in.Results[1:], func(r EarlierResult) string { return "same of " + r.HandoffID.String() })...)
		if len(calls) > maxListed {
			calls = append(calls[:maxListed], ellipsis)
		}
		return calls
	}
	return []string{getHandoffCall(id, schemas.GetIn{Reference: strings.ReplaceAll(name, " ", "_")})}
}
