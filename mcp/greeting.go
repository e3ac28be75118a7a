package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/server"

	"handoff/schemas"
)

// maxGreeting is the longest greeting, in characters.
const maxGreeting = 200

// addGreeting adds a greeting to the first result of a connection, because not every client shows the instructions to
// its model. A call in the name of a subagent gets none, and neither does a call under a name that the mailbox has not
// confirmed: the next call then does.
func (s *Server) addGreeting(ctx context.Context, by schemas.Caller, args, result json.RawMessage) json.RawMessage {
	c, ok := server.ClientSessionFromContext(ctx).(*session)
	if !ok || by.Agent == "" || agentIn(args) != "" || !c.naming.confirmed(by.Agent) {
		return result
	}
	if !c.greeted.CompareAndSwap(false, true) {
		return result
	}
	return prependAdvice(s.lookAround(ctx, by).greeting(), result)
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

// prependAdvice puts a sentence before the other advice of a result, and leaves the rest of the result as it is.
func prependAdvice(sentence string, result json.RawMessage) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(result))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return result
	}
	out, next := bytes.NewBufferString("{"), []schemas.Advice{{Say: sentence}}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return result
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return result
		}
		if name == "next" {
			var after []schemas.Advice
			if json.Unmarshal(value, &after) != nil {
				return result
			}
			next = append(next, after...)
			continue
		}
		fmt.Fprintf(out, "%s:%s,", readable(name), value)
	}
	fmt.Fprintf(out, `"next":%s}`, readable(next))
	return out.Bytes()
}
