package mcp

import (
	"net/url"
	"strings"

	"handoff/schemas"
)

// The addresses of resources. ownInbox is the inbox of the agent that asks, so that the list of resources is the same
// for all agents.
const (
	ownInbox    = "handoff://inbox"
	inboxURI    = "handoff://inbox/"
	handoffURI  = "handoff://handoff/"
	workflowURI = "handoff://workflow/"
	contextURI  = "context://"
)

type kind int

const (
	unknownKind kind = iota
	aHandoff
	anInbox
	aWorkflow
	aContext
)

// address is the URI of a resource in canonical form: handoff://handoff/12 and handoff://handoff/ho_12 are one address.
// The name of ownInbox is empty.
type address struct {
	kind kind
	name string
}

func addressOf(uri string) address {
	if uri == ownInbox {
		return address{kind: anInbox}
	}
	for prefix, kind := range map[string]kind{
		inboxURI: anInbox, handoffURI: aHandoff, workflowURI: aWorkflow, contextURI: aContext,
	} {
		name, ok := strings.CutPrefix(uri, prefix)
		if !ok {
			continue
		}
		if name, err := url.PathUnescape(name); err == nil && name != "" {
			return address{kind, canonical(kind, name)}
		}
	}
	return address{}
}

// canonical returns a name that it does not recognise unchanged: the tools say what is wrong with it.
func canonical(kind kind, name string) string {
	switch kind {
	case aHandoff, aContext:
		if id, ok := schemas.ParseID(name); ok {
			return id.String()
		}
	case aWorkflow:
		if w, err := schemas.ParseWorkflow("workflow", name); err == nil {
			return string(w)
		}
	case unknownKind, anInbox:
	}
	return name
}
