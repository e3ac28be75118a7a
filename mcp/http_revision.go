package mcp

import (
	"encoding/json"
	"errors"
	"net/http"

	sdk "github.com/mark3labs/mcp-go/mcp"

	"handoff/mcp/jsonrpc"
)

// isModern reports whether a message is of revision 2026-07-28 or later, by its header or by its own word.
func isModern(h http.Header, m jsonrpc.Message) bool {
	return sdk.IsModernProtocol(h.Get(sdk.HeaderProtocolVersion)) || sdk.IsModernProtocol(versionOf(m))
}

// versionOf is the revision that a message itself names, as all requests do since 2026-07-28.
func versionOf(m jsonrpc.Message) string {
	var p struct {
		Meta *sdk.Meta `json:"_meta"`
	}
	if json.Unmarshal(m.Params, &p) != nil {
		return ""
	}
	return p.Meta.ProtocolVersion()
}

// headerFault returns the error for headers that revision 2026-07-28 does not allow (MCP specification, Streamable
// HTTP, standard request headers), nil for none. The headers repeat what the message says, so that proxies need not
// read it.
func headerFault(h http.Header, m jsonrpc.Message) *sdk.JSONRPCError {
	named := h.Get(sdk.HeaderProtocolVersion)
	switch said := versionOf(m); {
	case h.Get(sdk.HeaderLastEventID) != "":
		const said = "streams are not resumed: leave out %s and send the request again"
		return m.Refuse(sdk.HEADER_MISMATCH, said, sdk.HeaderLastEventID)
	case named == "":
		return m.Refuse(sdk.HEADER_MISMATCH, "the header %s is missing", sdk.HeaderProtocolVersion)
	case said == "" && m.ID == nil: // a notification does not name its revision
		return nil
	case said == "":
		return m.Refuse(sdk.INVALID_PARAMS, "_meta lacks %s", sdk.MetaKeyProtocolVersion)
	case said != named:
		const fault = "the header %s is %q and the message says %q"
		return m.Refuse(sdk.HEADER_MISMATCH, fault, sdk.HeaderProtocolVersion, named, said)
	}
	if !sdk.IsValidProtocolVersion(named) {
		return nil // the error of the SDK names the revisions there are
	}
	err := sdk.ValidateStandardHeaders(h.Get, named, sdk.MCPMethod(m.Method), m.Params)
	if mismatch := (sdk.HeaderMismatchError{}); errors.As(err, &mismatch) {
		return m.Refuse(sdk.HEADER_MISMATCH, "%s", mismatch.Error())
	}
	return nil
}
