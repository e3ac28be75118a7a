package brief

import (
	"fmt"
	"slices"
	"strings"

	"handoff/mailbox/content"
	"handoff/schemas"
)

// An absence is a part that a brief leaves out, or in part, with its name in the footer.
type absence struct {
	name string
	part part
}

// worthACall are the tokens below which the call for a part is longer than the part.
const worthACall = 25

// footer names what was left out, with the calls that give all of each. It stands behind the closing tag, since it is
// ours and not the sender's. Calls have so many tenths of a token at most: small parts, and the least important ones,
// have only that of the last line, which gives all of it. What other handoffs have it does not give, so that has a line
// of its own in any case. Parts that the same calls give share a line, which counts the tokens of all of them in full.
func (f frame) footer(omitted []absence, room int) string {
	if len(omitted) == 0 {
		return ""
	}
	var order []string // of calls
	named, tokens, elsewhere := map[string][]string{}, map[string]int{}, map[string]bool{}
	for _, a := range omitted {
		calls := strings.Join(a.part.rest, ", ")
		if !slices.Contains(order, calls) {
			order = append(order, calls)
		}
		named[calls] = append(named[calls], a.name)
		tokens[calls] += size(a.part.lines) / 10
		elsewhere[calls] = elsewhere[calls] || a.part.elsewhere
	}
	var b strings.Builder
	var others []string
	for _, calls := range order {
		line := fmt.Sprintf("- %s, %d tokens: %s\n", strings.Join(named[calls], ", "), tokens[calls], calls)
		if !elsewhere[calls] && (tokens[calls] < worthACall || calls == "" || room < content.Tenths(line)) {
			others = append(others, named[calls]...)
			continue
		}
		room -= content.Tenths(line)
		b.WriteString(line)
	}
	last := strings.Join(append(others, "all of it"), ", ")
	return "\nLeft out:\n" + b.String() + "- " + last + ": " + get(f.id, schemas.GetIn{View: "full"})
}

// get is a call that reads of a handoff, as a client writes it.
func get(id schemas.ID, in schemas.GetIn) string {
	in.HandoffID = id.String()
	return schemas.Call(in, "").Request()
}

// rest are the calls that give all of a part, none for one that only the view full has. Most parts are fields of what
// was sent.
func rest(in Input, name string) []string {
	id := in.Handoff.ID
	switch name {
	case "specific task":
		return nil
	case "success criteria", "constraints", "if stuck":
		if in.Handoff.Expectations == nil {
			return nil
		}
		name = "expectations"
	case "earlier session", "ending":
		return []string{get(id, schemas.GetIn{View: "events"})}
	case "progress":
		calls := []string{get(id, schemas.GetIn{View: "events"})}
		if contextOf(in.Handoff).Checkpoint != nil {
			calls = append(calls, get(id, schemas.GetIn{View: "checkpoint"}))
		}
		return calls
	case "earlier handoffs":
		return []string{schemas.Call(schemas.HistoryIn{HandoffID: id.String()}, "").Request()}
	case ofBefore:
		decisions := schemas.GetIn{Reference: "decisions"}
		return schemas.Unique(schemas.Map(in.Recalled, func(r Recalled) string { return get(r.Of, decisions) }))
	case ofEarlier:
		calls := []string{get(in.Results[0].HandoffID, schemas.GetIn{View: "outcome"})}
		calls = append(calls, schemas.Map(in.Results[1:], func(r Result) string { return "same of " + r.HandoffID.String() })...)
		if len(calls) > mostListed {
			calls = append(calls[:mostListed], ellipsis)
		}
		return calls
	}
	return []string{get(id, schemas.GetIn{Reference: strings.ReplaceAll(name, " ", "_")})}
}
