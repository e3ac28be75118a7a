package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"handoff/schemas"
)

// maxGreeting is the longest greeting, in characters.
const maxGreeting = 200

// addGreeting adds a greeting to the first result of a connection, because not every client shows the instructions to
// its model. A call in the name of a subagent gets none, and neither does a call under a name that the mailbox has not
// confirmed: the next call then does.
func (s *Server) addGreeting(ctx context.Context, by schemas.Caller, args, result json.RawMessage) json.RawMessage {
	c := sessionOf(ctx)
	if by.Agent == "" || agentIn(args) != "" || !c.naming.confirmed(by.Agent) {
		return result
	}
	if !c.greeted.CompareAndSwap(false, true) {
		return result
	}
	greeted, ok := prependAdvice(s.lookAround(ctx, by).greeting(), result)
	c.greeted.Store(ok)
	return greeted
}

// greeting is one line, such as "You are claude-code-2; also here: claude-code (live), qa."
func (i Instructions) greeting() string {
	you := "You are " + string(i.Agent)
	cards := i.neighbours()
	if len(cards) == 0 {
		return you + "; nobody else is here."
	}
	const also, more = "; also here: ", " and %d more."
	line, rest := fit(cards, presence, ", ", maxGreeting-utf8.RuneCountInString(you+also+more))
	if rest > 0 {
		return you + also + line + fmt.Sprintf(more, rest)
	}
	return you + also + line + "."
}

func presence(c schemas.Card) string {
	name := oneLine(string(c.Name), 64)
	if c.Live {
		name += " (live)"
	}
	return name
}

// prependAdvice puts a sentence before the other advice of a result, and leaves the rest of the result as it is. It
// changes nothing when it cannot read the advice, as that of an owner of another version.
func prependAdvice(sentence string, result json.RawMessage) (_ json.RawMessage, ok bool) {
	d := json.NewDecoder(bytes.NewReader(result))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return result, false
	}
	out, next := bytes.NewBufferString("{"), []schemas.Advice{{Say: sentence}}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return result, false
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return result, false
		}
		if name == "next" {
			var after []schemas.Advice
			if json.Unmarshal(value, &after) != nil {
				return result, false
			}
			next = append(next, after...)
			continue
		}
		fmt.Fprintf(out, "%s:%s,", readable(name), value)
	}
	fmt.Fprintf(out, `"next":%s}`, readable(next))
	return out.Bytes(), true
}
